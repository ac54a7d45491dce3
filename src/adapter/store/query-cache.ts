/**
 * Caches query results until anything in the database changes. SQLite reports whether another
 * commit took place (`Database.version`), by any connection, so a cached result is never older than
 * a new read would be. On a database server, which does not report this, nothing is cached.
 *
 * The number of entries is bounded. Cached results are shared and must not be modified.
 */
import type { Database } from "../../core/database.ts";

export interface QueryCache {
  /**
   * `name` must contain everything that the result depends on besides the database. Errors are not
   * cached.
   */
  read<Result>(name: string, make: () => Promise<Result>): Promise<Result>;
}

const ENTRIES_MAX = 128;
/** A name may come from a request: results with long names are not cached. */
const NAME_LENGTH_MAX = 256;

export function createQueryCache(database: Database): QueryCache {
  const results = new Map<string, unknown>();
  let resultsVersion: number | null = null;

  function put(name: string, result: unknown): void {
    if (results.size >= ENTRIES_MAX) {
      const [oldest] = results.keys();
      if (oldest !== undefined) results.delete(oldest);
    }
    results.set(name, result);
  }

  return {
    async read<Result>(name: string, make: () => Promise<Result>): Promise<Result> {
      const version = name.length > NAME_LENGTH_MAX ? null : database.version();
      if (version === null) return await make();
      if (version !== resultsVersion) results.clear();
      resultsVersion = version;
      if (results.has(name)) return results.get(name) as Result;
      const result = await make();
      // Read after `version` was, so it is at least as new. If another commit came in between, it
      // is not cached.
      if (resultsVersion === version) put(name, result);
      return result;
    },
  };
}
