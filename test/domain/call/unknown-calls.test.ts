/** Calls to numbers that are not set up leave a bounded trace. */
import { expect, test } from "bun:test";
import { createUnknownCalls } from "../../../src/domain/call/unknown-calls.ts";
import { fakeClock } from "../../support/fake-clock.ts";

test("one row a number and minute, five a trunk and minute", async () => {
  const clock = fakeClock();
  const calls = createUnknownCalls(clock);
  const stored = (trunk: number, number: string) => calls.isToBeStored(trunk, number);
  expect(stored(1, "+37060000001")).toBe(true);
  expect(stored(1, "+37060000001")).toBe(false);
  expect(stored(2, "+37060000001")).toBe(true);
  const more = ["2", "3", "4", "5", "6"].map((last) => stored(1, `+3706000000${last}`));
  expect(more).toEqual([true, true, true, true, false]);
  await clock.advance(59_999);
  expect(stored(1, "+37060000001")).toBe(false);
  await clock.advance(1);
  expect(stored(1, "+37060000001")).toBe(true);
});
