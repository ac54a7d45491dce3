/**
 * Returns 503 quickly if the store hangs. After half a second of waiting, the store is pinged; if it does not
 * respond within a second, the request fails. Slow work on a responsive store continues.
 */
import type { Clock, Timer } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import { AppError, describeError } from "../core/errors.ts";

const ASK_EVERY_MS = 500;
const ANSWER_MS_MAX = 1_000;

/**
 * Rejects with unavailable if the store does not respond; the result of the work is then ignored. For reads
 * only, because the result of a change must be reported.
 */
export type StoreDeadline = <Result>(work: Promise<Result>) => Promise<Result>;

export function createStoreDeadline(deps: {
  readonly database: Pick<Database, "ping">;
  readonly clock: Clock;
}): StoreDeadline {
  const { database, clock } = deps;
  /** One shared ping for all waiting requests. */
  let asking: Promise<void> | null = null;

  function ask(): Promise<void> {
    asking ??= database.ping().finally(() => {
      asking = null;
    });
    return asking;
  }

  return (work) =>
    new Promise((resolve, reject) => {
      let timer: Timer | null = null;
      let isOver = false;
      const settle = (finish: () => void) => {
        if (isOver) return;
        isOver = true;
        timer?.cancel();
        finish();
      };
      const fail = (why: string) => settle(() => reject(storeHangs(why)));
      const watch = () => {
        timer = clock.after(ASK_EVERY_MS, () => {
          timer = clock.after(ANSWER_MS_MAX, () => fail("it does not answer"));
          ask().then(
            () => {
              timer?.cancel();
              if (!isOver) watch();
            },
            (error) => fail(describeError(error)),
          );
        });
      };
      watch();
      work.then(
        (result) => settle(() => resolve(result)),
        (error) => settle(() => reject(error)),
      );
    });
}

const storeHangs = (why: string) =>
  new AppError({
    code: "unavailable",
    publicMessage: "The storage is out of reach. Try again in a few seconds.",
    internal: `the store does not respond: ${why}`,
  });
