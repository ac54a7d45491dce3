/** Prints the effective configuration: each key with its value and source. */
import { knownKeys } from "./known-keys.ts";
import type { LoadedConfig } from "./load.ts";

interface ShownKey {
  readonly key: string;
  /** Secrets are `••••` when set. */
  readonly value: unknown;
  readonly source: string;
  readonly variable: string;
}

const HIDDEN = "••••";

export function showConfig({ config, sources }: LoadedConfig): ShownKey[] {
  return knownKeys.map(({ path, name, variable, meta }) => {
    let value: unknown = config;
    for (const step of path) value = (value as Record<string, unknown>)[step];
    return {
      key: name,
      value: meta.secret && value !== null ? HIDDEN : (value ?? ""),
      source: sources.get(name) ?? "default",
      variable,
    };
  });
}
