/** Cost of a call for the operator, from configured prices and the call's counters (decisions 6). */
import { type MicroEur, microEur, priceOfSeconds } from "../../core/money.ts";

/** All 0 if the operator pays nothing (the embedded engine). */
export interface GoodsPrices {
  readonly sttPerMinute: MicroEur;
  readonly llmInputPerMillionTokens: MicroEur;
  readonly llmOutputPerMillionTokens: MicroEur;
  readonly ttsPerMillionCharacters: MicroEur;
  readonly embeddingPerMillionTokens: MicroEur;
  readonly trunkPerMinute: MicroEur;
}

/** Counters of one call. */
interface GoodsUsage {
  readonly llmInputTokens: number;
  readonly llmOutputTokens: number;
  /** Tokens of questions for the search by meaning. */
  readonly embeddingTokens?: number;
  readonly ttsCharacters: number;
  /** May be fractional. */
  readonly sttSeconds: number;
}

interface CostOfGoods {
  readonly stt: MicroEur;
  readonly llm: MicroEur;
  readonly tts: MicroEur;
  readonly trunk: MicroEur;
}

const MILLION = 1_000_000n;

/** Exact price in millionths of a micro-euro. */
function priceOfMillionths(count: number, pricePerMillion: MicroEur): bigint {
  return BigInt(Math.round(count)) * BigInt(pricePerMillion);
}

const rounded = (millionths: bigint): MicroEur =>
  microEur(Number((millionths + MILLION / 2n) / MILLION));

/** Each of the four parts is rounded once, half up. The trunk is counted in started seconds. */
export function costOfGoods(
  usage: GoodsUsage,
  answeredMs: number,
  prices: GoodsPrices,
): CostOfGoods {
  return {
    stt: priceOfSeconds(Math.ceil(usage.sttSeconds), prices.sttPerMinute),
    llm: rounded(
      priceOfMillionths(usage.llmInputTokens, prices.llmInputPerMillionTokens) +
        priceOfMillionths(usage.llmOutputTokens, prices.llmOutputPerMillionTokens) +
        priceOfMillionths(usage.embeddingTokens ?? 0, prices.embeddingPerMillionTokens),
    ),
    tts: rounded(priceOfMillionths(usage.ttsCharacters, prices.ttsPerMillionCharacters)),
    trunk: priceOfSeconds(Math.ceil(Math.max(0, answeredMs) / 1000), prices.trunkPerMinute),
  };
}
