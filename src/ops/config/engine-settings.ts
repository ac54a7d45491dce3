/** Maps `[engine]` to the settings of a call worker: the providers of each part, in order. */
import { availableParallelism } from "node:os";
import { CONCURRENT_UTTERANCES_MAX } from "../../engine/embedded/concurrent-speakers.ts";
import { type EnginePrices, PARTS, type Part } from "../../engine/provider.ts";
import { combinedProvider, EMBEDDED, partProvider } from "../../engine/registry.ts";
import type { EngineSettings, ProviderChoice } from "../../engine/settings.ts";
import { parsePortRange } from "../../platform/config/formats.ts";
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
    voices: engine.embedded.voices,
    hearsSpeech: engine.embedded.hearing === "speech",
  };
}

/** Number of call workers, each with its own speech worker. Limited by the number of RTP port pairs. */
export function callWorkersOf({ engine, rtp }: Pick<Config, "engine" | "rtp">): number {
  const wanted = engine.embedded.speech_workers || availableParallelism() - 1;
  const range = parsePortRange(rtp.ports);
  const pairs = range === null ? 1 : Math.floor((range.last - range.first) / 2);
  return Math.max(1, Math.min(wanted, pairs));
}

/** Maximum concurrent speakers for the embedded recogniser. */
export const talkersMaxOf = (config: Pick<Config, "engine" | "rtp">): number =>
  callWorkersOf(config) * CONCURRENT_UTTERANCES_MAX;

/** Maximum concurrent calls for the embedded recogniser; infinite if an external provider does STT. */
export function heardCallsMaxOf(config: Pick<Config, "engine" | "rtp">): number {
  const { stt } = firstChoices(config.engine);
  if (stt !== EMBEDDED) return Number.POSITIVE_INFINITY;
  return config.engine.embedded.calls_max || Number.POSITIVE_INFINITY;
}

/** The value of `engine` in the API. */
export const engineLabelOf = ({ engine }: Pick<Config, "engine">): string =>
  [...new Set(Object.values(firstChoices(engine)))].join("+");

/** The provider of each part. */
export const firstChoices = ({ kind, stt, llm, tts }: EngineConfig): Record<Part, string> => ({
  stt: stt || kind,
  llm: llm || kind,
  tts: tts || kind,
});

/** Prices of the providers in use. */
export function enginePricesOf({ engine }: Pick<Config, "engine">): EnginePrices {
  const first = firstChoices(engine);
  const prices = PARTS.map((part) => {
    const provider = partProvider(part, first[part]) ?? combinedProvider(first[part]);
    return provider?.prices(tableOf(engine, first[part]));
  });
  return Object.assign({ ...NO_PRICES }, ...prices);
}

/** The rest of the model's window is for the agent's prompt, the tools and the conversation. */
const KNOWLEDGE_SHARE_MAX = 0.75;

/** Maximum tokens of knowledge in the prompt: the setting, or less if a model's window is too small. */
export function knowledgeTokensOf({
  engine,
  conversation,
}: Pick<Config, "engine" | "conversation">): number {
  const windows = choicesOf(engine, "llm").map(({ id, settings }) => {
    const provider = partProvider("llm", id) ?? combinedProvider(id);
    return provider?.promptTokensMax?.(settings) ?? Number.POSITIVE_INFINITY;
  });
  const most = Math.floor(Math.min(...windows) * KNOWLEDGE_SHARE_MAX);
  return Math.min(conversation.knowledge_tokens, most);
}

const NO_PRICES: EnginePrices = {
  stt_eur_per_min: 0,
  llm_input_eur_per_million_tokens: 0,
  llm_output_eur_per_million_tokens: 0,
  tts_eur_per_million_characters: 0,
};

/** The table `[engine.<id>]`; empty if it is missing. */
export function tableOf(engine: EngineConfig, id: string): ProviderChoice["settings"] {
  const tables: Readonly<Record<string, unknown>> = engine;
  const table = tables[id];
  return typeof table === "object" && table !== null ? { ...table } : {};
}

/** The fallback of a part; "embedded" and "none" mean no other provider. */
export const fallbackOf = (engine: EngineConfig, part: Part): string =>
  engine[`${part}_fallback`] || engine.fallback;

function choicesOf(engine: EngineConfig, part: Part): ProviderChoice[] {
  const first = firstChoices(engine)[part];
  const further = fallbackOf(engine, part);
  const isFurther = further !== first && further !== "none" && !isLastResort(engine, part);
  return [first, ...(isFurther ? [further] : [])].map((id) => ({
    id,
    settings: tableOf(engine, id),
  }));
}

/**
 * Every call has the embedded engine as its last fallback: it recognises, speaks, and takes a message. It
 * answers from the knowledge files only if it is configured as the language model.
 */
const isLastResort = (engine: EngineConfig, part: Part): boolean =>
  fallbackOf(engine, part) === EMBEDDED && (part !== "llm" || engine.llm_fallback === "");
