/**
 * Runs `PRAGMA integrity_check` once a week while calls continue. Problems are logged and reported until they
 * are fixed.
 */
import type { Clock } from "../core/clock.ts";
import { startCron } from "../core/cron.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";

/** Sundays, after the nightly backup's usual time. */
const INTEGRITY_AT = "0 5 * * 0";

interface IntegrityWatch {
  /** The result of the last check, in one sentence; null: no problem, or no check yet. */
  problem(): string | null;
  /** Does not wait for a running check: its worker ends with the process. */
  stop(): void;
}

/** `check` returns SQLite's messages, none if the database is intact. It may take an hour and may reject. */
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
    if (problem === null) log.info("database.ok");
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
