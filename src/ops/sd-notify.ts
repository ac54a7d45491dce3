/**
 * sd_notify(3): notifies systemd that the service is ready, alive or stopping. The runtime has no unix
 * datagram sockets, so libc is called directly. Outside systemd every message is a no-op.
 */
import { dlopen, FFIType, ptr } from "bun:ffi";
import type { Environment } from "./config/environment.ts";

export interface SystemdNotifier {
  /** `READY=1`, `WATCHDOG=1`, `STOPPING=1`, with `STATUS=…`. Returns false if it was not sent. */
  send(state: string): boolean;
  /** The watchdog interval of systemd, in ms; null: no watchdog. */
  readonly watchdogMs: number | null;
}

const AF_UNIX = 1;
const SOCK_DGRAM_CLOEXEC = 2 | 0o2000000;
const MSG_NOSIGNAL_DONTWAIT = 0x4000 | 0x40;
const PATH_BYTES_MAX = 107;

const silent: SystemdNotifier = { send: () => false, watchdogMs: null };

export function createSystemdNotifier(env: Environment): SystemdNotifier {
  const path = env.NOTIFY_SOCKET ?? "";
  if (process.platform !== "linux" || !/^[/@]/.test(path)) return silent;
  const address = socketAddress(path);
  const libc = address && openLibc();
  if (!libc) return silent;
  const socket = libc.symbols.socket(AF_UNIX, SOCK_DGRAM_CLOEXEC, 0);
  if (socket < 0) return silent;
  return {
    watchdogMs: watchdogMsOf(env),
    send(state) {
      const bytes = Buffer.from(state);
      const sent = libc.symbols.sendto(
        socket,
        ptr(bytes),
        BigInt(bytes.length),
        MSG_NOSIGNAL_DONTWAIT,
        ptr(address),
        address.length,
      );
      return Number(sent) === bytes.length;
    },
  };
}

/** `struct sockaddr_un`; a leading `@` means the abstract namespace. */
function socketAddress(path: string): Buffer | null {
  const bytes = Buffer.from(path);
  if (bytes.length > PATH_BYTES_MAX) return null;
  const abstract = path.startsWith("@");
  const address = Buffer.alloc(2 + bytes.length + (abstract ? 0 : 1));
  address.writeUInt16LE(AF_UNIX, 0);
  bytes.copy(address, 2);
  if (abstract) address[2] = 0;
  return address;
}

function openLibc() {
  try {
    const { i32, i64, u32, u64, ptr: pointer } = FFIType;
    return dlopen("libc.so.6", {
      socket: { args: [i32, i32, i32], returns: i32 },
      sendto: { args: [i32, pointer, u64, i32, pointer, u32], returns: i64 },
    });
  } catch {
    return null; // another libc: the service runs without notifications
  }
}

function watchdogMsOf(env: Environment): number | null {
  const microseconds = Number(env.WATCHDOG_USEC);
  const forUs = !env.WATCHDOG_PID || Number(env.WATCHDOG_PID) === process.pid;
  return microseconds > 0 && forUs ? microseconds / 1000 : null;
}
