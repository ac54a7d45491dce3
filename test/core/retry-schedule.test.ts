import { describe, expect, test } from "bun:test";
import { seededRandom } from "../../src/core/random.ts";
import { ATTEMPT_DELAYS_MS, nextDelayMs, parseRetryAfter } from "../../src/core/retry-schedule.ts";

describe("the retry schedule", () => {
  test("pauses 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h, each ±10 %, then gives up", () => {
    const random = seededRandom(7);
    const planned = [5, 300, 1800, 7200, 18_000, 36_000, 36_000].map((seconds) => seconds * 1000);
    expect(ATTEMPT_DELAYS_MS).toEqual([0, ...planned]);
    for (const [index, delay] of planned.entries())
      for (let turn = 0; turn < 200; turn++) {
        const actual = nextDelayMs(index + 1, null, random) ?? Number.NaN;
        expect(actual).toBeGreaterThanOrEqual(delay * 0.9);
        expect(actual).toBeLessThanOrEqual(delay * 1.1);
      }
    expect(nextDelayMs(8, null, random)).toBeNull();
    expect(nextDelayMs(8, 1000, random)).toBeNull();
  });

  test("Retry-After makes it later, never sooner, and not for ever", () => {
    const random = seededRandom(7);
    expect(nextDelayMs(1, 60_000, random)).toBe(60_000);
    expect(nextDelayMs(2, 1000, random)).toBeGreaterThan(200_000);
    expect(nextDelayMs(1, 10 ** 12, random)).toBe(36_000_000);
  });

  test("Retry-After is read as seconds or as a date", () => {
    const now = Date.parse("2026-11-21T04:05:06Z");
    expect(parseRetryAfter("120", now)).toBe(120_000);
    expect(parseRetryAfter("Sat, 21 Nov 2026 04:06:06 GMT", now)).toBe(60_000);
    expect(parseRetryAfter("Sat, 21 Nov 2020 04:06:06 GMT", now)).toBe(0);
    expect(parseRetryAfter("soon", now)).toBeNull();
    expect(parseRetryAfter(undefined, now)).toBeNull();
  });
});
