/**
 * All providers, by part. To add one, create a folder and add a line here. Everything else follows:
 * its configuration table, its value in `[engine] stt`, `llm` and `tts`, the reference, the
 * consistency check, the prices and the doctor's check.
 */
import { embeddedLlm, embeddedStt, embeddedTts } from "./embedded/provider.ts";
import { openAi, standby } from "./openai/provider.ts";
import { type CombinedProvider, PARTS, type Part, type PartProvider } from "./provider.ts";
import { realtime } from "./realtime/provider.ts";

export const STT_PROVIDERS = [embeddedStt, openAi.stt, standby.stt] as const;
export const LLM_PROVIDERS = [embeddedLlm, openAi.llm, standby.llm] as const;
export const TTS_PROVIDERS = [embeddedTts, openAi.tts, standby.tts] as const;
export const COMBINED_PROVIDERS = [realtime] as const;

export const EMBEDDED = embeddedStt.id;

const byPart: { readonly [P in Part]: readonly PartProvider<P>[] } = {
  stt: STT_PROVIDERS,
  llm: LLM_PROVIDERS,
  tts: TTS_PROVIDERS,
};

const combined: readonly CombinedProvider[] = COMBINED_PROVIDERS;

/** Valid ids in `[engine] stt` (`llm`, `tts`). */
export const idsOf = (part: Part): string[] => byPart[part].map(({ id }) => id);

/** Ids that provide all three parts: valid in `[engine] kind` and `fallback`. */
export const completeIds = (use: "kind" | "fallback"): string[] =>
  [...byPart.stt, ...combined]
    .filter(({ isStandby }) => use === "fallback" || isStandby !== true)
    .map(({ id }) => id)
    .filter((id) => combinedProvider(id) !== null || PARTS.every((part) => offers(id, part)));

const offers = (id: string, part: Part) => byPart[part].some((provider) => provider.id === id);

/** Null if no provider with this name has a separate part. */
export function partProvider<P extends Part>(part: P, id: string): PartProvider<P> | null {
  return byPart[part].find((provider) => provider.id === id) ?? null;
}

/** Null if no provider with this name combines its parts in one session. */
export function combinedProvider(id: string): CombinedProvider | null {
  return combined.find((provider) => provider.id === id) ?? null;
}
