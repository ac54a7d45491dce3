/**
 * The clock port. Everything that waits or reads the time takes a `Clock`, so that tests can
 * control time. Only this file uses the system's timers and dates (checked by test/tidy.test.ts).
 */
import { BoundedMap } from "./bounded-map.ts";

export interface Timer {
  /** Idempotent. */
  cancel(): void;
}

export interface Clock {
  /** Wall clock, milliseconds since the epoch, UTC. May jump. */
  now(): number;
  /** Monotonic milliseconds (fractional) from an arbitrary start. Never goes back. */
  monotonic(): number;
  /**
   * Runs `task` once after `delayMs`; the caller must cancel it. After a stop of the whole process,
   * sockets are read before `task` runs if `delayMs` is a second or more.
   */
  after(delayMs: number, task: () => void): Timer;
  /** Runs `task` every `periodMs`, at least every 24 days, until cancelled. */
  every(periodMs: number, task: () => void): Timer;
  /**
   * Blocks the thread for `ms`, at most 1 ms, because timers have whole milliseconds. Optional: not
   * every clock can block.
   */
  blockThread?(ms: number): void;
}

/** Trust in dates if the wall clock may have jumped (ops/clock-sanity.ts). */
export interface ClockTrust {
  /** If false, no month begins, and no call is placed because its time has come. */
  isTrusted(): boolean;
  /** If false, nothing is deleted for its age. */
  mayDelete(): boolean;
}

const BLOCK_MS_MAX = 1;
/** Beyond 24 days, the runtime's timers fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;
/** Shorter timers set a rhythm instead of limiting a wait. */
const LIMIT_MS_MIN = 1_000;
/** If a timer is this late, the whole process was stopped. */
const STOPPED_MS = 1_000;
/**
 * The runtime runs timers before it reads sockets: the awaited data may have arrived in the
 * meantime.
 */
const READ_FIRST_MS = 100;
/**
 * A cell for waiting, never notified. Created on first use: a browser page has no shared memory and
 * never blocks.
 */
let blockingCell: Int32Array<SharedArrayBuffer> | null = null;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, task) {
    if (delayMs < LIMIT_MS_MIN) {
      const handle = setTimeout(task, delayMs);
      return { cancel: () => clearTimeout(handle) };
    }
    const dueMs = performance.now() + delayMs;
    const fire = () => {
      const lateMs = performance.now() - dueMs;
      if (lateMs < -LIMIT_MS_MIN) handle = setTimeout(fire, Math.min(-lateMs, TIMER_MS_MAX));
      else if (lateMs < STOPPED_MS) task();
      else handle = setTimeout(task, READ_FIRST_MS);
    };
    let handle = setTimeout(fire, Math.min(delayMs, TIMER_MS_MAX));
    return { cancel: () => clearTimeout(handle) };
  },
  every(periodMs, task) {
    const handle = setInterval(task, Math.min(periodMs, TIMER_MS_MAX));
    return { cancel: () => clearInterval(handle) };
  },
  blockThread(ms) {
    blockingCell ??= new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    Atomics.wait(blockingCell, 0, 0, Math.min(BLOCK_MS_MAX, ms));
  },
};

/** The result of `work`, or null if it takes longer than `limitMs`. Leaves no timer. */
export async function within<Result>(
  clock: Clock,
  limitMs: number,
  work: Promise<Result>,
): Promise<Result | null> {
  const late = Promise.withResolvers<null>();
  const timer = clock.after(limitMs, () => late.resolve(null));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    timer.cancel();
  }
}

/** Resolves after `delayMs`, or rejects with the signal's reason when aborted first. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.after(delayMs, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** Resolves after one turn of the event loop: everything ready has been handled by then. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** `2026-11-21T04:05:06+00:00`: the format of times in responses (decisions 1). */
export function isoUtc(epochMs: number): string {
  const day = Math.floor(epochMs / DAY_MS);
  let date = dates.get(day);
  if (date === undefined) {
    date = new Date(epochMs).toISOString().slice(0, 10);
    dates.set(day, date);
  }
  const seconds = Math.floor((epochMs - day * DAY_MS) / 1000);
  const minutes = Math.floor(seconds / 60);
  const clock = `${TWO_DIGITS[Math.floor(minutes / 60)]}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds % 60]}`;
  return `${date}T${clock}+00:00`;
}

/** Rows of a list share a few dates, and formatting a date is the expensive part. */
const dates = new BoundedMap<number, string>(64);
const DAY_MS = 86_400_000;
const TWO_DIGITS = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, "0"));

/** `2026-11-21 04:05:06`: used only for `scheduled_at` of POST /calls. */
export function spaceSeparatedUtc(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 19).replace("T", " ");
}
