/**
 * A thread from which packets leave on time, whatever the call worker is doing then: the worker makes
 * each `LEAD_MS` before it is due and queues it. The thread is a small C program (departures.c) that the
 * runtime's own compiler translates when it starts. Where the system allows, it goes before all threads of
 * ordinary priority (SCHED_FIFO); else it has the priority of the thread that started it.
 *
 * It sends in the order of queueing, never before the due time; what is queued too late leaves at once.
 * At most 1024 wait, of 704 octets each. For 64-bit Linux with glibc; elsewhere `startDepartures` answers
 * null, and packets leave when they are made.
 */
import { cc, dlopen, FFIType, type Pointer } from "bun:ffi";
import { closeSync, writeSync } from "node:fs";
import type { Clock } from "../../../core/clock.ts";
import { describeError } from "../../../core/errors.ts";
import type { Log } from "../../../core/log.ts";
import program from "./departures.c" with { type: "text" };

/** A call worker that gets a processor this late still makes its packets in time. */
export const LEAD_MS = 10;

export interface Departures {
  /**
   * Copies the packet, and sends it through the socket `LEAD_MS` after `slotMs` (of the clock's monotonic
   * time). Both addresses are of memory that stays where it is; `to` is a
   * `sockaddr_in6`, or a `sockaddr_in` in as much memory. False: it is too
   * long, or too many wait; nothing was queued.
   */
  queue(socket: number, octets: Pointer, size: number, to: Pointer, slotMs: number): boolean;
  /** Closes the socket after the last packet that was queued for it. */
  closeSocket(socket: number): void;
  /** After the last packet. Its owner calls it once, and nothing else afterwards. */
  end(): void;
}

const { f64, i32, u32, ptr: pointer, void: nothing } = FFIType;
const SYMBOLS = {
  now_ms: { args: [], returns: f64 },
  start_departures: { args: [], returns: pointer },
  queue_packet: { args: [pointer, f64, i32, pointer, i32, pointer], returns: i32 },
  queue_close: { args: [pointer, i32], returns: nothing },
  end_departures: { args: [pointer], returns: nothing },
} as const;
const CLOSE_ON_EXEC = 1;
const CLOCK_READS = 8;

/** Null, and a line in the log: the system cannot. The caller must `end` it. */
export function startDepartures(
  clock: Clock,
  log: Log,
  system: string = process.platform,
): Departures | null {
  try {
    if (system !== "linux") throw new Error("not on this system");
    return start(clock);
  } catch (error) {
    log.info("media.departures_unavailable", { error: describeError(error) });
    return null;
  }
}

function start(clock: Clock): Departures {
  const native = compile();
  // Read more than once: the thread may be interrupted between the two clocks.
  let aheadMs = Number.POSITIVE_INFINITY;
  for (let read = 0; read < CLOCK_READS; read++) {
    const nowMs = clock.monotonic();
    aheadMs = Math.min(aheadMs, native.now_ms() - nowMs);
  }
  const thread = native.start_departures();
  if (thread === null) throw new Error("the system gives no thread");
  const dueAfterMs = aheadMs + LEAD_MS;
  return {
    queue: (socket, octets, size, to, slotMs) =>
      native.queue_packet(thread, slotMs + dueAfterMs, socket, octets, size, to) !== 0,
    closeSocket: (socket) => native.queue_close(thread, socket),
    end: () => native.end_departures(thread),
  };
}

/** The compiler reads files alone, and no directory is known to be writable: the file is in memory. */
function compile() {
  const libc = dlopen("libc.so.6", { memfd_create: { args: [pointer, u32], returns: i32 } });
  const file = libc.symbols.memfd_create(Buffer.from("departures\0"), CLOSE_ON_EXEC);
  libc.close();
  if (file < 0) throw new Error("the system gives no file in memory");
  try {
    writeSync(file, program);
    return cc({ source: `/proc/self/fd/${file}`, symbols: SYMBOLS }).symbols;
  } finally {
    closeSync(file);
  }
}
