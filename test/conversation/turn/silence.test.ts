import { expect, test } from "bun:test";
import { DigitCollector } from "../../../src/conversation/turn/digits.ts";
import { SilenceWatch } from "../../../src/conversation/turn/silence.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { SETTINGS } from "../../support/media/scripted-call.ts";

function watch() {
  const clock = fakeClock();
  const events: string[] = [];
  const silence = new SilenceWatch(SETTINGS, clock, {
    prompt: (count) => events.push(`prompt ${count} at ${clock.elapsedMs}`),
    timeout: () => events.push(`timeout at ${clock.elapsedMs}`),
  });
  return { clock, silence, events };
}

test("prompts come 8 s after each start of listening, the time-out 30 s after the caller", async () => {
  const { clock, silence, events } = watch();
  silence.start();
  await clock.advance(9_000);
  silence.stop();
  silence.start();
  await clock.advance(9_000);
  silence.stop();
  silence.start();
  await clock.advance(20_000);
  expect(events).toEqual(["prompt 1 at 8000", "prompt 2 at 17000", "timeout at 30000"]);
});

test("an active caller restarts the count", async () => {
  const { clock, silence, events } = watch();
  silence.start();
  await clock.advance(7_000);
  silence.stop();
  silence.callerActive();
  silence.start();
  await clock.advance(7_000);
  expect(events).toEqual([]);
  await clock.advance(1_000);
  expect(events).toEqual(["prompt 1 at 15000"]);
});

test("hold stops the count, and it restarts afterwards", async () => {
  const { clock, silence, events } = watch();
  silence.start();
  await clock.advance(7_000);
  silence.hold(true);
  await clock.advance(100_000);
  silence.stop();
  silence.start();
  await clock.advance(100_000);
  expect(events).toEqual([]);
  silence.hold(false);
  await clock.advance(8_000);
  expect(events).toEqual(["prompt 1 at 215000"]);
});

test("a stopped watch has no timer", () => {
  const { clock, silence } = watch();
  silence.start();
  silence.stop();
  expect(clock.pendingTimers).toBe(0);
});

test("keys become a number at # or after 2 s, with at most 32 of them", async () => {
  const clock = fakeClock();
  const numbers: string[] = [];
  const digits = new DigitCollector(
    clock,
    (number) => numbers.push(number),
    () => false,
  );
  for (const key of "12*#") digits.add(key);
  digits.add("7");
  await clock.advance(1_990);
  expect(numbers).toEqual(["12*"]);
  await clock.advance(10);
  expect(numbers).toEqual(["12*", "7"]);
  for (let count = 0; count < 40; count++) digits.add("1");
  expect(numbers[2]).toHaveLength(32);
  digits.stop();
  digits.add("#");
  await clock.advance(5_000);
  expect(numbers).toHaveLength(3);
});

test("a prompt due together with the time-out is left out", async () => {
  const { clock, silence, events } = watch();
  silence.start();
  await clock.advance(2_000);
  silence.stop();
  await clock.advance(20_000);
  silence.start(); // 8 s before the time-out, as long as a prompt takes
  await clock.advance(8_000);
  expect(events).toEqual(["timeout at 30000"]);
});
