/** Validates [engine]: the keys that each provider needs, and how to set them. */
import { embeddingKeyProblems } from "../../engine/openai/settings.ts";
import { PARTS, type Part } from "../../engine/provider.ts";
import { combinedProvider, EMBEDDED, partProvider } from "../../engine/registry.ts";
import { fallbackOf, firstChoices, tableOf } from "./engine-settings.ts";
import type { Config } from "./schema.ts";

type EngineConfig = Config["engine"];
/** The path of the wrong key, and how to fix it. */
type Problem = readonly [path: string, says: string];

export function engineProblems(engine: EngineConfig): Problem[] {
  const first = firstChoices(engine);
  const searched = embeddingKeyProblems(engine.openai, "openai").map(
    ({ key, message }): Problem => [`engine.openai.${key}`, message],
  );
  if (PARTS.every((part) => first[part] === EMBEDDED)) return searched;
  const problems = PARTS.flatMap((part) => [
    ...mixedProblems(engine, part),
    ...problemsOf(engine, part, first[part]),
    ...problemsOf(engine, part, fallbackOf(engine, part)),
  ]);
  if (PARTS.every((part) => first[part] === fallbackOf(engine, part))) {
    const message = `[engine] fallback: "${engine.kind}" is already the main engine. Allowed: "embedded", "standby", "none" or the other kind.`;
    problems.unshift(["engine.fallback", message]);
  }
  problems.push(...searched);
  // A missing key is reported once, even if several parts need it.
  return problems.filter(([path], index) => problems.findIndex((one) => one[0] === path) === index);
}

/** A provider that runs all parts in one session cannot be used for a single part. */
function mixedProblems(engine: EngineConfig, part: Part): Problem[] {
  const mixed = [
    { key: part, whole: "kind" },
    { key: `${part}_fallback`, whole: "fallback" },
  ] as const;
  return mixed
    .filter(({ key, whole }) => combinedProvider(engine[whole]) !== null && engine[key] !== "")
    .map(({ key, whole }) => [
      `engine.${key}`,
      `[engine] ${key}: ${whole} = "${engine[whole]}" handles all three parts in one session. Remove ${key}, or set another ${whole}.`,
    ]);
}

function problemsOf(engine: EngineConfig, part: Part, id: string): Problem[] {
  const provider = partProvider(part, id) ?? combinedProvider(id);
  if (provider === null) return [];
  return provider
    .problems(tableOf(engine, id))
    .map(({ key, message }) => [`engine.${id}.${key}`, message]);
}
