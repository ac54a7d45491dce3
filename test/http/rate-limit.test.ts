/** The sliding window, against a plain model of it. */
import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import fc from "fast-check";
import { memoryRateLimiter } from "../../src/http/rate-limit.ts";
import { fakeClock } from "../support/fake-clock.ts";

test("no 60 seconds have more than the limit, and never fewer than possible", async () => {
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

test("a whole window is 60 seconds at every fraction of a millisecond", () => {
  const clock = fakeClock();
  for (const nowMs of [44_491.864845, 48_715.371064, 91_310.469532]) {
    const limiter = memoryRateLimiter(() => 1, { ...clock, monotonic: () => nowMs });
    expect(limiter.take(1).resetSeconds).toBe(60);
    expect(limiter.take(1)).toMatchObject({ allowed: false, resetSeconds: 60 });
  }
});

test("keys do not share a window", async () => {
  const limiter = memoryRateLimiter(() => 1, fakeClock());
  expect((await limiter.take(1)).allowed).toBe(true);
  expect((await limiter.take(1)).allowed).toBe(false);
  expect((await limiter.take(2)).allowed).toBe(true);
});

test("keys older than a minute take no memory, and newer ones still count", async () => {
  const windows = () => {
    Bun.gc(true);
    return heapStats().objectTypeCounts.Float64Array ?? 0;
  };
  const clock = fakeClock();
  const limiter = memoryRateLimiter(() => 2, clock);
  const before = windows();
  for (let key = 0; key < 1000; key++) limiter.take(key);
  expect(windows() - before).toBeGreaterThan(900);
  await clock.advance(59_999);
  for (let key = 0; key < 100; key++) limiter.take(key);
  for (let key = 1000; key < 1500; key++) limiter.take(key);
  for (let key = 0; key < 100; key++) expect(limiter.take(key).allowed).toBe(false);
  await clock.advance(1);
  for (let key = 2000; key < 3000; key++) limiter.take(key);
  expect(windows() - before).toBeLessThan(1700);
  for (let key = 0; key < 100; key++)
    expect([limiter.take(key).allowed, limiter.take(key).allowed]).toEqual([true, false]);
});

test("isFull does not count", async () => {
  const clock = fakeClock();
  const limiter = memoryRateLimiter(() => 2, clock);
  const isFull = () => limiter.isFull(1);
  expect(isFull()).toBe(false);
  limiter.take(1);
  expect([isFull(), isFull(), isFull()]).toEqual([false, false, false]);
  limiter.take(1);
  expect([isFull(), limiter.isFull(2)]).toEqual([true, false]);
  await clock.advance(59_999);
  expect(isFull()).toBe(true);
  await clock.advance(1);
  expect(isFull()).toBe(false);
});

test("a changed limit also applies to requests counted before", () => {
  let limit = 3;
  const limiter = memoryRateLimiter(() => limit, fakeClock());
  for (let taken = 0; taken < 3; taken++) limiter.take(1);
  limit = 5;
  expect([1, 1, 1].map((key) => limiter.take(key).allowed)).toEqual([true, true, false]);
  limit = 2;
  expect(limiter.take(1).allowed).toBe(false);
  limit = 6;
  // Two were stored when the limit was two.
  expect(limiter.take(1)).toMatchObject({ allowed: true, remaining: 3 });
});

test("a heavier request takes that many slots, at most all but one", () => {
  const limiter = memoryRateLimiter(() => 5, fakeClock());
  expect(limiter.take(1, 3)).toMatchObject({ allowed: true, remaining: 2 });
  expect(limiter.take(1, 3).allowed).toBe(false);
  expect(limiter.take(1, 2)).toMatchObject({ allowed: true, remaining: 0 });
  expect(limiter.take(2, 9)).toMatchObject({ allowed: true, remaining: 1 });
});

test("with more than ten thousand keys in a minute each further one replaces another", () => {
  const limiter = memoryRateLimiter(() => 1, fakeClock());
  const known = () => {
    let count = 0;
    for (let key = 1; key <= 10_005; key++) if (limiter.isFull(key)) count++;
    return count;
  };
  for (let key = 1; key <= 10_000; key++) limiter.take(key);
  expect(known()).toBe(10_000);
  for (let key = 10_001; key <= 10_005; key++) limiter.take(key);
  expect([known(), limiter.isFull(10_005)]).toEqual([10_000, true]);
});
