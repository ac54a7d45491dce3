/**
 * Writes a consistent copy of the database to one file while it is in use (`VACUUM INTO` reads one snapshot;
 * writers continue). Blocks its thread until the copy is done: a running server must use the backup worker.
 */
import { Database as Sqlite } from "bun:sqlite";
import { closeSync, existsSync, openSync, rmSync, statSync } from "node:fs";
import { conflict } from "../../core/errors.ts";
import { moveDurably } from "../../platform/files/durable-file.ts";

const BUSY_TIMEOUT_MS = 30_000;
const PRIVATE_FILE = 0o600;

/** Suffix of an unfinished copy. */
export const PARTIAL = ".partial";

/** Writes `target` (0600), which must not exist yet. Returns its size in bytes. Throws conflict. */
export function writeSnapshot(databasePath: string, target: string): number {
  if (existsSync(target))
    throw conflict(
      `${target} already exists. Use another file name; backups are never overwritten.`,
    );
  const partial = `${target}${PARTIAL}`;
  rmSync(partial, { force: true });
  // Created first, so that it never has other permissions. SQLite accepts an empty file.
  closeSync(openSync(partial, "wx", PRIVATE_FILE));
  try {
    const source = new Sqlite(databasePath, { readwrite: true, create: false });
    try {
      source.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
      source.run("VACUUM INTO ?", [partial]);
    } finally {
      source.close(true);
    }
    const bytes = statSync(partial).size;
    moveDurably(partial, target);
    return bytes;
  } finally {
    rmSync(partial, { force: true });
  }
}
