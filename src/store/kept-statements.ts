/**
 * Compiled statements, kept by their text: Drizzle has each query compiled anew, which costs more than
 * running it. Sharing one is safe because every use binds, runs and reads to its end in one call.
 * Bounded; what was not asked for longest goes first and is finalised when nobody holds it any more.
 */
import type { Database as Sqlite, Statement } from "bun:sqlite";

/** More than the appliance has; lists of changing length (`IN (?, ?, …)`) make more. */
const STATEMENTS_MAX = 512;

/** From here on `sqlite.prepare` answers what it answered before to the same text. */
export function keepStatements(sqlite: Sqlite): void {
  const kept = new Map<string, Statement>();
  const compile = sqlite.prepare.bind(sqlite);

  function prepare(text: string): Statement {
    const known = kept.get(text);
    if (known) kept.delete(text);
    const statement = known ?? compile(text);
    kept.set(text, statement);
    if (kept.size > STATEMENTS_MAX) {
      const [oldest] = kept.keys();
      if (oldest !== undefined) kept.delete(oldest);
    }
    return statement;
  }

  sqlite.prepare = prepare as Sqlite["prepare"];
}
