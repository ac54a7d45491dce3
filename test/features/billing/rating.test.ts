import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { microEur, priceOfSeconds } from "../../../src/core/money.ts";
import { monthIn } from "../../../src/features/billing/plan-usage.ts";
import {
  affordableSeconds,
  billableSeconds,
  rateCall,
} from "../../../src/features/billing/rating.ts";

describe("rating", () => {
  test("bills each started second, at least 15, and nothing for an unanswered call", () => {
    const table = [
      [0, 0],
      [1, 15],
      [14_999, 15],
      [15_000, 15],
      [15_001, 16],
      [60_000, 60],
      [60_000.5, 61],
      [3_600_000, 3600],
    ] as const;
    for (const [answeredMs, seconds] of table) expect(billableSeconds(answeredMs)).toBe(seconds);
  });

  test("prices of 1 to 60 seconds are exact arithmetic, rounded half up once", () => {
    for (const rate of [1, 29, 30, 31, 59, 60, 61, 100_001, 120_000, 150_000, 999_999])
      for (let seconds = 1; seconds <= 60; seconds++) {
        const sixtieths = BigInt(seconds) * BigInt(rate);
        const exact = sixtieths / 60n + (sixtieths % 60n >= 30n ? 1n : 0n);
        expect(Number(priceOfSeconds(seconds, microEur(rate)))).toBe(Number(exact));
      }
    // One second: 0.09, 0.12, 0.15 and 0.100001 EUR per minute.
    const oneSecond = [90_000, 120_000, 150_000, 100_001].map((rate) =>
      Number(priceOfSeconds(1, microEur(rate))),
    );
    expect(oneSecond).toEqual([1500, 2000, 2500, 1667]);
  });

  test("uses plan seconds first and rounds the rest half up, once", () => {
    const funds = { planSeconds: 10, money: microEur(10 ** 9) };
    // 5 s at 0.100001 EUR per minute are 8333.4166…
    expect(rateCall(15_000, funds, microEur(100_001))).toEqual({
      billableSeconds: 15,
      includedSeconds: 10,
      overageSeconds: 5,
      overagePerMinute: microEur(100_001),
      cost: microEur(8333),
    });
    // 15 s at 2 micro-euro per minute are 0.5
    const none = { planSeconds: 0, money: microEur(100) };
    expect(rateCall(1, none, microEur(2)).cost).toBe(microEur(1));
  });

  test("the wallet pays at most the available funds", () => {
    const funds = { planSeconds: 0, money: microEur(1000) };
    expect(rateCall(60_000, funds, microEur(120_000))).toMatchObject({
      billableSeconds: 60,
      overageSeconds: 60,
      cost: microEur(1000),
    });
  });

  test("affordable seconds are the most whose price fits the funds", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10 ** 9 }),
        fc.integer({ min: 1, max: 10 ** 7 }),
        (money, rate) => {
          const seconds = affordableSeconds(microEur(money), microEur(rate), 10 ** 9);
          if (seconds < 10 ** 9)
            expect(priceOfSeconds(seconds + 1, microEur(rate))).toBeGreaterThan(money);
          expect(priceOfSeconds(seconds, microEur(rate))).toBeLessThanOrEqual(money);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("a month is the calendar month of the tenant's zone", () => {
    const justBeforeUtcMidnight = Date.parse("2026-10-31T22:30:00Z");
    expect(monthIn("Europe/Vilnius", justBeforeUtcMidnight)).toBe("2026-11");
    expect(monthIn("UTC", justBeforeUtcMidnight)).toBe("2026-10");
    expect(monthIn("Pacific/Honolulu", Date.parse("2027-01-01T05:00:00Z"))).toBe("2026-12");
    expect(() => monthIn("Europe/Nowhere", 0)).toThrow(RangeError);
  });
});
