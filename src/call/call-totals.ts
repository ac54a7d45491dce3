/** Cost and statistics of a call, as its final write stores them. */
import { type MicroEur, microEur } from "../core/money.ts";

export interface CallTotals {
  readonly billableSeconds: number;
  readonly includedSeconds: number;
  readonly overageSeconds: number;
  readonly cost: MicroEur;
  readonly costStt: MicroEur | null;
  readonly costLlm: MicroEur | null;
  readonly costTts: MicroEur | null;
  readonly costTrunk: MicroEur | null;
  /** Part of `cost` that was spent on discarded speculative work. */
  readonly costDiscarded: MicroEur | null;
  /** Discarded work: input and output tokens, characters spoken, seconds recognised. */
  readonly discardedTokens: number;
  readonly discardedCharacters: number;
  readonly discardedSttSeconds: number;
  /** See billing/answered-time-check.ts. */
  readonly answeredClockMs: number | null;
  readonly answeredRtpMs: number | null;
  readonly answeredEngineMs: number | null;
  readonly answeredDifferenceMs: number | null;
  readonly latencyP50Ms: number | null;
  readonly latencyP95Ms: number | null;
}

const NOTHING = microEur(0);

/** Figures of an unanswered call. */
export const NO_TOTALS: CallTotals = {
  billableSeconds: 0,
  includedSeconds: 0,
  overageSeconds: 0,
  cost: NOTHING,
  costStt: NOTHING,
  costLlm: NOTHING,
  costTts: NOTHING,
  costTrunk: NOTHING,
  costDiscarded: NOTHING,
  discardedTokens: 0,
  discardedCharacters: 0,
  discardedSttSeconds: 0,
  answeredClockMs: null,
  answeredRtpMs: null,
  answeredEngineMs: null,
  answeredDifferenceMs: null,
  latencyP50Ms: null,
  latencyP95Ms: null,
};
