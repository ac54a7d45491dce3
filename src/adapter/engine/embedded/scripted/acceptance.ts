/**
 * How likely the entry that fits best is the one that was asked for: a logistic model of three things.
 * `bench/understanding/fit.ts` makes the coefficients again, from spoken questions to a gym and a clinic.
 */
import { ratioOf } from "../recogniser/likelihood.ts";

interface Evidence {
  /** How well the words fit the sound. */
  readonly confidence: number;
  /** How well they fit the entry. */
  readonly score: number;
  /** Lead over the next best entry. */
  readonly margin: number;
}

/** In the order of `featuresOf`. */
const COEFFICIENTS = [-0.858, 0.211, 6.441, 1.359] as const;

/** Typed words fit better than any sound; among sounds further differences mean nothing. */
const RATIO_MIN = -30;
const RATIO_MAX = -4;
export const MARGIN_MAX = 0.5;

export function featuresOf({ confidence, score, margin }: Evidence): readonly number[] {
  const ratio = Math.min(RATIO_MAX, Math.max(RATIO_MIN, ratioOf(confidence)));
  return [1, ratio, score, Math.min(MARGIN_MAX, margin)];
}

/** 0–1. */
export function likelihoodOf(evidence: Evidence): number {
  return 1 / (1 + Math.exp(-logOddsOf(evidence)));
}

export function logOddsOf(evidence: Evidence): number {
  return featuresOf(evidence).reduce(
    (total, feature, index) => total + feature * (COEFFICIENTS[index] ?? 0),
    0,
  );
}

/** The ratio with which words that fit an entry like this have these log odds. */
export function ratioFor(odds: number, { score, margin }: Omit<Evidence, "confidence">): number {
  const [constant, byRatio, byScore, byMargin] = COEFFICIENTS;
  const others = constant + byScore * score + byMargin * Math.min(MARGIN_MAX, margin);
  return Math.min(RATIO_MAX, Math.max(RATIO_MIN, (odds - others) / byRatio));
}
