/**
 * Drizzle's driver for a libSQL server. It only executes single statements. Rows of a query with known
 * columns stay arrays; only those of raw SQL become objects.
 */
import type { Client, InStatement } from "@libsql/client/http";
import type { SQL } from "drizzle-orm";
import { LibSQLSession } from "drizzle-orm/libsql";
import {
  BaseSQLiteDatabase,
  type PreparedQueryConfig,
  SQLiteAsyncDialect,
} from "drizzle-orm/sqlite-core";
import type { Queries } from "../../core/database.ts";
import { NO_ROWS, type Query, type Rows } from "./hrana-json.ts";

type Execute = (query: Query) => Promise<Rows>;

/** The server manages its checkpoints and rejects this pragma. */
const isServerManaged = ({ sql }: Query) => /^PRAGMA wal_checkpoint/i.test(sql);

export function queriesOf(execute: Execute): Queries {
  const dialect = new SQLiteAsyncDialect();
  const session = new RowSession(execute, dialect);
  return new BaseSQLiteDatabase("async", dialect, session, undefined);
}

type Schema = Record<string, never>;

class RowSession extends LibSQLSession<Schema, Schema> {
  readonly #raw: LibSQLSession<Schema, Schema>;
  readonly #dialect: SQLiteAsyncDialect;

  constructor(execute: Execute, dialect: SQLiteAsyncDialect) {
    super(clientOf(execute, asTheyAre), dialect, undefined, {}, undefined);
    this.#dialect = dialect;
    this.#raw = new LibSQLSession(clientOf(execute, asObjects), dialect, undefined, {}, undefined);
  }

  override prepareQuery<Config extends Omit<PreparedQueryConfig, "run">>(
    ...query: Parameters<LibSQLSession<Schema, Schema>["prepareQuery"]>
  ) {
    const [, fields, , , mapper] = query;
    return fields || mapper
      ? super.prepareQuery<Config>(...query)
      : this.#raw.prepareQuery<Config>(...query);
  }

  /** Rows as arrays, for `$count`. */
  override values<Row extends unknown[]>(query: SQL): Promise<Row[]> {
    const written = this.#dialect.sqlToQuery(query);
    type Arrays = PreparedQueryConfig & { readonly values: Row[] };
    return super.prepareQuery<Arrays>(written, undefined, "all", true).values();
  }
}

function clientOf(execute: Execute, present: (rows: Rows) => unknown): Client {
  const facade = {
    async execute(statement: InStatement): Promise<unknown> {
      const query =
        typeof statement === "string"
          ? { sql: statement, args: [] }
          : { sql: statement.sql, args: Object.values(statement.args ?? []) };
      return isServerManaged(query) ? NO_ROWS : present(await execute(query));
    },
  };
  return facade as unknown as Client;
}

const asTheyAre = (rows: Rows) => rows;

/** Raw SQL refers to columns by name. */
const asObjects = ({ columns, rows, rowsAffected }: Rows) => ({
  columns,
  rows: rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]]))),
  rowsAffected,
});
