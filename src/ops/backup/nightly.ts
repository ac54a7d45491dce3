/**
 * The nightly backup: creates it, verifies it with a trial restore, then prunes the oldest. A backup that
 * fails verification is kept for inspection, and no older one is deleted.
 */
import { type Clock, type ClockTrust, systemClock } from "../../core/clock.ts";
import { startCron } from "../../core/cron.ts";
import { AppError, describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { Backups } from "./backups.ts";
import type { BackupReport } from "./verify.ts";

interface NightlyBackup {
  /** Makes a backup now. Never rejects. */
  run(): Promise<void>;
  /** Reason for the failure of the last backup, in one sentence; null if it succeeded. */
  problem(): string | null;
  /** Resolves when the running backup, if any, has finished. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

export function startNightlyBackup(options: {
  readonly backups: Backups;
  readonly verify: (file: string) => Promise<BackupReport>;
  /** Cron pattern, in the machine's local time; null: only `run` makes backups. */
  readonly at: string | null;
  readonly keep: number;
  /** If it returns false (untrusted clock), all backups are kept. Default: always true. */
  readonly trust?: Pick<ClockTrust, "mayDelete">;
  readonly log: Log;
  /** Default: the system clock. */
  readonly clock?: Clock;
}): NightlyBackup {
  const { backups, verify, at, keep, trust, log, clock = systemClock } = options;
  let problem: string | null = null;
  let running: Promise<void> | null = null;

  async function backUp(): Promise<void> {
    const { file, size_bytes } = await backups.create(null);
    const report = await verify(file);
    if (!report.ok) throw new Error(`${file} cannot be restored: ${report.problems.join(" ")}`);
    if (trust?.mayDelete() !== false) backups.prune(keep, file);
    problem = null;
    log.info("backup.made", { file, bytes: size_bytes });
  }

  function run(): Promise<void> {
    running ??= backUp()
      .catch((error) => {
        const reason = error instanceof AppError ? error.publicMessage : describeError(error);
        problem = `The last backup failed: ${reason}`;
        log.error("backup.failed", { error: reason });
      })
      .finally(() => {
        running = null;
      });
    return running;
  }

  const cron = at === null ? null : startCron(clock, at, () => void run());
  return {
    run,
    problem: () => problem,
    async idle() {
      await running;
    },
    async stop() {
      cron?.cancel();
      await running;
    },
  };
}
