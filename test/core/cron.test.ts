/** Jobs that are due at wall-clock times, while that clock is changed. */
import { expect, test } from "bun:test";
import { startCron } from "../../src/core/cron.ts";
import { fakeClock } from "../support/fake-clock.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A Saturday's noon in the machine's zone, whichever that is. */
const noon = () => new Date(2026, 10, 21, 12, 0, 0).getTime();

function arrange(pattern: string, startMs = noon()) {
  const clock = fakeClock(startMs);
  const times: string[] = [];
  const timer = startCron(clock, pattern, () => {
    const now = new Date(clock.now());
    times.push(`${now.getDate()}. ${now.getHours()}:${String(now.getMinutes()).padStart(2, "0")}`);
  });
  return { clock, times, timer };
}

test("it is due at its minute, each time once, and never after it was cancelled", async () => {
  const { clock, times, timer } = arrange("30 3 * * *");
  await clock.advance(2 * DAY);
  expect(times).toEqual(["22. 3:30", "23. 3:30"]);
  timer.cancel();
  await clock.advance(DAY);
  expect(times).toHaveLength(2);
  expect(clock.pendingTimers).toBe(0);
});

test("what a machine slept through, or a clock stepped over, is made up for once", async () => {
  const { clock, times } = arrange("30 3 * * *");
  clock.stepWallClock(3 * DAY);
  await clock.advance(MINUTE);
  expect(times).toEqual(["24. 12:00"]);
  await clock.advance(DAY);
  expect(times).toEqual(["24. 12:00", "25. 3:30"]);
});

test("after the clock is set back, even to 1970, jobs follow the new time", async () => {
  const { clock, times } = arrange("30 3 * * *");
  const before = clock.now();
  clock.stepWallClock(-before);
  await clock.advance(DAY + HOUR);
  expect(times.length).toBeGreaterThanOrEqual(1);
  const in1970 = times.length;
  clock.stepWallClock(before);
  await clock.advance(MINUTE);
  expect(times).toHaveLength(in1970 + 1);
});
