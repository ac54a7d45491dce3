/** How long a Unix socket's path may be: `sun_path` has 108 bytes, the last one a NUL (unix(7)). */
export const SOCKET_PATH_BYTES_MAX = 107;

export class SocketPathTooLong extends Error {
  override readonly name = "SocketPathTooLong";
  constructor(path: string) {
    super(
      `The path of the control socket, ${path}, has ${Buffer.byteLength(path)} bytes; the system allows ${SOCKET_PATH_BYTES_MAX}. Give [storage] data_dir a shorter path.`,
    );
  }
}

export const isSocketPathTooLong = (path: string): boolean =>
  Buffer.byteLength(path) > SOCKET_PATH_BYTES_MAX;

/** Throws SocketPathTooLong. */
export function checkSocketPath(path: string): void {
  if (isSocketPathTooLong(path)) throw new SocketPathTooLong(path);
}
