/**
 * Checks the database at start. A damaged database must not be used: every write would make it
 * worse.
 */

import { fileProblems } from "../../adapter/store/integrity.ts";
import { AppError } from "../../core/errors.ts";
import { listBackups } from "./backups.ts";

/**
 * Reads every page (`quick_check`). Throws unavailable, with the command that restores a backup.
 */
export function requireWholeDatabase(dataDir: string, databasePath: string): void {
  const [first] = fileProblems(databasePath, "quick_check");
  if (first === undefined) return;
  const newest = listBackups(dataDir)[0]?.file;
  const way = newest
    ? `Restore the newest backup with \`linevoice restore ${newest}\`; the damaged file is kept.`
    : "There is no backup in the data directory; restore a copy of yours with `linevoice restore F`. The damaged file is kept.";
  throw new AppError({
    code: "unavailable",
    publicMessage: `The database ${databasePath} is damaged (${first.replace(/\s+/g, " ").trim()}). ${way}`,
  });
}
