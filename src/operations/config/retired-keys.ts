/** Keys of older versions: accepted so that old files still load, but without effect. */
import { knownKeys } from "./known-keys.ts";
import type { Config } from "./schema.ts";

/** The retired keys in use, by dotted name. 0, false and empty texts do not count. */
export function retiredKeysIn(config: Config): string[] {
  return knownKeys
    .filter(({ meta }) => meta.retired)
    .filter(({ path }) =>
      path.reduce<unknown>((table, step) => (table as Record<string, unknown>)[step], config),
    )
    .map(({ name }) => name);
}
