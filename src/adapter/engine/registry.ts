/**
 * Every provider, by part. A new one is a folder beside this file and a line here: its table in the
 * configuration, its place among the values of `[engine] stt`, `llm` and `tts`, the reference, the
 * consistency check, the prices and the doctor's question follow.
 */
import { embeddedLlm, embeddedStt, embeddedTts } from "./embedded/provider.ts";
import { openAi, standby } from "./openai/provider.ts";
import { type CombinedProvider, PARTS, type Part, type PartProvider } from "./provider.ts";
import { realtime } from "./realtime/provider.ts";

export const STT_PROVIDERS = [embeddedStt, openAi.stt, standby.stt] as const;
export const LLM_PROVIDERS = [embeddedLlm, openAi.llm, standby.llm] as const;
export const TTS_PROVIDERS = [embeddedTts, openAi.tts, standby.tts] as const;
export const COMBINED_PROVIDERS = [realtime] as const;

/** The embedded engine's id. */
export const EMBEDDED = embeddedStt.id;

const byPart: { readonly [P in Part]: readonly PartProvider<P>[] } = {
  stt: STT_PROVIDERS,
  llm: LLM_PROVIDERS,
  tts: TTS_PROVIDERS,
};

const combined: readonly CombinedProvider[] = COMBINED_PROVIDERS;

/** Ids that `[engine] stt` (`llm`, `tts`) may name. */
export const idsOf = (part: Part): string[] => byPart[part].map(({ id }) => id);

/** Ids that provide all three parts: what `[engine] kind` and `fallback` may name. */
export const completeIds = (use: "kind" | "fallback"): string[] =>
  [...byPart.stt, ...combined]
    .filter(({ isStandby }) => use === "fallback" || isStandby !== true)
    .map(({ id }) => id)
    .filter((id) => combinedProvider(id) !== null || PARTS.every((part) => offers(id, part)));

const offers = (id: string, part: Part) => byPart[part].some((provider) => provider.id === id);

/** Null: there is none of this name with this part of its own. */
export function partProvider<P extends Part>(part: P, id: string): PartProvider<P> | null {
  return byPart[part].find((provider) => provider.id === id) ?? null;
}

/** Null: there is none of this name whose parts are one session. */
export function combinedProvider(id: string): CombinedProvider | null {
  return combined.find((provider) => provider.id === id) ?? null;
}
