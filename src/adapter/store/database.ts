/**
 * The database: one SQLite file in WAL mode, reached through Drizzle. Two connections: `read` for
 * statements on their own, one writer inside `tx`, so that transactions never share a connection
 * with anything else. Runs on the main thread only.
 *
 * Stores are written against the asynchronous face of Drizzle, so that the same code runs on a
 * libSQL server (remote-database.ts). A `tx` body awaits nothing but its own queries: it holds the
 * only writer.
 */
import type { Database as Sqlite } from "bun:sqlite";
import { drizzle } from "drizzle-orm/bun-sqlite";
import type { Database, Queries } from "../../core/database.ts";
import { groupCommit } from "./group-commit.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations.gen.ts";
import { revocationNotes } from "./revocation-notes.ts";
import * as schema from "./schema/index.ts";
import { StatementCachingSqlite } from "./statement-cache.ts";

const BUSY_TIMEOUT_MS = 5000;

function connect(path: string): Sqlite {
  const sqlite = new StatementCachingSqlite(path, { create: true, strict: true });
  sqlite.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  sqlite.run("PRAGMA journal_mode = WAL");
  sqlite.run("PRAGMA synchronous = FULL");
  sqlite.run("PRAGMA foreign_keys = ON");
  sqlite.run("PRAGMA temp_store = MEMORY");
  return sqlite;
}

/** One cast for the whole project: the driver is synchronous, its builders are awaited all the same. */
const queriesOf = (sqlite: Sqlite) => drizzle(sqlite, { schema }) as unknown as Queries;

/** Opens (and makes, and migrates) the file. Throws MigrationRejected for a newer database. */
export function openDatabase(path: string, nowMs: number): Database {
  const writer = connect(path);
  try {
    migrate(writer, migrations, nowMs);
  } catch (error) {
    writer.close(true);
    throw error;
  }
  const reader = connect(path);
  const writes = groupCommit(writer, queriesOf(writer));
  const dataVersion = reader.query<{ data_version: number }, []>("PRAGMA data_version");
  const ownChanges = reader.query<{ n: number }, []>("SELECT total_changes() AS n");

  return {
    read: queriesOf(reader),
    tx: (body) => writes.run(body),
    ...revocationNotes(),
    // The pragma counts what others commit; what this connection itself wrote is added to it.
    version: () => (dataVersion.get()?.data_version ?? 0) + (ownChanges.get()?.n ?? 0),
    async ping() {
      reader.query("SELECT 1").get();
    },
    async close() {
      await writes.idle();
      reader.close(true);
      try {
        writer.run("PRAGMA wal_checkpoint(TRUNCATE)");
      } catch {
        // A disk that takes no writes: the log beside the file holds what is missing in it.
      }
      writer.close(true);
    },
  };
}
