import { expect, test } from "bun:test";
import { createStallMonitor } from "../../src/ops/event-loop-stall-monitor.ts";
import { fakeClock } from "../support/fake-clock.ts";

test("many stalls give a warning with their sum for ten minutes; one long suspension gives none", async () => {
  const clock = fakeClock();
  const watch = createStallMonitor(clock);
  watch.report(40_000);
  expect(watch.warning()).toBeNull();
  await clock.advance(600_000);
  for (let stall = 0; stall < 20; stall++) watch.report(150);
  expect(watch.warning()).toContain("20 times in the last ten minutes, 3 s in all");
  await clock.advance(600_000);
  expect(watch.warning()).toBeNull();
});
