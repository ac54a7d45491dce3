/** Checks the database at start. A damaged database must not be used: every write would make it worse. */

import { AppError, describeError } from "../../core/errors.ts";
import { fileProblems } from "../../store/sqlite/integrity.ts";
import { listBackups } from "./backups.ts";

/**
 * Reads every page (`quick_check`). Throws unavailable: with the restore command for a damaged database,
 * otherwise with a hint.
 */
export function requireWholeDatabase(dataDir: string, databasePath: string): void {
  const [first] = problemsOf(databasePath);
  if (first === undefined) return;
  const newest = listBackups(dataDir)[0]?.file;
  const way = newest
    ? `Restore the newest backup with \`linevoice restore ${newest}\`. The damaged file is kept.`
    : "There is no backup in the data directory. If you have a copy elsewhere, restore it with `linevoice restore F`. The damaged file is kept.";
  throw new AppError({
    code: "unavailable",
    publicMessage: `The database ${databasePath} is damaged (${first.replace(/\s+/g, " ").trim()}). ${way}`,
  });
}

function problemsOf(databasePath: string): string[] {
  try {
    return fileProblems(databasePath, "quick_check");
  } catch (error) {
    throw new AppError({
      code: "unavailable",
      publicMessage: `The database ${databasePath} cannot be opened (${describeError(error)}). It may be undamaged. Check whether its disk is full, read-only or failing: df -h ${databasePath}; dmesg`,
      cause: error,
    });
  }
}
