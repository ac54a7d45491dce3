/*
 * Where pacing is judged: receives RTP in a process of its own and takes each packet's time from the
 * kernel (SO_TIMESTAMPNS), so that no wake-up of ours is in the figures.
 *
 *   receiver HOST            prints "port N", then reads standard input: "start" begins to count,
 *                            end of file ends it and prints every |interval - 20 ms| in
 *                            microseconds as percentiles, one JSON line.
 */
#define _GNU_SOURCE
#include "intervals.h"
#include <arpa/inet.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define STREAMS_MAX 4096

static struct stream streams[STREAMS_MAX];
static int stream_count;

static struct stream *stream_of(uint32_t ssrc) {
  for (int i = 0; i < stream_count; i++)
    if (streams[i].ssrc == ssrc) return &streams[i];
  if (stream_count == STREAMS_MAX) return NULL;
  streams[stream_count].ssrc = ssrc;
  return &streams[stream_count++];
}

static void receive(const uint8_t *packet, ssize_t size, int64_t ns, int counting) {
  if (!is_rtp(packet, size)) return;
  struct stream *stream = stream_of(ssrc_of(packet));
  if (stream) take(stream, packet, ns, counting);
}

int main(int argc, char **argv) {
  int fd = socket(AF_INET, SOCK_DGRAM, 0), on = 1, room = 8 * 1024 * 1024;
  setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  struct sockaddr_in address = {.sin_family = AF_INET};
  socklen_t address_size = sizeof address;
  inet_pton(AF_INET, argc > 1 ? argv[1] : "127.0.0.1", &address.sin_addr);
  if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0) return 1;
  getsockname(fd, (struct sockaddr *)&address, &address_size);
  samples = malloc(sizeof *samples * SAMPLES_MAX);
  printf("port %d\n", ntohs(address.sin_port));
  fflush(stdout);

  struct pollfd polled[2] = {{.fd = fd, .events = POLLIN}, {.fd = 0, .events = POLLIN}};
  for (int counting = 0;;) {
    if (poll(polled, 2, -1) < 0) return 1;
    if (polled[1].revents) {
      char word[64];
      if (read(0, word, sizeof word) <= 0) break;
      counting = 1;
    }
    for (int i = 0; (polled[0].revents & POLLIN) && i < 64; i++) {
      uint8_t packet[2048];
      char control[256];
      struct iovec data = {packet, sizeof packet};
      struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control,
                               .msg_controllen = sizeof control};
      ssize_t size = recvmsg(fd, &message, MSG_DONTWAIT);
      if (size < 0) break;
      for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS) continue;
        struct timespec stamp;
        memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
        receive(packet, size, stamp.tv_sec * 1000000000LL + stamp.tv_nsec, counting);
      }
    }
  }
  print_intervals(stream_count);
  return 0;
}
