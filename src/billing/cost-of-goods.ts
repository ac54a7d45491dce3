/**
 * What a call cost the operator, from our own counters and the configured prices (decisions.md 6,
 * `cost_of_goods`). Pure. Everything rounds half up to a micro-euro, once a position.
 */
import { type MicroEur, microEur } from "../core/money.ts";
import type { EngineUsage } from "../worker/messages.ts";

/** Micro-euro. The embedded engine costs nothing. */
export interface GoodsPrices {
  readonly sttPerMinute: number;
  readonly llmPerMillionInputTokens: number;
  readonly llmPerMillionOutputTokens: number;
  readonly ttsPerMillionCharacters: number;
  readonly trunkPerMinute: number;
}

export interface CostOfGoods {
  readonly stt: MicroEur;
  readonly llm: MicroEur;
  readonly tts: MicroEur;
  readonly trunk: MicroEur;
}

const round = (value: number): MicroEur => microEur(Math.floor(value + 0.5));

export function costOfGoods(usage: EngineUsage, talkMs: number, prices: GoodsPrices): CostOfGoods {
  return {
    stt: round((usage.sttSeconds / 60) * prices.sttPerMinute),
    llm: round(
      (usage.llmInputTokens * prices.llmPerMillionInputTokens +
        usage.llmOutputTokens * prices.llmPerMillionOutputTokens) /
        1_000_000,
    ),
    tts: round((usage.ttsCharacters * prices.ttsPerMillionCharacters) / 1_000_000),
    trunk: round((talkMs / 60_000) * prices.trunkPerMinute),
  };
}
