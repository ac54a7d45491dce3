/** Environment variables as configuration: `LINEVOICE_SERVER__LISTEN` sets `[server] listen`. */

import { nearest } from "../../core/did-you-mean.ts";
import { type KnownKey, knownKeys, VARIABLE_PREFIX } from "./known-keys.ts";
import { isRemovedVariable } from "./removed-keys.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

interface Override {
  readonly key: KnownKey;
  readonly value: unknown;
}

interface EnvironmentReading {
  readonly overrides: readonly Override[];
  readonly problems: readonly string[];
}

export function readEnvironment(env: Environment): EnvironmentReading {
  const byVariable = new Map(knownKeys.map((key) => [key.variable, key]));
  const overrides: Override[] = [];
  const problems: string[] = [];
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith(VARIABLE_PREFIX) || text === undefined) continue;
    const key = byVariable.get(variable);
    if (key) overrides.push({ key, value: read(key, text) });
    else if (!isRemovedVariable(variable))
      problems.push(unknownVariable(variable, [...byVariable.keys()]));
  }
  return { overrides, problems };
}

function unknownVariable(variable: string, known: readonly string[]): string {
  const near = nearest(variable, known);
  const hint = near ? ` Did you mean ${near}?` : " Allowed: LINEVOICE_<SECTION>__<KEY>.";
  return `environment variable ${variable}: no such key.${hint}`;
}

/** A text that cannot be converted is kept; the schema then rejects it with the bounds. */
function read({ meta }: KnownKey, text: string): unknown {
  const trimmed = text.trim();
  switch (meta.kind) {
    case "text":
      return meta.secret && trimmed.startsWith("{") ? (json(trimmed) ?? text) : text;
    case "number":
      return /^-?\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : text;
    case "boolean":
      return /^(true|1|yes|on)$/i.test(trimmed) || (!/^(false|0|no|off)$/i.test(trimmed) && text);
    case "list":
      if (trimmed === "") return [];
      if (trimmed.startsWith("[")) return json(trimmed) ?? text;
      return trimmed.split(",").map((item) => item.trim());
    case "table":
      return json(trimmed) ?? text;
  }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
