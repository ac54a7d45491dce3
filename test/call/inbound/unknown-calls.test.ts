/** Calls to unknown numbers: how many calls of a flood are stored. */
import { expect, test } from "bun:test";
import { createUnknownCalls } from "../../../src/call/inbound/unknown-calls.ts";
import { fakeClock } from "../../support/fake-clock.ts";

test("a number is stored once a minute, and at most five times per trunk", async () => {
  const clock = fakeClock();
  const unknown = createUnknownCalls(clock);
  const stored = (numbers: readonly string[]) => numbers.map((n) => unknown.isToBeStored(1, n));
  expect(stored(["1", "1", "2", "3", "4", "5", "6"])).toEqual([
    ...[true, false, true, true, true, true],
    false,
  ]);
  expect(unknown.isToBeStored(2, "6")).toBe(true);
  await clock.advance(59_999);
  expect(unknown.isToBeStored(1, "1")).toBe(false);
  await clock.advance(1);
  expect(unknown.isToBeStored(1, "1")).toBe(true);
});

test("the 10,001st trunk clears the memory", () => {
  const unknown = createUnknownCalls(fakeClock());
  for (let trunk = 1; trunk <= 10_000; trunk++) unknown.isToBeStored(trunk, "1");
  expect(unknown.isToBeStored(1, "1")).toBe(false);
  expect(unknown.isToBeStored(10_001, "1")).toBe(true);
  expect(unknown.isToBeStored(1, "1")).toBe(true);
});
