/**
 * What was read again and again, kept until anything in the database changes: SQLite itself says
 * whether another commit took place since (`Database.version`), whoever made it, so what is kept is
 * never older than a read of now would be. On a server, which does not say so, nothing is kept.
 *
 * Bounded in entries. What is kept is shared: nobody changes it.
 */
import type { Database } from "../../core/database.ts";

export interface QueryCache {
  /** `name` says all that the result depends on beside the database. A failure is not kept. */
  read<Result>(name: string, make: () => Promise<Result>): Promise<Result>;
}

const ENTRIES_MAX = 128;
/** A name comes from a request: a long one is not worth its room. */
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
      // Read after `version` was: at least as new. Where another came between, it is thrown away.
      if (resultsVersion === version) put(name, result);
      return result;
    },
  };
}
