/** Keys of older versions: accepted, so that their files go on, and without effect. */
import { knownKeys } from "./known-keys.ts";
import type { Config } from "./schema.ts";

/** Those that ask for something, by dotted name: 0, false and empty texts do not. */
export function retiredKeysIn(config: Config): string[] {
  return knownKeys
    .filter(({ meta }) => meta.retired)
    .filter(({ path }) =>
      path.reduce<unknown>((table, step) => (table as Record<string, unknown>)[step], config),
    )
    .map(({ name }) => name);
}
