import { expect, test } from "bun:test";
import {
  ANSWERED_TIME_TOLERANCE_MS,
  checkAnsweredTime,
  isTooFarOff,
} from "../../../src/features/billing/answered-time-check.ts";

const difference = (clock: number, rtp: number | null, engine: number | null) =>
  checkAnsweredTime({ answeredClockMs: clock, answeredRtpMs: rtp, answeredEngineMs: engine })
    .answeredDifferenceMs;

test("three equal measurements have no difference, and a quiet caller causes none", () => {
  expect(difference(60_000, 60_000, 60_000)).toBe(0);
  expect(difference(60_000, 60_000, 0)).toBe(0);
});

test("clock and RTP are compared both ways, the engine only if it reports too much", () => {
  expect(difference(60_000, 58_500, 10_000)).toBe(1_500);
  expect(difference(58_500, 60_000, 10_000)).toBe(1_500);
  expect(difference(60_000, 60_000, 62_000)).toBe(2_000);
  expect(difference(60_000, 58_000, 59_000)).toBe(2_000);
  expect(difference(60_000, 58_000, 62_000)).toBe(4_000);
});

test("a missing measurement causes no difference", () => {
  expect(difference(60_000, null, null)).toBe(0);
  expect(difference(60_000, null, 61_000)).toBe(1_000);
});

test("the tolerance is one billed second", () => {
  expect(ANSWERED_TIME_TOLERANCE_MS).toBe(1_000);
  const isReported = (rtpMs: number) =>
    isTooFarOff(
      checkAnsweredTime({ answeredClockMs: 60_000, answeredRtpMs: rtpMs, answeredEngineMs: null }),
    );
  expect([61_000, 61_001].map(isReported)).toEqual([false, true]);
});
