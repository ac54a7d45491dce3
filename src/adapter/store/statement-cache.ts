/**
 * Caches compiled statements by their text: Drizzle compiles each query again, which costs more
 * than running it. Sharing a statement is safe because every use binds, runs and reads to the end
 * in one call. Bounded; the least recently used statement is removed, and finalised when it is no
 * longer in use.
 */
import { type SQLQueryBindings, Database as Sqlite, type Statement } from "bun:sqlite";

/** More than the appliance has; lists of varying length (`IN (?, ?, …)`) add more. */
const STATEMENTS_MAX = 512;

type Prepared<Row, Params extends SQLQueryBindings | SQLQueryBindings[]> = ReturnType<
  typeof Sqlite.prototype.prepare<Row, Params>
>;

/** A connection whose `prepare` returns the cached statement for the same text. */
export class StatementCachingSqlite extends Sqlite {
  readonly #statements = new Map<string, Statement>();

  override prepare<Row, Params extends SQLQueryBindings | SQLQueryBindings[]>(
    text: string,
  ): Prepared<Row, Params> {
    const known = this.#statements.get(text);
    if (known) this.#statements.delete(text);
    const statement = known ?? super.prepare(text);
    this.#statements.set(text, statement);
    if (this.#statements.size > STATEMENTS_MAX) {
      const [oldest] = this.#statements.keys();
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    return statement as Prepared<Row, Params>;
  }
}
