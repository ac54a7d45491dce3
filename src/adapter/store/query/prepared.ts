/**
 * Prepared statements. Building a query costs ten times as much as running it, so what calls need
 * often is built once per connection. Arguments are given by name: `arg("tenantId")` in the query,
 * `{ tenantId }` when it runs.
 */
import { type Placeholder, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../../core/database.ts";

export const arg = <Name extends string>(name: Name): Placeholder<Name> => sql.placeholder(name);

/** A selected column whose text is JSON: rows of other tables, read with the one row. */
export const parsedJson = <Value>(json: SQL) =>
  sql`${json}`.mapWith((text: string) => JSON.parse(text) as Value);

/** A statement of which `build` always builds the same one. */
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
 * As `statement`, for rows and changes whose columns vary: one statement for each set of columns.
 * `build` is given the row with arguments of the columns' names in place of its values. A null stays
 * null, because a column's encoder would take it for a value.
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
