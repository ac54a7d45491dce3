/**
 * Copies an existing database before its migration: `<data>/backups/before-<tag>.db`, 0600, named after the
 * first missing migration. Used to return to the previous version.
 *
 * One copy per upgrade: a repeated attempt replaces it, so that a server in a restart loop does not fill the
 * disk. No migration ran in between, so nothing is lost.
 */
import { Database as Sqlite } from "bun:sqlite";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AppError, describeError } from "../../core/errors.ts";
import { moveDurably } from "../../platform/files/durable-file.ts";
import { type Migration, migrationStatus } from "../../store/migration/migrate.ts";
import { migrations } from "../../store/migration/migrations.ts";
import { backupsDirOf } from "./backups.ts";
import { writeSnapshot } from "./snapshot.ts";

/**
 * Returns the path of the copy; null if no copy or migration is needed. Throws MigrationRejected, with the
 * file unchanged, or AppError if the copy fails. After an error no migration may run.
 */
export function copyBeforeUpgrade(
  dataDir: string,
  databasePath: string,
  list: readonly Migration[] = migrations,
): string | null {
  const tag = firstMissing(databasePath, list);
  if (tag === null) return null;
  const directory = backupsDirOf(dataDir);
  const target = join(directory, `before-${tag}.db`);
  const fresh = `${target}.new`;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    rmSync(fresh, { force: true });
    writeSnapshot(databasePath, fresh);
    moveDurably(fresh, target);
    return target;
  } catch (error) {
    throw new AppError({
      code: "unavailable",
      publicMessage: `The database must be upgraded, but the copy to ${target} failed (${describeError(error)}). Nothing was changed. Free up disk space there and try again.`,
    });
  }
}

/** Null if the database is missing, empty or up to date. */
function firstMissing(databasePath: string, list: readonly Migration[]): string | null {
  if (!existsSync(databasePath)) return null;
  const stored = new Sqlite(databasePath, { readwrite: true, create: false });
  try {
    stored.run("PRAGMA busy_timeout = 5000");
    const known = stored.query("SELECT 1 FROM sqlite_schema WHERE name = 'migrations'").get();
    if (known === null) return null;
    const status = migrationStatus(stored, list);
    if (!status.some(({ applied }) => applied)) return null;
    return status.find(({ applied }) => !applied)?.tag ?? null;
  } finally {
    stored.close(true);
  }
}
