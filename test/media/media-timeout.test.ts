import { expect, test } from "bun:test";
import type { MediaDirection } from "../../src/core/media-plan.ts";
import { MediaTimeoutWatch } from "../../src/media/media-timeout.ts";

const LIMITS = { rtpTimeoutMs: 15_000, holdTimeoutMs: 600_000 };
const HOLDS: readonly MediaDirection[] = ["recvonly", "sendonly", "inactive"];

function watchFrom(direction: MediaDirection, nowMs = 0): MediaTimeoutWatch {
  const watch = new MediaTimeoutWatch(LIMITS);
  watch.follow(direction, nowMs);
  return watch;
}

test("before the first plan there is no time-out", () => {
  expect(new MediaTimeoutWatch(LIMITS).check(1e9, null)).toBeNull();
});

test("in sendrecv a silent remote party is lost at the limit, not below it, and once", () => {
  const watch = watchFrom("sendrecv");
  expect(watch.check(14_999, null)).toBeNull();
  for (let nowMs = 14_999; nowMs < 20_001; nowMs += 20)
    expect(watch.check(nowMs, 5_001)).toBeNull();
  expect(watch.check(20_001, 5_001)).toBe("lost");
  expect(watch.check(90_000, 5_001)).toBeNull();
});

test.each(HOLDS)(
  "on hold (%s) no packet is expected, and the hold has its own limit",
  (direction) => {
    const watch = watchFrom(direction, 1_000);
    expect(watch.check(600_999, null)).toBeNull();
    expect(watch.check(601_000, null)).toBe("held");
    expect(watch.check(700_000, null)).toBeNull();
  },
);

test("a limit exceeded between two checks is reported", () => {
  expect(watchFrom("inactive").check(600_001, null)).toBe("held");
  expect(watchFrom("sendrecv").check(15_001, null)).toBe("lost");
});

test("neither music on hold nor a repeated offer prolongs a hold", () => {
  const watch = watchFrom("recvonly");
  watch.follow("inactive", 300_000);
  watch.follow("recvonly", 599_999);
  expect(watch.check(599_999, 599_999)).toBeNull();
  expect(watch.check(600_000, 600_000)).toBe("held");
});

test("a call resumed from hold gets the full time-out again, on either side", () => {
  const watch = watchFrom("recvonly");
  watch.follow("sendrecv", 599_000);
  expect(watch.check(613_999, null)).toBeNull();
  watch.follow("recvonly", 614_000);
  expect(watch.check(1_213_999, null)).toBeNull();
  expect(watch.check(1_214_000, null)).toBe("held");
});

test("while the process is stopped, no call times out; afterwards the time-out restarts", () => {
  const watch = watchFrom("sendrecv");
  for (let nowMs = 0; nowMs <= 10_000; nowMs += 1_000) expect(watch.check(nowMs, null)).toBeNull();
  expect(watch.check(35_000, null)).toBeNull();
  for (let nowMs = 36_000; nowMs < 50_000; nowMs += 1_000)
    expect(watch.check(nowMs, null)).toBeNull();
  expect(watch.check(50_000, null)).toBe("lost");
});

test("a hold continues while the process is stopped", () => {
  const watch = watchFrom("inactive");
  expect(watch.check(500_000, null)).toBeNull();
  expect(watch.check(600_000, null)).toBe("held");
});

test("the time restarts with the answer", () => {
  const watch = watchFrom("sendrecv");
  watch.restart(10_000);
  for (let nowMs = 10_000; nowMs < 25_000; nowMs += 20) watch.check(nowMs, null);
  expect(watch.check(24_999, null)).toBeNull();
  expect(watch.check(25_000, null)).toBe("lost");
});

test("stopped between the answer and the first check, the call continues", () => {
  const watch = watchFrom("sendrecv");
  watch.restart(10_000);
  expect(watch.check(30_000, null)).toBeNull();
});
