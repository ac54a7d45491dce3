/** Timeout for a promise: a conversation never waits for an engine without limit. */
import type { Clock } from "../core/clock.ts";

/** Settles as `work` does, or rejects with `onTimeout()` after `timeoutMs`. */
export function withDeadline<Value>(
  clock: Clock,
  work: Promise<Value>,
  timeoutMs: number,
  onTimeout: () => Error,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(timeoutMs, () => reject(onTimeout()));
    work.then(
      (value) => {
        timer.cancel();
        resolve(value);
      },
      (error) => {
        timer.cancel();
        reject(error);
      },
    );
  });
}
