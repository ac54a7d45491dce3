/**
 * A store as plain SQL, in a file or on a libSQL server, for copying one into the other. Values are copied
 * exactly as stored.
 */
import { Database as Sqlite } from "bun:sqlite";
import { createClient, type InValue } from "@libsql/client/http";
import type { RemoteAddress } from "../libsql/database.ts";

export type StoredValue = null | bigint | number | string | Uint8Array;

interface RawStatement {
  readonly sql: string;
  readonly args?: readonly StoredValue[];
}

export interface RawStore {
  /** Name for messages. */
  readonly name: string;
  rows(sql: string, args?: readonly StoredValue[]): Promise<StoredValue[][]>;
  /** Runs all statements or none. Foreign keys are not enforced meanwhile. */
  write(statements: readonly RawStatement[]): Promise<void>;
  close(): void;
}

const REQUEST_MS = 60_000;

/** `readOnly`: nothing can be written, and all reads see the same state of the file. */
export function openRawFile(path: string, readOnly: boolean): RawStore {
  const sqlite = new Sqlite(path, { readwrite: true, create: !readOnly, safeIntegers: true });
  sqlite.run("PRAGMA busy_timeout = 5000");
  sqlite.run("PRAGMA foreign_keys = OFF");
  if (readOnly) {
    sqlite.run("PRAGMA query_only = ON");
    sqlite.run("BEGIN");
  }
  return {
    name: path,
    async rows(sql, args = []) {
      return sqlite.query<unknown, StoredValue[]>(sql).values(...args) as StoredValue[][];
    },
    async write(statements) {
      sqlite.transaction(() => {
        for (const { sql, args = [] } of statements) sqlite.query(sql).run(...args);
      })();
    },
    close: () => sqlite.close(),
  };
}

export function openRawServer({ url, authToken }: RemoteAddress): RawStore {
  const client = createClient({
    url,
    authToken: authToken ?? undefined,
    intMode: "bigint",
    fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(REQUEST_MS) }),
  });
  const stored = (value: unknown): StoredValue =>
    value instanceof ArrayBuffer ? new Uint8Array(value) : (value as StoredValue);
  return {
    name: url,
    async rows(sql, args = []) {
      const result = await client.execute({ sql, args: [...args] as InValue[] });
      return result.rows.map((row) => result.columns.map((_, index) => stored(row[index])));
    },
    async write(statements) {
      await client.migrate(
        statements.map(({ sql, args = [] }) => ({ sql, args: [...args] as InValue[] })),
      );
    },
    close: () => client.close(),
  };
}
