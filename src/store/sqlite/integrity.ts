/**
 * Checks the database file. `quick_check` reads every page and takes about a second per gigabyte;
 * `integrity_check` also compares every index with its table.
 */
import { Database as Sqlite } from "bun:sqlite";
import { existsSync } from "node:fs";
import { describeError } from "../../core/errors.ts";

type IntegrityCheck = "quick_check" | "integrity_check";

const PROBLEMS_MAX = 5;
const BUSY_TIMEOUT_MS = 5000;

/**
 * Empty if the database is intact, otherwise SQLite's messages. Throws if the file cannot be read.
 */
export function integrityProblems(sqlite: Sqlite, check: IntegrityCheck): string[] {
  const rows = sqlite.query<Record<string, string>, []>(`PRAGMA ${check}(${PROBLEMS_MAX})`).all();
  return rows.flatMap((row) => Object.values(row)).filter((text) => text !== "ok");
}

/** True if the file itself is damaged. Other SQLite errors come from the disk: full, read-only, failing. */
export const isDamage = (error: unknown): boolean =>
  error instanceof Error && "code" in error && /^SQLITE_(CORRUPT|NOTADB)/.test(String(error.code));

/**
 * Checks a file through a separate connection. A missing file is not a problem. Throws errors other than
 * damage.
 */
export function fileProblems(path: string, check: IntegrityCheck): string[] {
  if (!existsSync(path)) return [];
  let sqlite: Sqlite | null = null;
  try {
    sqlite = new Sqlite(path, { readwrite: true, create: false });
    sqlite.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return integrityProblems(sqlite, check);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return [describeError(error)];
  } finally {
    sqlite?.close(true);
  }
}
