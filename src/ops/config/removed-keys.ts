/** Keys of earlier versions. A file or an environment variable with such a key is accepted with a warning. */
import { VARIABLE_PREFIX } from "./known-keys.ts";
import { isTable, type RawTable } from "./toml.ts";

interface RemovedKey {
  readonly path: readonly [string, ...string[]];
  readonly instead: string;
}

const REMOVED: readonly RemovedKey[] = [
  {
    path: ["engine", "embedded", "second_reading"],
    instead: "The better recogniser is always used for English.",
  },
  {
    path: ["engine", "embedded", "unproven_phrases"],
    instead: "Lithuanian, Latvian and Russian callers answer with keys (docs/engines.md).",
  },
  {
    path: ["limits", "connections_per_address"],
    instead:
      "Slow requests end after 30 to 60 seconds; a proxy limits connections per address (docs/proxy.md).",
  },
];

const variableOf = ({ path }: RemovedKey) => VARIABLE_PREFIX + path.join("__").toUpperCase();

export const isRemovedVariable = (variable: string): boolean =>
  REMOVED.some((key) => variableOf(key) === variable);

/** Removes these keys from `raw`. Returns one warning per key. */
export function dropRemovedKeys(
  raw: RawTable,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  return REMOVED.flatMap((key) => {
    const name = key.path.at(-1) ?? "";
    let table: RawTable = raw;
    for (const step of key.path.slice(0, -1)) {
      const next = table[step];
      if (!isTable(next)) return warningsFor(key, env[variableOf(key)] !== undefined);
      table = next;
    }
    const isThere = name in table || env[variableOf(key)] !== undefined;
    delete table[name];
    return warningsFor(key, isThere);
  });
}

function warningsFor({ path, instead }: RemovedKey, isThere: boolean): string[] {
  if (!isThere) return [];
  const section = path.slice(0, -1).join(".");
  return [`[${section}] ${path.at(-1)} no longer has an effect. Remove it. ${instead}`];
}
