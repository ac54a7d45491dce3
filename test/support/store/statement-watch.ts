/** Which SQL the process runs, and which of it reads whole tables: the plans SQLite makes, shown. */
import { Database as Sqlite } from "bun:sqlite";
import { StatementCachingSqlite } from "../../../src/adapter/store/sqlite/statement-cache.ts";

export interface StatementWatch {
  readonly statements: ReadonlySet<string>;
  stop(): void;
}

/** From now on every statement that is asked for in this process is written down. */
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

/** From now on counts how often queries run on connections that this process opens. */
export function countQueries(): () => number {
  let runs = 0;
  onQuery(() => {
    runs++;
  });
  return () => runs;
}

/** From now on tells of each query that runs on a connection that this process opens. */
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
 * Statements that read one of these tables from end to end, with the step of the plan that does. A partial
 * index read from end to end is none: only the few rows that it is for stand in it.
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
