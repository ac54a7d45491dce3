/**
 * What looks after the data while the appliance runs: backups, retention, room, checks. A database
 * on a libSQL server is backed up and checked there, by its operator.
 */
import { Cron } from "croner";
import { type Backups, backupsDirOf, createBackups } from "../backup/backups.ts";
import { startNightlyBackup } from "../backup/nightly.ts";
import type { Clock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { type DiskWatch, type FreeDiskBytes, freeBytesOf, watchDisk } from "../ops/disk-watch.ts";
import { startRetention } from "../retention/retention.ts";
import type { Database } from "../store/database.ts";
import { runDatabaseJob } from "../worker/run-database-job.ts";
import { spawnDatabaseWorker } from "../workers.ts";
import type { AppSettings } from "./settings.ts";
import { type DataPaths, requireFile } from "./storage.ts";

/** Sundays, after the nightly backup's usual time. */
const INTEGRITY_AT = "0 5 * * 0";

export interface Upkeep {
  readonly backups: Backups;
  readonly disk: DiskWatch;
  /** What the operator should mend although calls go on, one sentence each. */
  warnings(): readonly string[];
  /** The last nightly backup failed: why. */
  backupProblem(): string | null;
  stop(): Promise<void>;
}

export function startUpkeep(
  { dataDir, storage }: Pick<AppSettings, "dataDir" | "storage">,
  paths: DataPaths,
  deps: {
    readonly database: Database;
    readonly clock: Clock;
    readonly log: Log;
    /** Default: of the data directory's file system. */
    readonly freeDiskBytes?: FreeDiskBytes;
  },
): Upkeep {
  const { database, clock, log } = deps;
  const databasePath = paths.database;
  const disk = watchDisk({
    freeBytes: deps.freeDiskBytes ?? freeBytesOf(dataDir),
    ...{ clock, log },
  });
  const backups = createBackups({
    ...{ dataDir, databasePath, clock },
    requireFile: () => requireFile(storage.remote?.url ?? null, "A backup"),
    write: (database, target) =>
      runDatabaseJob<"snapshot">(spawnDatabaseWorker, { type: "snapshot", database, target }),
  });
  const nightly = startNightlyBackup({
    backups,
    verify: (file) =>
      runDatabaseJob<"verify">(spawnDatabaseWorker, {
        type: "verify",
        ...{ file, scratchDir: backupsDirOf(dataDir), nowMs: clock.now() },
      }),
    at: storage.remote ? null : storage.backupAt,
    keep: storage.backupKeep,
    log,
  });

  const retention = startRetention({
    ...{ database, clock, log },
    recordingsDir: paths.recordings,
    outboxDir: paths.outbox,
    transcriptsDays: storage.transcriptsRetentionDays,
    recordingsDays: storage.recordingsRetentionDays,
  });

  let damage: string | null = null;
  async function checkIntegrity(): Promise<void> {
    const job = { type: "integrity", database: databasePath } as const;
    const [first] = await runDatabaseJob<"integrity">(spawnDatabaseWorker, job);
    damage = first === undefined ? null : `The database is damaged: ${first}`;
    if (damage === null) log.info("database.whole");
    else log.error("database.damaged", { error: first });
  }
  const checkWeekly = () => {
    checkIntegrity().catch((error) =>
      log.error("database.check_failed", { error: describeError(error) }),
    );
  };
  const weekly = storage.remote ? null : new Cron(INTEGRITY_AT, checkWeekly);

  return {
    backups,
    disk,
    warnings: () =>
      [disk.warning(), nightly.problem(), damage].filter((problem) => problem !== null),
    backupProblem: () => nightly.problem(),
    async stop() {
      disk.stop();
      weekly?.stop();
      await retention.stop();
      await nightly.stop();
    },
  };
}
