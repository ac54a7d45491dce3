/** `PRAGMA integrity_check` once a week, beside the calls: what it finds is logged and said until it is mended. */
import type { Clock } from "../../core/clock.ts";
import { startCron } from "../../core/cron.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";

/** Sundays, after the nightly backup's usual time. */
const INTEGRITY_AT = "0 5 * * 0";

interface IntegrityWatch {
  /** What the last check found, in one sentence; null: nothing, or none was made yet. */
  problem(): string | null;
  /** A check under way is not waited for: its worker ends with the process. */
  stop(): void;
}

/** `check` answers SQLite's words, none when the database is whole; it may take an hour and may reject. */
export function watchIntegrity(options: {
  readonly check: () => Promise<readonly string[]>;
  readonly clock: Clock;
  readonly log: Log;
}): IntegrityWatch {
  const { check, clock, log } = options;
  let problem: string | null = null;

  async function poll(): Promise<void> {
    const [first] = await check();
    problem = first === undefined ? null : `The database is damaged: ${first}`;
    if (problem === null) log.info("database.whole");
    else log.error("database.damaged", { error: first });
  }

  const weekly = startCron(clock, INTEGRITY_AT, () => {
    poll().catch((error) => log.error("database.check_failed", { error: describeError(error) }));
  });
  return {
    problem: () => problem,
    stop: () => weekly.cancel(),
  };
}
