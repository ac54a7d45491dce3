/**
 * `bun bench/understanding/fit.ts [trials of each]`: makes the coefficients of
 * `src/adapter/engine/embedded/scripted/acceptance.ts` from a gym and a clinic and the callers for tuning.
 * Without a number all 645 trials, 15 minutes of one core. Prints them, and how well they tell right from wrong.
 */
import { featuresOf } from "../../src/adapter/engine/embedded/scripted/acceptance.ts";
import { parseKnowledge } from "../../src/adapter/engine/embedded/scripted/knowledge.ts";
import { createRetriever } from "../../src/adapter/engine/embedded/scripted/retrieval.ts";
import { TUNING_CALLERS } from "./callers.ts";
import { CLINIC } from "./faqs/clinic.ts";
import type { Faq } from "./faqs/faq.ts";
import { GYM } from "./faqs/gym.ts";
import { measureUnderstanding, type Trial } from "./understanding.ts";

interface Example {
  readonly features: readonly number[];
  readonly isRight: boolean;
}

/** Keeps coefficients small where the trials say little. */
const RIDGE = 0.5;
const ROUNDS = 5_000;

function examplesOf(faq: Faq, trials: readonly Trial[]): Example[] {
  const entries = parseKnowledge([{ filename: "faq.md", format: "md", content: faq.knowledge }]);
  const retrieve = createRetriever(entries, "en");
  return trials.flatMap(({ heard: { text, confidence }, entry }) => {
    const match = retrieve(text);
    if (match === null) return [];
    const features = featuresOf({ confidence, ...match });
    return [{ features, isRight: entries[match.entry]?.questions[0] === entry }];
  });
}

/** Logistic regression by descent on standardised features; the first feature is 1. */
function fit(examples: readonly Example[]): number[] {
  const width = examples[0]?.features.length ?? 0;
  const columns = Array.from({ length: width }, (_, index) =>
    examples.map(({ features }) => features[index] ?? 0),
  );
  const means = columns.map((column, index) => (index === 0 ? 0 : mean(column)));
  const spreads = columns.map((column, index) => {
    const centre = means[index] ?? 0;
    return index === 0 ? 1 : Math.sqrt(mean(column.map((value) => (value - centre) ** 2))) || 1;
  });
  const standard = examples.map(({ features }) =>
    features.map((value, index) => (value - (means[index] ?? 0)) / (spreads[index] ?? 1)),
  );
  const weights = new Array<number>(width).fill(0);
  for (let round = 0; round < ROUNDS; round++) {
    const slopes = weights.map((weight, index) => (index === 0 ? 0 : RIDGE * weight));
    for (const [at, row] of standard.entries()) {
      const error = logistic(dot(row, weights)) - (examples[at]?.isRight ? 1 : 0);
      for (const [index, value] of row.entries())
        slopes[index] = (slopes[index] ?? 0) + error * value;
    }
    for (const [index, slope] of slopes.entries())
      weights[index] = (weights[index] ?? 0) - slope / examples.length;
  }
  const scaled = weights.map((weight, index) => weight / (spreads[index] ?? 1));
  scaled[0] = (scaled[0] ?? 0) - dot(scaled, means);
  return scaled;
}

const logistic = (value: number) => 1 / (1 + Math.exp(-value));
const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const dot = (one: readonly number[], other: readonly number[]) =>
  one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);

const most = Number(process.argv[2] ?? Number.POSITIVE_INFINITY);
const examples: Example[] = [];
for (const faq of [GYM, CLINIC]) {
  examples.push(...examplesOf(faq, await measureUnderstanding([faq], TUNING_CALLERS, most)));
}
const coefficients = fit(examples);
console.log(`coefficients [${coefficients.map((value) => value.toFixed(3)).join(", ")}]`);
for (const least of [0.3, 0.4, 0.5, 0.6, 0.7, 0.8]) {
  const accepted = examples.filter(
    ({ features }) => logistic(dot(features, coefficients)) >= least,
  );
  const right = accepted.filter(({ isRight }) => isRight).length;
  console.log(
    `from ${least}: ${right} right, ${accepted.length - right} wrong of ${examples.length}`,
  );
}
process.exit(0);
