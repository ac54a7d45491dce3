/**
 * Replaces the database with a backup. The previous data is kept in `<data>/before-restore-<time>/`. The
 * caller holds the lock of the data directory, so no server is running.
 *
 * A crash in between leaves either the old database or the new one, never a mixture: the old write-ahead log
 * is checkpointed or moved away before the new file is renamed into place.
 */
import { Database as Sqlite } from "bun:sqlite";
import { chmodSync, copyFileSync, existsSync, linkSync, mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { conflict } from "../../core/errors.ts";
import { GRACE_MS } from "../../features/schedule/scheduler.ts";
import { flush, moveDurably } from "../../platform/files/durable-file.ts";
import { backupsDirOf } from "./backups.ts";
import { verifyBackup } from "./verify.ts";

interface Restored {
  readonly file: string;
  readonly database: string;
  /** Directory of the previous data; null: none. */
  readonly previousCopy: string | null;
  readonly tenants: number;
  readonly calls: number;
  /** Number of running campaigns that the restore paused. */
  readonly campaignsPaused: number;
}

/** Throws conflict, with every reason, for a backup that fails its check. Changes nothing in that case. */
export async function restoreBackup(options: {
  readonly file: string;
  readonly dataDir: string;
  readonly databasePath: string;
  readonly clock: Clock;
}): Promise<Restored> {
  const { file, dataDir, databasePath, clock } = options;
  const nowMs = clock.now();
  mkdirSync(backupsDirOf(dataDir), { recursive: true, mode: 0o700 });
  const report = await verifyBackup(file, backupsDirOf(dataDir), nowMs);
  if (!report.ok) throw conflict(`${file} was not restored: ${report.problems.join(" ")}`);
  const incoming = `${databasePath}.incoming`;
  rmSync(incoming, { force: true });
  copyFileSync(file, incoming);
  chmodSync(incoming, 0o600);
  const campaignsPaused = holdBackCalls(incoming, nowMs);
  endSessions(incoming);
  const previousCopy = setAsideOld(dataDir, databasePath, nowMs);
  for (const suffix of ["-wal", "-shm"]) rmSync(`${databasePath}${suffix}`, { force: true });
  moveDurably(incoming, databasePath);
  return {
    file,
    database: databasePath,
    previousCopy,
    tenants: report.tenants,
    calls: report.calls,
    campaignsPaused,
  };
}

/**
 * Calls due between the backup and now may have been made already, and must not be made again. The scheduler
 * reports scheduled calls past their grace period as missed. Calls of running campaigns are unknown, so the
 * campaigns are paused. Returns the number of paused campaigns.
 */
function holdBackCalls(path: string, nowMs: number): number {
  const sqlite = new Sqlite(path, { readwrite: true, create: false });
  try {
    sqlite.run(
      "UPDATE schedules SET lease_owner = NULL, lease_until = ? WHERE status = 'pending' AND schedule_at <= ?",
      [nowMs + GRACE_MS + 1000, nowMs],
    );
    return sqlite.run(
      "UPDATE campaigns SET status = 'paused', updated_at = ? WHERE status = 'running'",
      [nowMs],
    ).changes;
  } finally {
    sqlite.close(true);
  }
}

/** Sessions and tokens revoked or used since the backup must not become valid again. */
function endSessions(path: string): void {
  const sqlite = new Sqlite(path, { readwrite: true, create: false });
  try {
    for (const table of ["sessions", "one_time_links"])
      if (sqlite.query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table))
        sqlite.run(`DELETE FROM ${table}`);
  } finally {
    sqlite.close(true);
  }
}

function setAsideOld(dataDir: string, databasePath: string, nowMs: number): string | null {
  if (!existsSync(databasePath)) return null;
  foldWalIn(databasePath);
  const time = new Date(nowMs).toISOString().replaceAll(/[-:.]/g, "");
  const previousCopy = join(dataDir, `before-restore-${time}`);
  mkdirSync(previousCopy, { mode: 0o700 });
  for (const path of [databasePath, `${databasePath}-wal`])
    if (existsSync(path)) setAside(path, join(previousCopy, basename(path)));
  flush(previousCopy);
  flush(dataDir);
  return previousCopy;
}

/** A damaged database may refuse the checkpoint; then its log is kept unchanged. */
function foldWalIn(databasePath: string): void {
  let sqlite: Sqlite | null = null;
  try {
    sqlite = new Sqlite(databasePath, { readwrite: true, create: false });
    sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    return;
  } finally {
    sqlite?.close(true);
  }
}

/** Creates a hard link if the file system supports it, otherwise a copy. */
function setAside(path: string, target: string): void {
  try {
    linkSync(path, target);
  } catch {
    copyFileSync(path, target);
    flush(target);
  }
}
