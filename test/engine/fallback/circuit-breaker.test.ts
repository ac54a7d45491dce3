/** When a service is skipped, and when it is tried again. */
import { expect, test } from "bun:test";
import { CircuitBreaker } from "../../../src/engine/fallback/circuit-breaker.ts";
import { fakeClock } from "../../support/fake-clock.ts";

function breaker() {
  const clock = fakeClock();
  return {
    clock,
    breaker: new CircuitBreaker({ breaker_failures: 3, breaker_open_sec: 30 }, clock),
  };
}

test("three failures in a row open it, a success in between does not", () => {
  const { breaker: one } = breaker();
  one.failed(false);
  one.failed(false);
  one.succeeded();
  one.failed(false);
  one.failed(false);
  expect(one.tryPass()).toBe(true);
  one.failed(false);
  expect(one.tryPass()).toBe(false);
});

test("a lasting failure opens it at once", () => {
  const { breaker: one } = breaker();
  one.failed(true);
  expect(one.state).toBe("open");
});

test("after a while one request may try: its success closes, its failure opens again", async () => {
  const { breaker: one, clock } = breaker();
  one.failed(true);
  await clock.advance(29_999);
  expect(one.tryPass()).toBe(false);
  await clock.advance(1);
  expect([one.tryPass(), one.tryPass(), one.tryPass()]).toEqual([true, false, false]);
  one.failed(false);
  expect(one.tryPass()).toBe(false);
  await clock.advance(30_000);
  expect(one.tryPass()).toBe(true);
  one.succeeded();
  expect([one.tryPass(), one.tryPass()]).toEqual([true, true]);
});

test("an aborted try allows the next one; one that never reports does so after a while", async () => {
  const { breaker: one, clock } = breaker();
  one.failed(true);
  await clock.advance(30_000);
  one.tryPass();
  one.abandoned();
  expect(one.tryPass()).toBe(true);
  expect(one.tryPass()).toBe(false);
  await clock.advance(30_000);
  expect(one.tryPass()).toBe(true);
});
