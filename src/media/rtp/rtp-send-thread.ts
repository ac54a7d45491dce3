/**
 * A thread that sends packets on time, whatever the call worker is doing. The worker creates each
 * packet `SEND_DELAY_MS` before it is due and queues it. The thread is a small C program (rtp-send-thread.c),
 * which the runtime's own compiler translates when the main thread starts. If the system allows it,
 * the thread has a real-time priority (SCHED_FIFO); otherwise it has the priority of the thread
 * that started it.
 *
 * It sends in the order of queueing, never before the due time. Late packets are sent at once. At
 * most 1024 packets of 704 octets wait. For 64-bit Linux with glibc. Elsewhere `createRtpSendThread`
 * returns null, and packets are sent when they are created.
 *
 * The main thread owns program, thread and sockets. A call worker may be ended at any moment, and
 * the runtime closes none of them with it. So the main thread calls `createRtpSendThread` for each
 * worker, and `end` after the worker has ended. The worker starts and uses them
 * (`startRtpSendThread`).
 */
import { cc, dlopen, FFIType, linkSymbols, type Pointer } from "bun:ffi";
import { closeSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import program from "./rtp-send-thread.c" with { type: "text" };

/** A call worker that wakes up this late still creates its packets in time. */
export const SEND_DELAY_MS = 10;

/** Addresses in this process, created by the main thread for one call worker. */
export interface RtpSendThreadHandle {
  readonly sendThread: Pointer | bigint;
  readonly functions: Readonly<Record<string, number>>;
}

interface OwnedRtpSendThread {
  readonly handle: RtpSendThreadHandle;
  /**
   * Sends the last packet and closes open sockets. The owner calls it once, when nobody uses the
   * handle any more.
   */
  end(): void;
}

export interface RtpSendThread {
  /**
   * A UDP socket, closed by `closeSocket` or when the send thread ends. Negative if the system provides
   * none.
   */
  openSocket(family: number): number;
  /**
   * Copies the packet, and sends it through the socket `SEND_DELAY_MS` after `slotMs` (in the clock's
   * monotonic time). Both addresses must be of memory that does not move. `to` is a `sockaddr_in6`,
   * or a `sockaddr_in` in the same amount of memory. Returns false, without queueing, if the packet
   * is too long or the queue is full.
   */
  queue(socket: number, octets: Pointer, size: number, to: Pointer, slotMs: number): boolean;
  /** Closes the socket after its last queued packet. */
  closeSocket(socket: number): void;
}

const { f64, i32, u32, ptr: pointer, void: nothing } = FFIType;
const WORKER_SYMBOLS = {
  now_ms: { args: [], returns: f64 },
  start_send_thread: { args: [pointer], returns: i32 },
  open_socket: { args: [pointer, i32], returns: i32 },
  queue_packet: { args: [pointer, f64, i32, pointer, i32, pointer], returns: i32 },
  queue_close: { args: [pointer, i32], returns: nothing },
} as const;
const SYMBOLS = {
  ...WORKER_SYMBOLS,
  create_send_thread: { args: [], returns: pointer },
  end_send_thread: { args: [pointer], returns: nothing },
} as const;
const CLOSE_ON_EXEC = 1;
const CLOCK_READS = 8;

/** Used by the main thread, for the life of the process. */
let compiled: ReturnType<typeof compile> | null = null;

/** Returns null and logs the reason if the system does not support it. The caller must `end` it. */
export function createRtpSendThread(
  log: Log,
  system: string = process.platform,
): OwnedRtpSendThread | null {
  try {
    if (system !== "linux") throw new Error("not on this system");
    compiled ??= compile();
    const { functions, symbols } = compiled;
    const sendThread = symbols.create_send_thread();
    if (sendThread === null) throw new Error("the system gives no memory");
    return { handle: { sendThread, functions }, end: () => symbols.end_send_thread(sendThread) };
  } catch (error) {
    unavailable(log, error);
    return null;
  }
}

/** Returns null and logs the reason if the system does not support it. */
export function startRtpSendThread(
  handle: RtpSendThreadHandle,
  clock: Clock,
  log: Log,
): RtpSendThread | null {
  try {
    return start(handle, clock);
  } catch (error) {
    unavailable(log, error);
    return null;
  }
}

const unavailable = (log: Log, error: unknown) =>
  log.warn("media.send_thread_unavailable", { error: describeError(error) });

function start({ sendThread, functions }: RtpSendThreadHandle, clock: Clock): RtpSendThread {
  const linked = Object.entries(WORKER_SYMBOLS).map(([name, symbol]) => [
    name,
    { ...symbol, ptr: functions[name] },
  ]);
  const native = linkSymbols(Object.fromEntries(linked) as typeof WORKER_SYMBOLS).symbols;
  // Read several times: the thread may be interrupted between the two clocks.
  let aheadMs = Number.POSITIVE_INFINITY;
  for (let read = 0; read < CLOCK_READS; read++) {
    const nowMs = clock.monotonic();
    aheadMs = Math.min(aheadMs, native.now_ms() - nowMs);
  }
  if (native.start_send_thread(sendThread) === 0) throw new Error("the system gives no thread");
  const dueAfterMs = aheadMs + SEND_DELAY_MS;
  return {
    openSocket: (family) => native.open_socket(sendThread, family),
    queue: (socket, octets, size, to, slotMs) =>
      native.queue_packet(sendThread, slotMs + dueAfterMs, socket, octets, size, to) !== 0,
    closeSocket: (socket) => native.queue_close(sendThread, socket),
  };
}

/**
 * Directory of this process's C library: the compiler's own list lacks Debian's directory for
 * arm64.
 */
function libcDirectory(): string {
  const mapped = /\/\S*\/libc(?:\.so\.6|-[\d.]+\.so)$/m.exec(
    readFileSync("/proc/self/maps", "utf8"),
  );
  if (!mapped) throw new Error("the system's C library is not glibc");
  return dirname(mapped[0]);
}

/**
 * The compiler reads only files, and possibly no directory is writable, so the file is in memory.
 * The C library is linked by its file name: its short name exists only on machines with libc6-dev.
 */
function compile() {
  const libc = dlopen("libc.so.6", { memfd_create: { args: [pointer, u32], returns: i32 } });
  const file = libc.symbols.memfd_create(Buffer.from("rtp-send\0"), CLOSE_ON_EXEC);
  libc.close();
  if (file < 0) throw new Error("the system gives no file in memory");
  try {
    writeSync(file, program);
    const source = `/proc/self/fd/${file}`;
    const { symbols } = cc({
      source,
      symbols: SYMBOLS,
      flags: ["-nostdlib", `-L${libcDirectory()}`],
      library: [":libc.so.6"],
    });
    const functions = Object.fromEntries(
      Object.keys(WORKER_SYMBOLS).map((name) => [name, addressOf(name, symbols)]),
    );
    return { symbols, functions };
  } finally {
    closeSync(file);
  }
}

function addressOf(name: string, symbols: Readonly<Record<string, object>>): number {
  const found = symbols[name];
  if (found && "ptr" in found && typeof found.ptr === "number") return found.ptr;
  throw new Error(`the runtime does not provide the address of ${name}`);
}
