/** The sliding window, against a plain model of it. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { memoryRateLimiter } from "../../../src/interface/http/rate-limit.ts";
import { fakeClock } from "../../support/fake-clock.ts";

test("in no 60 seconds do more than the limit pass, and never fewer than could", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.integer({ min: 0, max: 25_000 }), { maxLength: 60 }),
      async (limit, pauses) => {
        const clock = fakeClock();
        const limiter = memoryRateLimiter(() => limit, clock);
        let passed: number[] = [];
        for (const pause of pauses) {
          await clock.advance(pause);
          const now = clock.monotonic();
          passed = passed.filter((time) => now - time < 60_000);
          const verdict = await limiter.take(1);
          expect(verdict.allowed).toBe(passed.length < limit);
          if (verdict.allowed) passed.push(now);
          expect(verdict.remaining).toBe(limit - passed.length);
          const oldest = passed[0] ?? now;
          expect(verdict.resetSeconds).toBe(Math.max(1, Math.ceil((oldest + 60_000 - now) / 1000)));
        }
      },
    ),
  );
});

test("keys do not share a window", async () => {
  const limiter = memoryRateLimiter(() => 1, fakeClock());
  expect((await limiter.take(1)).allowed).toBe(true);
  expect((await limiter.take(1)).allowed).toBe(false);
  expect((await limiter.take(2)).allowed).toBe(true);
});
