/** How callers are split between two versions, and which differences count as significant. */
import { describe, expect, test } from "bun:test";
import { seededRandom } from "../../../src/core/random.ts";
import type { AgentContent } from "../../../src/features/agent/agent-content.ts";
import type { AgentRecord } from "../../../src/features/agent/agent-schema.ts";
import { agentOfCall } from "../../../src/features/agent/agent-split.ts";
import {
  compareCalls,
  meanOf,
  percentileOf,
  type SplitCall,
  shareOf,
} from "../../../src/features/agent/split-comparison.ts";

const agent = { id: 7, name: "A", prompt: "Published.", version: 3 } as AgentRecord;
const content = { name: "A", prompt: "Tried." } as AgentContent;
const key = new Uint8Array(32).fill(5);

function versionsOf(percent: number, numbers: readonly string[], random = seededRandom(1)) {
  const split = { version: 4, percent, content };
  return numbers.map((number) => agentOfCall(agent, split, { key, number, random }).version);
}

const NUMBERS = Array.from({ length: 5_000 }, (_, n) => `+3706${1_000_000 + n}`);
const triedIn = (versions: readonly number[]) => versions.filter((version) => version === 4).length;

describe("a caller", () => {
  test("always gets the same version, and the configured share of callers gets the other", () => {
    for (const percent of [1, 20, 50, 99]) {
      const versions = versionsOf(percent, NUMBERS);
      expect(versionsOf(percent, NUMBERS, seededRandom(2))).toEqual(versions);
      expect(Math.abs(triedIn(versions) / 50 - percent)).toBeLessThan(2);
    }
  });

  test("keeps the tried version when the percentage rises", () => {
    const [few, many] = [versionsOf(10, NUMBERS), versionsOf(40, NUMBERS)];
    expect(few.every((version, at) => version === 3 || many[at] === 4)).toBe(true);
  });

  test("without caller ID gets a random version for each call", () => {
    const tried = triedIn(versionsOf(30, new Array<string>(2_000).fill("")));
    expect(Math.abs(tried / 20 - 30)).toBeLessThan(4);
  });

  test.each([
    [0.499, 4],
    [0.5, 3],
  ])("with random number %d at 50 % gets version %d", (draw, version) => {
    const split = { version: 4, percent: 50, content };
    const random = { float: () => draw };
    expect(agentOfCall(agent, split, { key, number: "", random }).version).toBe(version);
  });

  test("runs the whole version", () => {
    const split = { version: 4, percent: 99, content };
    const number = NUMBERS.find((one) => versionsOf(99, [one])[0] === 4) ?? "";
    const random = seededRandom(1);
    expect(agentOfCall(agent, split, { key, number, random })).toMatchObject({
      id: 7,
      prompt: "Tried.",
      version: 4,
      isStoredVersion: true,
    });
    expect(agentOfCall(agent, null, { key, number, random })).toBe(agent);
  });
});

const near = (estimate: object, digits = 3) =>
  Object.values(estimate).map((value: number | null) => value && Number(value.toFixed(digits)));

describe("an interval", () => {
  test("of a share is Wilson's", () => {
    expect(near(shareOf(8, 10)(0.95))).toEqual([0.8, 0.49, 0.943]);
    expect(near(shareOf(0, 20)(0.95))).toEqual([0, 0, 0.161]);
    expect(shareOf(0, 0)(0.95)).toEqual({ value: null, low: null, high: null });
  });

  test("of a mean is Student's, and null below five values", () => {
    // t(0.975, 9) = 2.262; the standard deviation of 1 to 10 is 3.028.
    const values = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    expect(near(meanOf(values)(0.95), 2)).toEqual([5.5, 3.33, 7.67]);
    expect(meanOf([1, 2, 3, 4])(0.95)).toEqual({ value: 2.5, low: null, high: null });
  });

  test("of a mean is as wide as the table of Student's t says, to 0.001", () => {
    // The mean is 0 with a standard error of 1; t(0.975, 9) = 2.26216.
    const { low, high } = meanOf([-6, -3, -3, 0, 0, 0, 3, 3, 3, 3])(0.95);
    expect(Math.abs((high ?? 0) - 2.26216)).toBeLessThan(0.001);
    expect(Math.abs((low ?? 0) + 2.26216)).toBeLessThan(0.001);
  });

  // Abramowitz and Stegun 26.7.5 with three terms, of the normal quantile by 26.2.23.
  test.each([
    [[-3, -1, 0, 1, 3], 0.95, 2.770346],
    [[-3, -1, 0, 1, 3], 0.99, 4.548385],
    [[-6, -3, -3, 0, 0, 0, 3, 3, 3, 3], 0.99, 3.248575],
  ])("of %j (standard error 1) at %d is ±%d", (values, confidence, half) => {
    expect(meanOf(values)(confidence).high).toBeCloseTo(half, 5);
  });

  test("of a percentile uses ranks, and is null for too few values", () => {
    const values = Array.from({ length: 200 }, (_, n) => n + 1);
    expect(percentileOf(values, 0.5)(0.95)).toEqual({ value: 100, low: 86, high: 115 });
    expect(percentileOf(values, 0.95)(0.95)).toEqual({ value: 190, low: 183, high: 198 });
    expect(percentileOf([3, 1, 2], 0.95)(0.95)).toEqual({ value: 3, low: null, high: null });
  });
});

