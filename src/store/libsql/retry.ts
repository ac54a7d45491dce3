/**
 * Retries after a broken connection: at once, then with short pauses, for a bounded time. After one caller
 * has failed to reach the server, other callers retry only once.
 */
import { type Clock, sleep } from "../../core/clock.ts";
import { isSqlError, isTimeout, StoreUnreachable } from "./errors.ts";

const PAUSE_MS_MAX = 100;

/**
 * `attempt` gets whether it is a retry. Not retried: errors of statements, timeouts, and StoreUnreachable,
 * which an inner layer has already decided.
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
