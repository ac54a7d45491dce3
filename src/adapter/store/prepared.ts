/**
 * Prepared statements for frequent reads. Building and compiling a query costs ten times as much as
 * running it, so each is prepared once per connection.
 */
import type { Queries } from "../../core/database.ts";

const cache = new WeakMap<Queries, Map<string, unknown>>();

/**
 * `name` identifies the statement on the whole appliance; `build` must always build the same one.
 */
export function prepared<Statement>(
  queries: Queries,
  name: string,
  build: () => Statement,
): Statement {
  const statements = cache.get(queries) ?? new Map<string, unknown>();
  cache.set(queries, statements);
  const known = statements.get(name) as Statement | undefined;
  if (known) return known;
  const made = build();
  statements.set(name, made);
  return made;
}
