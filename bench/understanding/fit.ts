/**
 * `bun bench/understanding/fit.ts [trials of each]`: makes the coefficients of acceptance.ts and two-readings.ts
 * in `src/adapter/engine/embedded/scripted/` from a gym and a clinic and the callers for tuning.
 * Without a number all 645 trials, 15 minutes of one core. Prints them, and how well they tell right from wrong.
 */
import { featuresOf, MARGIN_MAX } from "../../src/adapter/engine/embedded/scripted/acceptance.ts";
import { parseKnowledge } from "../../src/adapter/engine/embedded/scripted/knowledge.ts";
import {
  createRetriever,
  type Retriever,
} from "../../src/adapter/engine/embedded/scripted/retrieval.ts";
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

/** A reading with what the knowledge has for it. */
interface Found extends Example {
  readonly entry: number;
}

/** Of each trial, the graph's reading and the transcriber's. */
function readingsOf(faq: Faq, trials: readonly Trial[]): (readonly [Found | null, Found | null])[] {
  const entries = parseKnowledge([{ filename: "faq.md", format: "md", content: faq.knowledge }]);
  const retrieve = createRetriever(entries, "en");
  return trials.map(({ heard: { pieces }, entry }) => {
    const found = (text: string, featuresFor: (match: Match) => readonly number[]) => {
      const match = retrieve(text);
      if (match === null) return null;
      const isRight = entries[match.entry]?.questions[0] === entry;
      return { features: featuresFor(match), isRight, entry: match.entry };
    };
    const heard = pieces.filter(({ text }) => text !== "");
    const confidence = Math.min(1, ...heard.map((piece) => piece.confidence));
    const evidence = Math.min(0, ...pieces.map(({ transcript }) => transcript?.evidence ?? 0));
    const written = pieces.map(({ transcript }) => transcript?.text ?? "").join(" ");
    return [
      found(heard.map(({ text }) => text).join(" "), (match) =>
        featuresOf({ confidence, ...match }),
      ),
      found(written, ({ score, margin }) => [1, evidence, score, Math.min(MARGIN_MAX, margin)]),
    ];
  });
}

type Match = NonNullable<ReturnType<Retriever>>;
const isThere = <Value>(value: Value | null): value is Value => value !== null;

/** The better reading, with whether both mean the same entry. */
function bothOf(
  readings: readonly (readonly [Found | null, Found | null])[],
  coefficients: readonly (readonly number[])[],
): Example[] {
  return readings.flatMap((pair) => {
    const [best, other] = pair
      .map((found, at) => found && { ...found, odds: dot(found.features, coefficients[at] ?? []) })
      .filter(isThere)
      .sort((one, two) => two.odds - one.odds);
    if (best === undefined) return [];
    const isSame = other?.entry === best.entry;
    return [
      { features: [1, best.odds, isSame ? 1 : 0, isSame ? other.odds : 0], isRight: best.isRight },
    ];
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
const readings: (readonly [Found | null, Found | null])[] = [];
for (const faq of [GYM, CLINIC]) {
  readings.push(...readingsOf(faq, await measureUnderstanding([faq], TUNING_CALLERS, most)));
}
const byGraph = fit(readings.map(([found]) => found).filter(isThere));
const byTranscriber = fit(readings.map(([, found]) => found).filter(isThere));
const examples = bothOf(readings, [byGraph, byTranscriber]);
const ofBoth = fit(examples);
for (const [name, coefficients] of Object.entries({ byGraph, byTranscriber, ofBoth }))
  console.log(`${name} [${coefficients.map((value) => value.toFixed(3)).join(", ")}]`);
for (const least of [0.3, 0.4, 0.5, 0.6, 0.7, 0.8]) {
  const accepted = examples.filter(({ features }) => logistic(dot(features, ofBoth)) >= least);
  const right = accepted.filter(({ isRight }) => isRight).length;
  console.log(
    `from ${least}: ${right} right, ${accepted.length - right} wrong of ${examples.length}`,
  );
}
process.exit(0);
