/** The clock of rehearsals advances only on request. */
import { expect, test } from "bun:test";
import { VirtualClock } from "../../../src/features/rehearsal/virtual-clock.ts";

test("wall time and monotonic time advance together, in whole milliseconds", () => {
  const clock = new VirtualClock(1_000_000);
  clock.advance(250.5);
  expect([clock.now(), clock.monotonic()]).toEqual([1_000_250, 250.5]);
});

test("timers due at the same time run in the order of their creation", () => {
  const clock = new VirtualClock(0);
  const ran: number[] = [];
  for (const name of [1, 2, 3]) clock.after(10, () => void ran.push(name));
  clock.advance(10);
  expect(ran).toEqual([1, 2, 3]);
});

test("timers run in order and at their time, repeated ones as often as they are due", () => {
  const clock = new VirtualClock(0);
  const ran: string[] = [];
  const note = (name: string) => () => void ran.push(`${name} ${clock.monotonic()}`);
  clock.after(30, note("later"));
  clock.after(10, note("soon"));
  clock.after(-5, note("at once"));
  const every = clock.every(20, note("every"));
  const never = clock.after(15, note("never"));
  never.cancel();
  clock.advance(9);
  expect(ran).toEqual(["at once 0"]);
  clock.advance(31);
  expect(ran).toEqual(["at once 0", "soon 10", "every 20", "later 30", "every 40"]);
  every.cancel();
  clock.advance(100);
  expect([ran.length, clock.monotonic()]).toEqual([5, 140]);
});
