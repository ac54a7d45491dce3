/**
 * The port of time. Everything that waits or dates something takes a `Clock`, so that tests can
 * turn the hands; only this file touches the system's timers and dates (held by test/tidy.test.ts).
 */
export interface Timer {
  /** Idempotent. */
  cancel(): void;
}

export interface Clock {
  /** Wall clock, milliseconds since the epoch, UTC. May jump. */
  now(): number;
  /** Monotonic milliseconds (fractional) from an arbitrary start. Never goes back. */
  monotonic(): number;
  /** Runs `task` once after `delayMs`; its owner must cancel it. */
  after(delayMs: number, task: () => void): Timer;
  /** Runs `task` every `periodMs` until cancelled. */
  every(periodMs: number, task: () => void): Timer;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, task) {
    const handle = setTimeout(task, delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
  every(periodMs, task) {
    const handle = setInterval(task, periodMs);
    return { cancel: () => clearInterval(handle) };
  },
};

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

/** `2026-11-21T04:05:06+00:00`: times in responses (decisions.md 1). */
export function isoUtc(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}+00:00`;
}

/** `2026-11-21 04:05:06`: the one exception, `scheduled_at` of POST /calls. */
export function spaceSeparatedUtc(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 19).replace("T", " ");
}