const call = (version: number, changes: Partial<SplitCall> = {}): SplitCall => ({
  version,
  status: "completed",
  endedReason: "caller_hangup",
  answeredMs: 60_000,
  cost: 100_000,
  latencyP50Ms: 800,
  latencyP95Ms: 1200,
  tookMessage: false,
  ...changes,
});

/** Calls of two equal versions. */
function drawnCalls(seed: number, count: number, ofTried: Partial<SplitCall> = {}): SplitCall[] {
  const { float } = seededRandom(seed);
  return Array.from({ length: count }, (_, n) => {
    const isTried = n % 2 === 1;
    const reasons = ["caller_hangup", "agent_hangup", "transferred", "silence_timeout"];
    return call(isTried ? 2 : 1, {
      endedReason: reasons[Math.floor(float() * 4)] ?? null,
      answeredMs: 20_000 + float() * 100_000,
      latencyP50Ms: 600 + float() * 400,
      latencyP95Ms: 900 + float() * 900,
      cost: Math.round(50_000 + float() * 90_000),
      tookMessage: float() < 0.3,
      ...(isTried ? ofTried : {}),
    });
  });
}

const VERSIONS = { published: 1, tried: 2 };

describe("a comparison", () => {
  test("of equal calls is noise", () => {
    const alike = Array.from({ length: 20 }, (_, n) => call(1 + (n % 2)));
    const compared = compareCalls(alike, VERSIONS);
    expect(compared.filter(({ isNoise }) => !isNoise)).toEqual([]);
    expect(compared.find(({ measure }) => measure === "cost")?.difference).toEqual({
      value: 0,
      low: 0,
      high: 0,
    });
  });

  test.each([
    [10, 4],
    [4, 10],
  ])("of %d calls with %d has means without an interval", (published, tried) => {
    const calls = [
      ...Array.from({ length: published }, () => call(1)),
      ...Array.from({ length: tried }, () => call(2)),
    ];
    const cost = compareCalls(calls, VERSIONS).find(({ measure }) => measure === "cost");
    expect(cost?.difference).toEqual({ value: 0, low: null, high: null });
    expect(cost?.isNoise).toBe(true);
  });

  test.each([1, 2])(
    "with a version without calls has no difference (only %d has calls)",
    (version) => {
      const calls = Array.from({ length: 10 }, () => call(version));
      for (const { difference } of compareCalls(calls, VERSIONS))
        expect(difference).toEqual({ value: null, low: null, high: null });
    },
  );

  test("of five calls has intervals of the means", () => {
    expect(meanOf([1, 2, 3, 4, 5])(0.95).low).not.toBeNull();
  });

  test("counts lengths in seconds and costs in euros", () => {
    const compared = compareCalls(
      [call(1), call(2, { answeredMs: 90_000, cost: 250_000 })],
      VERSIONS,
    );
    const values = compared.map(({ measure, published, tried, difference }) => [
      ...[measure, published.value, tried.value, difference.value?.toFixed(2)],
    ]);
    expect(values.slice(0, 5)).toEqual([
      ["answered", 1, 1, "0.00"],
      ["length_sec", 60, 90, "30.00"],
      ["latency_p50_ms", 800, 800, "0.00"],
      ["latency_p95_ms", 1200, 1200, "0.00"],
      ["cost", 0.1, 0.25, "0.15"],
    ]);
  });

  test("of two shares has Newcombe's interval", () => {
    const of = (version: number, answered: number, count: number) =>
      Array.from({ length: count }, (_, n) =>
        call(version, n < answered ? {} : { answeredMs: null }),
      );
    // The first example of Newcombe's paper (1998), his method 10.
    const [answered] = compareCalls([...of(1, 48, 80), ...of(2, 56, 70)], VERSIONS);
    expect(near(answered?.difference ?? {}, 4)).toEqual([0.2, 0.0524, 0.3339]);
  });

  test("calls equal versions different in at most 5 of 100 cases", () => {
    const wrong = Array.from({ length: 300 }, (_, seed) =>
      compareCalls(drawnCalls(seed, 200), VERSIONS).some(({ isNoise }) => !isNoise),
    ).filter(Boolean).length;
    expect(wrong / 300).toBeLessThan(0.06);
  });

  test("finds the changed measures and no others", () => {
    const calls = drawnCalls(3, 600, { answeredMs: 120_000, tookMessage: true });
    const found = compareCalls(calls, VERSIONS).filter(({ isNoise }) => !isNoise);
    expect(found.map(({ measure, name }) => name ?? measure)).toEqual([
      "length_sec",
      "message_taken",
    ]);
    expect(found[0]?.tried).toEqual({ value: 120, low: 120, high: 120 });
    expect(found[1]?.difference.low).toBeGreaterThan(0.5);
  });

  test("of no or few calls is noise", () => {
    expect(compareCalls([], VERSIONS).map(({ measure, isNoise }) => [measure, isNoise])).toEqual([
      ["answered", true],
      ["length_sec", true],
      ["latency_p50_ms", true],
      ["latency_p95_ms", true],
      ["cost", true],
    ]);
    const few = compareCalls([call(1), call(2, { answeredMs: null })], VERSIONS);
    expect(few.every(({ isNoise }) => isNoise)).toBe(true);
  });
});
