/** The control socket's path: `control.sock` in the data directory, with the length limit of the system. */
import { ConfigInvalid } from "../ops/config/config-invalid.ts";

/** Maximum path length of a Unix socket: `sun_path` has 108 bytes, including a NUL (unix(7)). */
const SOCKET_PATH_BYTES_MAX = 107;

/** A configuration error: `serve` exits with its status. */
class SocketPathTooLong extends ConfigInvalid {
  constructor(path: string) {
    super([
      `The path of the control socket, ${path}, is ${Buffer.byteLength(path)} bytes long; the limit is ${SOCKET_PATH_BYTES_MAX}. Set [storage] data_dir to a shorter path.`,
    ]);
  }
}

export const isSocketPathTooLong = (path: string): boolean =>
  Buffer.byteLength(path) > SOCKET_PATH_BYTES_MAX;

/** Throws SocketPathTooLong. */
export function checkSocketPath(path: string): void {
  if (isSocketPathTooLong(path)) throw new SocketPathTooLong(path);
}
