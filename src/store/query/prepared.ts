/**
 * Prepared statements. Building a query costs ten times as much as running it, so frequent queries are built
 * once per connection. Arguments have names: `arg("tenantId")` in the query, `{ tenantId }` when it runs.
 */
import { type Placeholder, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";

export const arg = <Name extends string>(name: Name): Placeholder<Name> => sql.placeholder(name);

/** A selected column of JSON text, for rows of other tables in the same query. */
export const parsedJson = <Value>(json: SQL) =>
  sql`${json}`.mapWith((text: string) => JSON.parse(text) as Value);

/** A prepared statement. `build` must always build the same one. */
export function statement<Statement>(
  build: (queries: Queries) => Statement,
): (queries: Queries) => Statement {
  const built = new WeakMap<Queries, Statement>();
  return (queries) => {
    const known = built.get(queries);
    if (known) return known;
    const made = build(queries);
    built.set(queries, made);
    return made;
  };
}

/**
 * Like `statement`, for rows and changes with varying columns: one statement per set of columns. `build` gets
 * the row with arguments named like the columns in place of its values. A null stays null, because a column's
 * encoder would take it for a value.
 */
export function rowStatement<Given extends object, Statement>(
  build: (queries: Queries, row: Given) => Statement,
): (queries: Queries, row: Given) => Statement {
  const shapes = new Map<string, (queries: Queries) => Statement>();
  return (queries, row) => {
    const given: [string, unknown][] = Object.entries(row);
    const columns = given.filter(([, value]) => value !== undefined);
    const shape = columns.map(([name, value]) => (value === null ? `${name}=null` : name)).join();
    const known = shapes.get(shape);
    if (known) return known(queries);
    const slots = columns.map(([name, value]) => [name, value === null ? null : arg(name)]);
    const made = statement((on) => build(on, Object.fromEntries(slots) as Given));
    shapes.set(shape, made);
    return made(queries);
  };
}
