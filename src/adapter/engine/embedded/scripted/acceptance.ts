/**
 * How likely the entry that fits best is the one that was asked for: a logistic model of three things.
 * `bench/understanding/fit.ts` makes the coefficients again, from spoken questions to a gym and a clinic.
 */
import type { Nearness } from "../meaning/meanings.ts";
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
  return [1, boundedRatio(confidence), score, Math.min(MARGIN_MAX, margin)];
}

function boundedRatio(confidence: number): number {
  return Math.min(RATIO_MAX, Math.max(RATIO_MIN, ratioOf(confidence)));
}

/** 0–1. */
export function likelihoodOf(evidence: Evidence): number {
  return 1 / (1 + Math.exp(-logOddsOf(evidence)));
}

export function logOddsOf(evidence: Evidence): number {
  return sumOf(featuresOf(evidence), COEFFICIENTS);
}

/** The ratio with which words that fit an entry like this have these log odds. */
export function ratioFor(odds: number, { score, margin }: Omit<Evidence, "confidence">): number {
  const [constant, byRatio, byScore, byMargin] = COEFFICIENTS;
  const others = constant + byScore * score + byMargin * Math.min(MARGIN_MAX, margin);
  return Math.min(RATIO_MAX, Math.max(RATIO_MIN, (odds - others) / byRatio));
}

/** In the order of `topicFeatures`, and in that of `noneFeatures`. */
const OF_TOPIC = [1.855, 1.764, 2.034, 1.006, 1.184, 2.306, 1.733] as const;
const OF_NONE = [2.457, -0.132] as const;
/** The others share what is left: a hundred unlikely topics make no likely one less likely. */
const TOPICS_COUNTED = 12;

interface Heard {
  readonly confidence: number;
  /** How well its words fit each topic. */
  readonly scores: readonly number[];
  /** How near it is to each topic in meaning. */
  readonly nearness: Nearness;
}

/**
 * How likely each topic was meant, where it is known how near they are in meaning: 0–1, together with none of
 * them 1.
 */
export function sharesOf(heard: Heard): readonly number[] {
  const odds = topicFeatures(heard).map((features) => sumOf(features, OF_TOPIC));
  const none = sumOf(noneFeatures(heard), OF_NONE);
  const counted = odds.toSorted((one, other) => other - one).slice(0, TOPICS_COUNTED);
  const all = [...counted, none].reduce((total, each) => total + Math.exp(each - none), 0);
  return odds.map((each) => Math.exp(each - none) / all);
}

/** Of each topic: words, meaning, meaning of the answer, leads of words and meaning, and both as well as heard. */
export function topicFeatures({ confidence, scores, nearness }: Heard): readonly number[][] {
  const { asked, answered } = nearness;
  const leadOfWords = leads(scores);
  const leadOfMeaning = leads(asked);
  return scores.map((score, topic) => {
    const near = asked[topic] ?? 0;
    const own = [score, near, answered[topic] ?? 0];
    const lead = [leadOfWords[topic] ?? 0, leadOfMeaning[topic] ?? 0];
    return [...own, ...lead, score * confidence, near * confidence];
  });
}

export function noneFeatures({ confidence }: Pick<Heard, "confidence">): readonly number[] {
  return [1, boundedRatio(confidence)];
}

/** Over the best of the others. */
function leads(values: readonly number[]): readonly number[] {
  const [best = 0, second = 0] = values.toSorted((one, other) => other - one);
  return values.map((value) => value - (value === best ? second : best));
}

function sumOf(features: readonly number[], coefficients: readonly number[]): number {
  return features.reduce((total, feature, at) => total + feature * (coefficients[at] ?? 0), 0);
}
