/**
 * `bun bench/understanding/fit.ts [trials of each]`: makes the coefficients of acceptance.ts and two-readings.ts
 * in `src/adapter/engine/embedded/scripted/` from a gym and a clinic and the callers for tuning.
 * Without a number all 645 trials, 15 minutes of one core. Prints them, and how well they tell right from wrong.
 */
import { Meanings } from "../../src/adapter/engine/embedded/meaning/meanings.ts";
import {
  featuresOf,
  MARGIN_MAX,
  noneFeatures,
  topicFeatures,
} from "../../src/adapter/engine/embedded/scripted/acceptance.ts";
import { parseKnowledge } from "../../src/adapter/engine/embedded/scripted/knowledge.ts";
import {
  createRetriever,
  type Retriever,
} from "../../src/adapter/engine/embedded/scripted/retrieval.ts";
import { lessonOf, textForMeaning } from "../../src/adapter/engine/embedded/scripted/topics.ts";
import { systemClock } from "../../src/core/clock.ts";
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
const SHARE_RIDGE = 0.005;
const SHARE_ROUNDS = 600;
const SHARE_STEP = 0.08;

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

/** What was said, by its features for each topic and for none of them. */
interface Choice {
  readonly topics: readonly (readonly number[])[];
  readonly none: readonly number[];
  /** −1: none. */
  readonly meant: number;
}

/** As the graph alone heard it, and as the better reading has it. */
async function choicesOf(faq: Faq, trials: readonly Trial[]): Promise<Choice[]> {
  const entries = parseKnowledge([{ filename: "faq.md", format: "md", content: faq.knowledge }]);
  const retrieve = createRetriever(entries, "en");
  const lesson = lessonOf(entries, []);
  const meanings = new Meanings(systemClock);
  await meanings.learn(lesson);
  const choices = trials.flatMap(({ heard, entry }) => {
    const meant = entries.findIndex(({ questions }) => questions[0] === entry);
    const pieces = heard.pieces.filter(({ text }) => text !== "");
    const byGraph = {
      text: pieces.map(({ text }) => text).join(" "),
      confidence: Math.min(1, ...pieces.map(({ confidence }) => confidence)),
    };
    return [byGraph, heard].flatMap(({ text, confidence }) => {
      const said = textForMeaning(text);
      const nearness = meanings.compare(lesson.key, said);
      if (said === "" || nearness === null) return [];
      const found = { confidence, nearness, scores: retrieve.scores(text) };
      return [{ topics: topicFeatures(found), none: noneFeatures(found), meant }];
    });
  });
  return choices;
}

/** A share of all for each topic and for none of them, by Adam's descent: coefficients of topics, then of none. */
function fitShares(choices: readonly Choice[]): number[] {
  const width = choices[0]?.topics[0]?.length ?? 0;
  const weights = new Array<number>(width + 2).fill(0);
  const [steady, squared] = [weights.map(() => 0), weights.map(() => 0)];
  for (let round = 1; round <= SHARE_ROUNDS; round++) {
    const slopes = weights.map((weight, at) => (at === width ? 0 : SHARE_RIDGE * weight));
    for (const { topics, none, meant } of choices) {
      const odds = topics.map((features) => dot(features, weights));
      const rows = [...topics, [...new Array<number>(width).fill(0), ...none]];
      const raised = [...odds, dot(none, weights.slice(width))].map(Math.exp);
      const sum = raised.reduce((total, each) => total + each, 0);
      for (const [row, features] of rows.entries()) {
        const isMeant = row === (meant < 0 ? topics.length : meant);
        const error = (raised[row] ?? 0) / sum - (isMeant ? 1 : 0);
        for (const [at, value] of features.entries())
          slopes[at] = (slopes[at] ?? 0) + (error * value) / choices.length;
      }
    }
    for (const [at, slope] of slopes.entries()) {
      const mean = 0.9 * (steady[at] ?? 0) + 0.1 * slope;
      const square = 0.999 * (squared[at] ?? 0) + 0.001 * slope * slope;
      [steady[at], squared[at]] = [mean, square];
      const step = mean / (1 - 0.9 ** round) / (Math.sqrt(square / (1 - 0.999 ** round)) + 1e-8);
      weights[at] = (weights[at] ?? 0) - SHARE_STEP * step;
    }
  }
  return weights;
}

const logistic = (value: number) => 1 / (1 + Math.exp(-value));
const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const dot = (one: readonly number[], other: readonly number[]) =>
  one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);

const most = Number(process.argv[2] ?? Number.POSITIVE_INFINITY);
const readings: (readonly [Found | null, Found | null])[] = [];
const choices: Choice[] = [];
for (const faq of [GYM, CLINIC]) {
  const trials = await measureUnderstanding([faq], TUNING_CALLERS, most);
  readings.push(...readingsOf(faq, trials));
  choices.push(...(await choicesOf(faq, trials)));
}
const byGraph = fit(readings.map(([found]) => found).filter(isThere));
const byTranscriber = fit(readings.map(([, found]) => found).filter(isThere));
const examples = bothOf(readings, [byGraph, byTranscriber]);
const ofBoth = fit(examples);
const shares = fitShares(choices);
for (const [name, coefficients] of Object.entries({ byGraph, byTranscriber, ofBoth, shares }))
  console.log(`${name} [${coefficients.map((value) => value.toFixed(3)).join(", ")}]`);
for (const least of [0.3, 0.4, 0.5, 0.6, 0.7, 0.8]) {
  const accepted = examples.filter(({ features }) => logistic(dot(features, ofBoth)) >= least);
  const right = accepted.filter(({ isRight }) => isRight).length;
  console.log(
    `from ${least}: ${right} right, ${accepted.length - right} wrong of ${examples.length}`,
  );
}
process.exit(0);
