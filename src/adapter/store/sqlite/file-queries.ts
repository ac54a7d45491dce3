/**
 * Drizzle over a connection to a file. Parameters are written `+?`, which is the same value: SQLite 3.54
 * plans by what is bound to `column = ?` and `LIMIT ?`, and the runtime clears all parameters before each
 * run, which makes SQLite plan such a statement anew every time. That takes ten times as long as to run
 * it. The price: a partial index is only used where its condition stands in the query as text.
 */
import type { Database as Sqlite } from "bun:sqlite";
import { SQLiteBunSession } from "drizzle-orm/bun-sqlite";
import { BaseSQLiteDatabase, SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import type { Queries } from "../../../core/database.ts";

class PlannedOnce extends SQLiteSyncDialect {
  override escapeParam(): string {
    return "+?";
  }
}

/**
 * The only cast of this kind in the project: the driver is synchronous, but its builders can be
 * awaited.
 */
export function queriesOf(sqlite: Sqlite): Queries {
  const dialect = new PlannedOnce();
  const session = new SQLiteBunSession(sqlite, dialect, undefined);
  return new BaseSQLiteDatabase("sync", dialect, session, undefined) as unknown as Queries;
}
