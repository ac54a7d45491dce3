/**
 * Prepared statements of the hot reads. Building and compiling a query costs ten times what running
 * it costs, so each is made once for each connection and kept with it.
 */
import type { Queries } from "../../core/database.ts";

const cache = new WeakMap<Queries, Map<string, unknown>>();

/** `name` says which statement it is, on the whole appliance; `build` always makes the same one. */
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
