/**
 * Drizzle over a connection to a file. Parameters are written as `+?`, which has the same value. SQLite 3.54
 * plans `column = ?` and `LIMIT ?` by their bound values. The runtime clears all parameters before each run,
 * so SQLite would plan such a statement again every time. That takes ten times as long as running it.
 *
 * The price: a partial index is used only if the query contains its condition as literal text.
 */
import type { Database as Sqlite } from "bun:sqlite";
import { SQLiteBunSession } from "drizzle-orm/bun-sqlite";
import { BaseSQLiteDatabase, SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import type { Queries } from "../../core/database.ts";

class PlannedOnce extends SQLiteSyncDialect {
  override escapeParam(): string {
    return "+?";
  }
}

/** The only cast of this kind in the project: the driver is synchronous, but its builders can be awaited. */
export function queriesOf(sqlite: Sqlite): Queries {
  const dialect = new PlannedOnce();
  const session = new SQLiteBunSession(sqlite, dialect, undefined);
  return new BaseSQLiteDatabase("sync", dialect, session, undefined) as unknown as Queries;
}
