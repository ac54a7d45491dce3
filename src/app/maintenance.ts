/**
 * Maintenance of the data while the appliance runs: backups, retention, disk space, checks. For a
 * libSQL server, its operator makes the backups and checks.
 */

import type { Clock, ClockTrust } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import type { Log } from "../core/log.ts";
import { Retention } from "../features/privacy/retention.ts";
import { retentionStore } from "../features/privacy/retention-store.ts";
import { type Backups, backupsDirOf, createBackups } from "../ops/backup/backups.ts";
import { startNightlyBackup } from "../ops/backup/nightly.ts";
import { runDatabaseJob } from "../ops/backup/run-database-job.ts";
import { watchDirectory } from "../ops/directory-watch.ts";
import { type DiskWatch, type FreeDiskBytes, freeBytesOf, watchDisk } from "../ops/disk-watch.ts";
import { watchIntegrity } from "../ops/integrity-watch.ts";
import { spawnDatabaseWorker } from "../workers.ts";
import { rehearsalRuns } from "./rehearsal-runs.ts";
import type { AppSettings } from "./settings.ts";
import { type DataPaths, requireFile } from "./storage.ts";

export interface Maintenance {
  readonly backups: Backups;
  readonly disk: DiskWatch;
  /** Problems that the operator should fix although calls continue, one sentence each. */
  warnings(): readonly string[];
  /** Reason why the last nightly backup failed; null if it succeeded. */
  backupProblem(): string | null;
  stop(): Promise<void>;
}

export function startMaintenance(
  { dataDir, storage, mail }: Pick<AppSettings, "dataDir" | "storage" | "mail">,
  paths: DataPaths,
  deps: {
    readonly database: Database;
    readonly clock: Clock;
    readonly trust: Pick<ClockTrust, "mayDelete">;
    readonly log: Log;
    /** Default: free bytes of the data directory's file system. */
    readonly freeDiskBytes?: FreeDiskBytes;
  },
): Maintenance {
  const { database, clock, trust, log } = deps;
  const disk = watchDisk({ freeBytes: deps.freeDiskBytes ?? freeBytesOf(dataDir), clock, log });
  const recordings = watchRecordings(paths.recordings, { clock, log });
  const { backups, nightly } = startBackups({ dataDir, storage }, paths, { clock, trust, log });
  const retention = new Retention({
    database,
    records: retentionStore,
    clock,
    trust,
    log,
    recordingsDir: paths.recordings,
    outboxDir: paths.outbox,
    outboxDays: mail.outboxKeepDays,
    transcriptsDays: storage.transcriptsRetentionDays,
    recordingsDays: storage.recordingsRetentionDays,
    expireRehearsals: (before) => rehearsalRuns(dataDir).expire(before),
  });
  retention.start();

  const integrity = storage.remote ? null : watchFile(paths.database, { clock, log });

  return {
    backups,
    disk,
    warnings: () =>
      [
        disk.warning(),
        recordings.warning(),
        nightly.problem(),
        integrity?.problem() ?? null,
      ].filter((problem) => problem !== null),
    backupProblem: () => nightly.problem(),
    async stop() {
      disk.stop();
      recordings.stop();
      integrity?.stop();
      await retention.stop();
      await nightly.stop();
    },
  };
}

function watchFile(database: string, { clock, log }: { clock: Clock; log: Log }) {
  return watchIntegrity({
    check: () => runDatabaseJob<"integrity">(spawnDatabaseWorker, { type: "integrity", database }),
    clock,
    log,
  });
}

function startBackups(
  { dataDir, storage }: Pick<AppSettings, "dataDir" | "storage">,
  paths: DataPaths,
  {
    clock,
    trust,
    log,
  }: {
    readonly clock: Clock;
    readonly trust: Pick<ClockTrust, "mayDelete">;
    readonly log: Log;
  },
) {
  const backups = createBackups({
    dataDir,
    databasePath: paths.database,
    clock,
    requireFile: () => requireFile(storage.remote?.url ?? null, "A backup"),
    write: (database, target) =>
      runDatabaseJob<"snapshot">(spawnDatabaseWorker, { type: "snapshot", database, target }),
  });
  const nightly = startNightlyBackup({
    backups,
    verify: (file) =>
      runDatabaseJob<"verify">(spawnDatabaseWorker, {
        type: "verify",
        file,
        scratchDir: backupsDirOf(dataDir),
        nowMs: clock.now(),
      }),
    at: storage.remote ? null : storage.backupAt,
    keep: storage.backupKeep,
    clock,
    trust,
    log,
  });
  return { backups, nightly };
}

function watchRecordings(
  directory: string,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
) {
  const watch = watchDirectory({ directory, clock, log });
  return {
    warning(): string | null {
      const problem = watch.problem();
      return problem === null
        ? null
        : `New calls are not recorded: ${directory} cannot be written to (${problem}).`;
    },
    stop: () => watch.stop(),
  };
}
