/**
 * Repeats what a broken connection has interrupted: at once, then with short pauses, for a bounded time.
 * While the server is away, which somebody has found out by waiting, others ask once more and no longer.
 */
import { type Clock, sleep } from "../../../core/clock.ts";
import { isSqlError, isTimeout, StoreUnreachable } from "./errors.ts";

const PAUSE_MS_MAX = 100;

/**
 * `attempt` is told whether it is repeated. Errors of statements, timeouts, and StoreUnreachable, which
 * somebody has concluded already, are not repeated.
 */
export type Retry = <Result>(attempt: (isRepeated: boolean) => Promise<Result>) => Promise<Result>;

export function retryWithin(limitMs: number, clock: Clock): Retry {
  let isAway = false;
  return async (attempt) => {
    const until = clock.monotonic() + limitMs;
    for (let pauseMs = 0; ; pauseMs = Math.min(PAUSE_MS_MAX, pauseMs * 2 + 1)) {
      const isRepeated = pauseMs > 0;
      try {
        const result = await attempt(isRepeated);
        isAway = false;
        return result;
      } catch (error) {
        if (isSqlError(error) || error instanceof StoreUnreachable) throw error;
        const isOver = clock.monotonic() >= until || (isRepeated && isAway);
        if (isOver || isTimeout(error)) {
          isAway = true;
          throw error;
        }
        if (isRepeated) await sleep(clock, pauseMs);
      }
    }
  };
}
