/**
 * Records the SQL statements of the process, and finds those that read whole tables, from SQLite's
 * query plans.
 */
import { Database as Sqlite } from "bun:sqlite";
import { StatementCachingSqlite } from "../../../src/store/sqlite/statement-cache.ts";

export interface StatementWatch {
  readonly statements: ReadonlySet<string>;
  stop(): void;
}

/** Records every statement that this process prepares from now on. */
export function watchStatements(): StatementWatch {
  const statements = new Set<string>();
  const stops = [Sqlite.prototype, StatementCachingSqlite.prototype].map((prototype) => {
    const { prepare } = prototype;
    prototype.prepare = function (this: Sqlite, ...args: Parameters<typeof prepare>) {
      statements.add(args[0]);
      return prepare.apply(this, args);
    } as typeof prepare;
    return () => {
      prototype.prepare = prepare;
    };
  });
  return {
    statements,
    stop() {
      for (const stop of stops) stop();
    },
  };
}

/** Counts the queries on connections that this process opens from now on. */
export function countQueries(): () => number {
  let runs = 0;
  onQuery(() => {
    runs++;
  });
  return () => runs;
}

/** Calls `told` for each query on a connection that this process opens from now on. */
export function onQuery(told: (statement: string) => void): void {
  const { prepare } = Sqlite.prototype;
  Sqlite.prototype.prepare = function (this: Sqlite, ...args: Parameters<typeof prepare>) {
    const statement = prepare.apply(this, args);
    const [text] = args;
    if (!isQuery(text)) return statement;
    return Object.defineProperties(
      statement,
      Object.fromEntries(
        (["all", "get", "run", "values"] as const).map((name) => {
          const run = statement[name] as (...values: unknown[]) => unknown;
          const value = (...values: unknown[]) => {
            told(text);
            return run.apply(statement, values);
          };
          return [name, { value, configurable: true, writable: true }];
        }),
      ),
    );
  } as typeof prepare;
}

const isQuery = (statement: string) => /^\s*(select|with|insert|update|delete)\b/i.test(statement);

/**
 * Statements that scan one of these tables, with the step of the query plan. A scan of a partial
 * index does not count, because the index contains only the few wanted rows.
 */
export function wholeReads(
  databasePath: string,
  statements: Iterable<string>,
  tables: readonly string[],
): { readonly step: string; readonly statement: string }[] {
  const sqlite = new Sqlite(databasePath, { readonly: true });
  try {
    const partial = sqlite
      .query<{ name: string }, []>(
        "SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE '% WHERE %'",
      )
      .all()
      .map(({ name }) => name);
    const isWhole = (step: string) =>
      tables.some((table) => new RegExp(`^SCAN ${table}\\b`).test(step)) &&
      !partial.some((index) => step.endsWith(` ${index}`));
    return [...statements].filter(isQuery).flatMap((statement) =>
      sqlite
        .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${statement}`)
        .all()
        .filter(({ detail }) => isWhole(detail))
        .map(({ detail }) => ({ step: detail, statement })),
    );
  } finally {
    sqlite.close();
  }
}
