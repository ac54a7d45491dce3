/**
 * Bounds the connections that one address may hold open, half-open ones included: whoever opens hundreds and
 * never finishes a request would take the file descriptors of everybody else.
 *
 * The runtime's server tells us of no connection before its request is whole. So Linux is asked: its table of TCP
 * connections says who holds how many (proc(5), /proc/net/tcp), and the newest above the cap are shut down
 * (shutdown(2)); the server then sees their end and closes them. Looks only when the process's descriptors have
 * grown. Elsewhere than on Linux nothing is bounded.
 */
import { dlopen } from "bun:ffi";
import { readdirSync, readlinkSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import type { Clock } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";

const POLL_EVERY_MS = 1_000;
const ESTABLISHED = "01";
const SHUT_BOTH = 2;

interface ConnectionCapOptions {
  readonly port: number;
  /** How many connections one address may keep. */
  readonly perAddressMax: number;
  /** Proxies that stand in front: they carry everybody's connections. */
  readonly isExempt: (address: string) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

interface Connection {
  readonly address: string;
  /** Of the socket; a later socket has a higher number. */
  readonly inode: number;
}

/** `0100007F` → `127.0.0.1`; words are in the machine's byte order, which is little-endian here. */
export function addressOf(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) =>
    (word.match(/../g) ?? []).reverse().map((byte) => Number.parseInt(byte, 16)),
  );
  if (bytes.length === 4) return bytes.join(".");
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff;
  if (isMapped) return bytes.slice(12).join(".");
  return Array.from({ length: 8 }, (_, at) =>
    (((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0)).toString(16),
  ).join(":");
}

/** The part of an address that one customer has: an IPv4 address, or a /64 of IPv6. */
const sourceOf = (address: string): string =>
  address.includes(":") ? address.split(":").slice(0, 4).join(":") : address;

/** The kernel may need milliseconds to write down its table: not on this thread. */
async function connectionsTo(port: number): Promise<Connection[]> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const found: Connection[] = [];
  for (const table of ["tcp", "tcp6"])
    for (const line of (await readFile(`/proc/self/net/${table}`, "latin1")).split("\n")) {
      const [, local = "", remote = "", state, , , , , , inode] = line.trim().split(/\s+/);
      if (state !== ESTABLISHED || !local.endsWith(suffix)) continue;
      found.push({ address: addressOf(remote.split(":")[0] ?? ""), inode: Number(inode) });
    }
  return found;
}

/** Inode → descriptor of this process's sockets. */
function descriptors(): Map<number, number> {
  const found = new Map<number, number>();
  for (const name of readdirSync("/proc/self/fd"))
    try {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${name}`)) ?? [];
      if (inode !== undefined) found.set(Number(inode), Number(name));
    } catch {
      // The socket was closed after the folder was read.
    }
  return found;
}

/** The newest connections of each address above the cap. */
export function aboveCap(
  connections: readonly Connection[],
  { perAddressMax, isExempt }: Pick<ConnectionCapOptions, "perAddressMax" | "isExempt">,
): Connection[] {
  const counted = connections.filter(({ address }) => !isExempt(address));
  const bySource = Map.groupBy(counted, ({ address }) => sourceOf(address));
  return [...bySource.values()].flatMap((held) =>
    held.sort((a, b) => a.inode - b.inode).slice(perAddressMax),
  );
}

/** Checks every second until it is stopped. */
export function createConnectionCap(options: ConnectionCapOptions): { stop(): void } {
  const { clock, log, port, perAddressMax } = options;
  let libc: ReturnType<typeof openLibc> | null = null;
  /** The number of descriptors when no address was above the cap. */
  let fineAt = 0;

  async function poll(): Promise<void> {
    const open = (await readdir("/proc/self/fd")).length;
    fineAt = Math.min(fineAt, open);
    if (open - fineAt < perAddressMax / 2) return;
    const excess = aboveCap(await connectionsTo(port), options);
    if (excess.length === 0) {
      fineAt = open;
      return;
    }
    libc ??= openLibc();
    // This runs in one turn of the event loop, so that no descriptor changes its owner in between.
    const sockets = descriptors();
    for (const { inode } of excess) {
      const descriptor = sockets.get(inode);
      if (descriptor !== undefined) libc.symbols.shutdown(descriptor, SHUT_BOTH);
    }
    const addresses = new Set(excess.map(({ address }) => sourceOf(address))).size;
    log.warn("http.connections_capped", { closed: excess.length, addresses });
  }

  const timer = clock.every(POLL_EVERY_MS, () => {
    poll().catch((error) => {
      timer.cancel();
      log.warn("http.connections_not_capped", { error: describeError(error) });
    });
  });
  return { stop: () => timer.cancel() };
}

const openLibc = () =>
  dlopen("libc.so.6", { shutdown: { args: ["i32", "i32"], returns: "i32" } } as const);
