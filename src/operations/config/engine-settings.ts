/** Maps `[engine]` to what a call worker needs of it: of each part the providers in their order. */
import { type EnginePrices, PARTS, type Part } from "../../adapter/engine/provider.ts";
import { combinedProvider, EMBEDDED, partProvider } from "../../adapter/engine/registry.ts";
import type { EngineSettings, ProviderChoice } from "../../adapter/engine/settings.ts";
import type { Config } from "./schema.ts";

type EngineConfig = Config["engine"];

export function engineSettingsOf({ engine }: Pick<Config, "engine">): EngineSettings {
  const { retries, breaker_failures, breaker_open_sec } = engine;
  return {
    label: engineLabelOf({ engine }),
    providers: {
      stt: choicesOf(engine, "stt"),
      llm: choicesOf(engine, "llm"),
      tts: choicesOf(engine, "tts"),
    },
    takesMessages: engine.fallback !== "none",
    guard: { retries, breaker_failures, breaker_open_sec },
    speechRatePercent: engine.embedded.speech_rate_percent,
  };
}

/** `engine` in the API. */
export const engineLabelOf = ({ engine }: Pick<Config, "engine">): string =>
  [...new Set(Object.values(firstChoices(engine)))].join("+");

/** The provider of each part. */
export const firstChoices = ({ kind, stt, llm, tts }: EngineConfig): Record<Part, string> => ({
  stt: stt || kind,
  llm: llm || kind,
  tts: tts || kind,
});

/** What the providers in use cost. */
export function enginePricesOf({ engine }: Pick<Config, "engine">): EnginePrices {
  const first = firstChoices(engine);
  const prices = PARTS.map((part) => {
    const provider = partProvider(part, first[part]) ?? combinedProvider(first[part]);
    return provider?.prices(tableOf(engine, first[part]));
  });
  return Object.assign({ ...NO_PRICES }, ...prices);
}

const NO_PRICES: EnginePrices = {
  stt_eur_per_min: 0,
  llm_input_eur_per_million_tokens: 0,
  llm_output_eur_per_million_tokens: 0,
  tts_eur_per_million_characters: 0,
};

/** `[engine.<id>]`; empty where there is no such table. */
export function tableOf(engine: EngineConfig, id: string): ProviderChoice["settings"] {
  const tables: Readonly<Record<string, unknown>> = engine;
  const table = tables[id];
  return typeof table === "object" && table !== null ? { ...table } : {};
}

/** The embedded engine as a fallback is the last resort, which every call has anyway. */
function choicesOf(engine: EngineConfig, part: Part): ProviderChoice[] {
  const first = firstChoices(engine)[part];
  const { fallback } = engine;
  const isFurther = fallback !== first && fallback !== EMBEDDED && fallback !== "none";
  return [first, ...(isFurther ? [fallback] : [])].map((id) => ({
    id,
    settings: tableOf(engine, id),
  }));
}
