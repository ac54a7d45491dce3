/**
 * Caches compiled statements by their text: Drizzle compiles each query again, which costs more than running
 * it. Sharing a statement is safe because every use binds, runs and reads to the end in one call. Bounded:
 * the least recently used statement is removed, and finalised when it is no longer in use.
 */

import { type SQLQueryBindings, Database as Sqlite, type Statement } from "bun:sqlite";
import { BoundedMap } from "../../core/bounded-map.ts";

/** More than the appliance has. Lists of varying length (`IN (?, ?, …)`) add more. */
const STATEMENTS_MAX = 512;

type Prepared<Row, Params extends SQLQueryBindings | SQLQueryBindings[]> = ReturnType<
  typeof Sqlite.prototype.prepare<Row, Params>
>;

/** A connection whose `prepare` returns the cached statement for the same text. */
export class StatementCachingSqlite extends Sqlite {
  readonly #statements = new BoundedMap<string, Statement>(STATEMENTS_MAX);

  override prepare<Row, Params extends SQLQueryBindings | SQLQueryBindings[]>(
    text: string,
  ): Prepared<Row, Params> {
    const statement = this.#statements.get(text) ?? super.prepare(text);
    this.#statements.set(text, statement);
    return statement as Prepared<Row, Params>;
  }
}
