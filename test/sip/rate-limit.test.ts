/** Rate limit per source: a burst, then the rate, however much more it sends. */
import { expect, test } from "bun:test";
import { RateLimit } from "../../src/sip/transport/rate-limit.ts";
import { fakeClock } from "../support/fake-clock.ts";

function world(sourcesMax = 10) {
  const clock = fakeClock();
  const limit = new RateLimit(clock, { tokensPerSecond: 4, burst: 8, sourcesMax });
  const passed = (source: string, times: number) =>
    Array.from({ length: times }, () => limit.take(source)).filter(Boolean).length;
  return { clock, limit, passed };
}

test("a burst passes at once, then the rate's share; a source at rest has one burst", async () => {
  const { clock, passed } = world();
  expect(passed("a", 20)).toBe(8);
  await clock.advance(249);
  expect(passed("a", 1)).toBe(0);
  await clock.advance(1);
  expect(passed("a", 20)).toBe(1);
  expect(passed("b", 20)).toBe(8);
  await clock.advance(3_600_000);
  expect(passed("a", 20)).toBe(8);
});

test.each([5, 20, 100])("at %d per second for ten seconds the rate's number passes", async (n) => {
  const { clock, passed } = world();
  passed("a", 8);
  let count = 0;
  for (let sent = 0; sent < 10 * n; sent++) {
    await clock.advance(1_000 / n);
    count += passed("a", 1);
  }
  expect(count).toBe(40);
});

test("an expensive message uses up the remaining budget", async () => {
  const { clock, limit, passed } = world();
  limit.take("a", 5);
  limit.take("a", 5);
  expect(passed("a", 1)).toBe(0);
  await clock.advance(250);
  expect(passed("a", 2)).toBe(1);
});

test("of too many sources the longest quiet one is forgotten", () => {
  const { passed } = world(2);
  for (const source of ["a", "b", "a", "c"]) passed(source, 8);
  expect([passed("a", 1), passed("b", 1)]).toEqual([0, 1]);
});
