/** Opens the database read-only while a server is running. Migrates and changes nothing. */
import { Database as Sqlite } from "bun:sqlite";
import type { Queries } from "../../core/database.ts";
import { queriesOf } from "./file-queries.ts";

const BUSY_TIMEOUT_MS = 5000;

interface ReadOnlyDatabase {
  readonly sqlite: Sqlite;
  readonly queries: Queries;
  close(): void;
}

/** Throws if the file does not exist. */
export function openReadOnly(path: string): ReadOnlyDatabase {
  const sqlite = new Sqlite(path, { readwrite: true, create: false, strict: true });
  sqlite.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  sqlite.run("PRAGMA query_only = ON");
  return {
    sqlite,
    queries: queriesOf(sqlite),
    close: () => sqlite.close(true),
  };
}
