/** Counts database rows that are missing in a backup. A restore would lose them. */
import { Database as Sqlite } from "bun:sqlite";
import { existsSync } from "node:fs";

/** Tables with important rows, in the words of the command line. */
const COUNTED: readonly (readonly [table: string, one: string, many: string])[] = [
  ["tenants", "company", "companies"],
  ["calls", "call", "calls"],
  ["schedules", "scheduled call", "scheduled calls"],
  ["ledger_transactions", "entry of the ledger", "entries of the ledger"],
  ["contacts", "contact", "contacts"],
  ["files", "file", "files"],
  ["audit_entries", "entry of the audit log", "entries of the audit log"],
];

/**
 * `["2 calls", "1 contact"]`; empty if the backup has all rows. Calls with a changed status count as well;
 * other changes do not. Throws if one of the two cannot be read.
 */
export function lostSince(databasePath: string, backup: string): string[] {
  if (!existsSync(databasePath)) return [];
  const sqlite = new Sqlite(databasePath, { readwrite: true, create: false });
  try {
    sqlite.run("PRAGMA busy_timeout = 5000");
    sqlite.run("ATTACH ? AS backup", [backup]);
    return COUNTED.flatMap(([table, one, many]) => {
      if (!isInBoth(sqlite, table)) return [];
      const count = newRows(sqlite, table);
      return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
    });
  } finally {
    sqlite.close(true);
  }
}

function isInBoth(sqlite: Sqlite, table: string): boolean {
  const found = (schema: string) =>
    sqlite.query(`SELECT 1 FROM ${schema}.sqlite_schema WHERE name = ?`).get(table) !== null;
  return found("main") && found("backup");
}

function newRows(sqlite: Sqlite, table: string): number {
  const isSame =
    table === "calls" ? "old.id = new.id AND old.status = new.status" : "old.id = new.id";
  const row = sqlite
    .query<{ count: number }, []>(
      `SELECT count(*) AS count FROM main.${table} new
        WHERE NOT EXISTS (SELECT 1 FROM backup.${table} old WHERE ${isSame})`,
    )
    .get();
  return row?.count ?? 0;
}
