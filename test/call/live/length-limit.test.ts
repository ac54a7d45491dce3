/** The longest call, and its billed part. */
import { expect, test } from "bun:test";
import { LengthLimit } from "../../../src/call/live/length-limit.ts";
import { billableSeconds } from "../../../src/features/billing/rating.ts";
import { fakeClock } from "../../support/fake-clock.ts";

function limitOf(secondsMax: number, isBridged = () => false) {
  const clock = fakeClock();
  let reached = 0;
  const limit = new LengthLimit({
    clock,
    secondsMax,
    isBridged,
    onReached: () => {
      reached++;
    },
  });
  return { clock, limit, reached: () => reached };
}

test("a call ends at its maximum, not before it", async () => {
  const { clock, limit, reached } = limitOf(30);
  limit.begin(clock.monotonic());
  await clock.advance(29_999);
  expect(reached()).toBe(0);
  await clock.advance(1);
  expect(reached()).toBe(1);
});

test("however late the end is, no second above the maximum is billed", async () => {
  for (const [answeredMs, seconds] of [
    [28_400, 29],
    [29_999, 30],
    [30_000, 30],
    [30_001, 30],
    [34_000, 30],
  ] as const) {
    const { clock, limit } = limitOf(30);
    const beganAt = clock.monotonic();
    limit.begin(beganAt);
    await clock.advance(answeredMs);
    expect([answeredMs, billableSeconds(limit.stop() - beganAt)]).toEqual([answeredMs, seconds]);
    expect(clock.pendingTimers).toBe(0);
  }
});

test("two people on a bridge have four hours, all of them billed", async () => {
  let bridged = false;
  const { clock, limit, reached } = limitOf(30, () => bridged);
  const beganAt = clock.monotonic();
  limit.begin(beganAt);
  await clock.advance(20_000);
  bridged = true;
  await clock.advance(4 * 3_600_000 - 20_001);
  expect(reached()).toBe(0);
  await clock.advance(1);
  expect(reached()).toBe(1);
  expect(limit.stop() - beganAt).toBe(4 * 3_600_000);
});

test("an unanswered call has no length limit", async () => {
  const { clock, limit, reached } = limitOf(30);
  await clock.advance(60_000);
  limit.stop();
  expect(reached()).toBe(0);
});
