/* Put before libc's: while the file LV_EIO_FLAG exists, writes and syncs below LV_EIO_DIR fail with EIO;
 * while LV_EIO_FLAG.sync exists, syncs alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fails(int fd, const char *kind) {
  const char *flag = getenv("LV_EIO_FLAG"), *dir = getenv("LV_EIO_DIR");
  char link[64], path[4096];
  if (!flag || !dir) return 0;
  snprintf(path, sizeof path, "%s%s", flag, kind);
  if (access(path, F_OK) != 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strncmp(path, dir, strlen(dir)) == 0;
}

#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))
#define FAIL_IF_BROKEN(fd) if (fails(fd, "")) { errno = EIO; return -1; }
#define FAIL_IF_UNSYNCED(fd) if (fails(fd, "") || fails(fd, ".sync")) { errno = EIO; return -1; }

ssize_t write(int fd, const void *data, size_t size) {
  FAIL_IF_BROKEN(fd) return REAL(ssize_t, "write", int, const void *, size_t)(fd, data, size);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
  FAIL_IF_BROKEN(fd) return REAL(ssize_t, "pwrite", int, const void *, size_t, off_t)(fd, data, size, at);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off_t at) {
  FAIL_IF_BROKEN(fd) return REAL(ssize_t, "pwrite64", int, const void *, size_t, off_t)(fd, data, size, at);
}
int fsync(int fd) { FAIL_IF_UNSYNCED(fd) return REAL(int, "fsync", int)(fd); }
int fdatasync(int fd) { FAIL_IF_UNSYNCED(fd) return REAL(int, "fdatasync", int)(fd); }
