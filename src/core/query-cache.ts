/**
 * Caches query results until anything in the database changes. SQLite reports every commit by any
 * connection (`Database.version`). So a cached result is never older than a new read at the start
 * of this turn of the event loop. On a database server a result may lack another node's changes of
 * the last second, but never this node's changes.
 *
 * The number of entries is bounded. Cached results are shared and must not be modified.
 */
import { BoundedMap } from "./bounded-map.ts";
import type { Database } from "./database.ts";

export interface QueryCache {
  /**
   * `name` must contain everything that the result depends on, except the database. Cached results
   * are returned at once, without a promise. Errors are not cached.
   */
  read<Result>(name: string, make: () => Promise<Result>): Promise<Result> | Result;
}

const ENTRIES_MAX = 128;
/** A name may come from a request: results with long names are not cached. */
const NAME_LENGTH_MAX = 256;

export function createQueryCache(database: Database): QueryCache {
  const results = new BoundedMap<string, unknown>(ENTRIES_MAX);
  let resultsVersion: number | null = null;

  async function add<Result>(name: string, version: number, make: () => Promise<Result>) {
    const result = await make();
    // Read after `version`, so it is at least as new. If there was a commit in between, it is not
    // cached.
    if (resultsVersion === version) results.set(name, result);
    return result;
  }

  return {
    read<Result>(name: string, make: () => Promise<Result>): Promise<Result> | Result {
      const version = name.length > NAME_LENGTH_MAX ? null : database.version();
      if (version === null) return make();
      if (version !== resultsVersion) results.clear();
      resultsVersion = version;
      return results.has(name) ? (results.get(name) as Result) : add(name, version, make);
    },
  };
}
