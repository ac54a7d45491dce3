import { expect, test } from "bun:test";
import { silentLog } from "../../src/core/log.ts";
import { detectSuspensions } from "../../src/ops/suspend-detector.ts";
import { fakeClock } from "../support/fake-clock.ts";

test("a suspension and a step of the clock are reported once each, and nothing else", async () => {
  const clock = fakeClock();
  const told: unknown[] = [];
  const log = {
    ...silentLog,
    warn: (event: string, fields = {}) => told.push({ event, ...fields }),
  };
  const watch = detectSuspensions(clock, log);
  await clock.advance(60_000);
  expect(told).toEqual([]);
  clock.stop(40_000);
  await clock.advance(500);
  expect(told.splice(0)).toEqual([{ event: "process.suspended", ms: 40_000 }]);
  clock.stepWallClock(-3_600_000);
  await clock.advance(3_000);
  expect(told).toEqual([{ event: "clock.stepped", by_ms: -3_600_000 }]);
  watch.cancel();
});
