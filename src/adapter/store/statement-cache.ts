/**
 * Compiled statements, kept by their text: Drizzle has each query compiled anew, which costs more than
 * running it. Sharing one is safe because every use binds, runs and reads to its end in one call.
 * Bounded; what was not asked for longest goes first and is finalised when nobody holds it any more.
 */
import { type SQLQueryBindings, Database as Sqlite, type Statement } from "bun:sqlite";

/** More than the appliance has; lists of changing length (`IN (?, ?, …)`) make more. */
const STATEMENTS_MAX = 512;

type Prepared<Row, Params extends SQLQueryBindings | SQLQueryBindings[]> = ReturnType<
  typeof Sqlite.prototype.prepare<Row, Params>
>;

/** A connection whose `prepare` answers what it answered before to the same text. */
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
