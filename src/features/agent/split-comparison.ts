/**
 * Compares the calls of two versions: each figure and the difference with 95 % intervals, and whether the
 * difference may be chance.
 *
 * Intervals: Wilson's for shares, Student's t for means, order statistics for percentiles. The interval of a
 * difference follows from both (Zou and Donner's method; Newcombe's for shares, nearly Welch's for means).
 *
 * With many rows, one may differ by chance. So significance uses a level for all rows together (Bonferroni).
 */

export interface SplitCall {
  readonly version: number;
  readonly status: string;
  readonly endedReason: string | null;
  /** Null if it was not answered. */
  readonly answeredMs: number | null;
  /** Micro-euro. */
  readonly cost: number;
  readonly latencyP50Ms: number | null;
  readonly latencyP95Ms: number | null;
  readonly tookMessage: boolean;
}

/** `value` null: no data. `low` and `high` null: too few calls for an interval. */
export type Estimate =
  | { readonly value: number | null; readonly low: null; readonly high: null }
  | { readonly value: number; readonly low: number; readonly high: number };

export interface SplitMeasure {
  readonly measure:
    | "answered"
    | "length_sec"
    | "latency_p50_ms"
    | "latency_p95_ms"
    | "cost"
    | "ended_reason"
    | "result";
  /** Name of the end reason or result. */
  readonly name: string | null;
  readonly published: Estimate;
  readonly tried: Estimate;
  /** Tried version minus published version. */
  readonly difference: Estimate;
  readonly isNoise: boolean;
}

const CONFIDENCE = 0.95;
/** Minimum number of values for a mean's interval. */
const MEAN_COUNT_MIN = 5;
const MICRO_PER_EUR = 1_000_000;

type Values = readonly number[];
type EstimateOf = (confidence: number) => Estimate;

/** The quantile of the normal distribution (Abramowitz and Stegun 26.2.23, error below 0.00045). */
function normalQuantile(share: number): number {
  const t = Math.sqrt(-2 * Math.log(1 - share));
  const above = 2.515517 + t * (0.802853 + t * 0.010328);
  return t - above / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

const zOf = (confidence: number) => normalQuantile((1 + confidence) / 2);

/** The quantile of Student's t, by the expansion of Cornish and Fisher. */
function tOf(confidence: number, degrees: number): number {
  const z = zOf(confidence);
  return (
    z +
    (z ** 3 + z) / (4 * degrees) +
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * degrees ** 3)
  );
}

const UNKNOWN: Estimate = { value: null, low: null, high: null };

/** Wilson's interval. */
export const shareOf =
  (count: number, of: number): EstimateOf =>
  (confidence) => {
    if (of === 0) return UNKNOWN;
    const [share, z] = [count / of, zOf(confidence)];
    const scale = 1 + z ** 2 / of;
    const middle = (share + z ** 2 / (2 * of)) / scale;
    const half = (z * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2))) / scale;
    const low = count === 0 ? 0 : middle - half;
    return { value: share, low, high: count === of ? 1 : middle + half };
  };

export const meanOf =
  (values: Values): EstimateOf =>
  (confidence) => {
    const count = values.length;
    const [first] = values;
    if (first === undefined) return UNKNOWN;
    // Offset by the first value, so that the mean of equal values is exactly that value.
    const mean = first + values.reduce((sum, value) => sum + (value - first), 0) / count;
    if (count < MEAN_COUNT_MIN) return { value: mean, low: null, high: null };
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
    const half = tOf(confidence, count - 1) * Math.sqrt(variance / count);
    return { value: mean, low: mean - half, high: mean + half };
  };

/** The nearest rank, and the ranks that bound the percentile. */
export const percentileOf =
  (values: Values, share: number): EstimateOf =>
  (confidence) => {
    const sorted = values.toSorted((left, right) => left - right);
    const count = sorted.length;
    const value = sorted[Math.max(0, Math.ceil(count * share) - 1)];
    if (value === undefined) return UNKNOWN;
    const half = zOf(confidence) * Math.sqrt(count * share * (1 - share));
    const low = sorted[Math.floor(count * share - half) - 1];
    const high = sorted[Math.ceil(count * share + half)];
    return low === undefined || high === undefined
      ? { value, low: null, high: null }
      : { value, low, high };
  };

function differenceOf(from: Estimate, to: Estimate): Estimate {
  if (from.value === null || to.value === null) return UNKNOWN;
  const value = to.value - from.value;
  if (from.low === null || to.low === null) return { value, low: null, high: null };
  return {
    value,
    low: value - Math.hypot(to.value - to.low, from.high - from.value),
    high: value + Math.hypot(to.high - to.value, from.value - from.low),
  };
}

const mayBeChance = ({ low, high }: Estimate) => low === null || (low <= 0 && high >= 0);

type Measured = Pick<SplitMeasure, "measure" | "name"> & {
  readonly of: (calls: readonly SplitCall[]) => EstimateOf;
};

const present = (values: readonly (number | null)[]): number[] =>
  values.filter((value) => value !== null);

const FIGURES: readonly Measured[] = [
  {
    measure: "answered",
    name: null,
    of: (calls) => shareOf(calls.filter((call) => call.answeredMs !== null).length, calls.length),
  },
  {
    measure: "length_sec",
    name: null,
    of: (calls) =>
      meanOf(present(calls.map(({ answeredMs }) => answeredMs)).map((answered) => answered / 1000)),
  },
  {
    measure: "latency_p50_ms",
    name: null,
    of: (calls) => percentileOf(present(calls.map((call) => call.latencyP50Ms)), 0.5),
  },
  {
    measure: "latency_p95_ms",
    name: null,
    of: (calls) => percentileOf(present(calls.map((call) => call.latencyP95Ms)), 0.95),
  },
  {
    measure: "cost",
    name: null,
    of: (calls) => meanOf(calls.map(({ cost }) => cost / MICRO_PER_EUR)),
  },
];

const sharesBy = (
  measure: "ended_reason" | "result",
  calls: readonly SplitCall[],
  namesOf: (call: SplitCall) => readonly (string | null)[],
): Measured[] =>
  [...new Set(calls.flatMap(namesOf))]
    .filter((name) => name !== null)
    .sort()
    .map((name) => ({
      measure,
      name,
      of: (own) => shareOf(own.filter((call) => namesOf(call).includes(name)).length, own.length),
    }));

const resultsOf = ({ status, tookMessage }: SplitCall) =>
  tookMessage ? [status, "message_taken"] : [status];

/** `calls`: finished calls of both versions. */
export function compareCalls(
  calls: readonly SplitCall[],
  versions: { readonly published: number; readonly tried: number },
): SplitMeasure[] {
  const measured = [
    ...FIGURES,
    ...sharesBy("ended_reason", calls, ({ endedReason }) => [endedReason]),
    ...sharesBy("result", calls, resultsOf),
  ];
  const ofVersion = (version: number) => calls.filter((call) => call.version === version);
  const [before, after] = [ofVersion(versions.published), ofVersion(versions.tried)];
  const forAll = 1 - (1 - CONFIDENCE) / measured.length;
  return measured.map(({ measure, name, of }) => {
    const [published, tried] = [of(before), of(after)];
    return {
      measure,
      name,
      published: published(CONFIDENCE),
      tried: tried(CONFIDENCE),
      difference: differenceOf(published(CONFIDENCE), tried(CONFIDENCE)),
      isNoise: mayBeChance(differenceOf(published(forAll), tried(forAll))),
    };
  });
}
