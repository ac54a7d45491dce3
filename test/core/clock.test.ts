/** Waiting with a limit. */
import { expect, test } from "bun:test";
import { within } from "../../src/core/clock.ts";
import { fakeClock } from "../support/fake-clock.ts";

test("work in time gives its result or its error, late work gives null; no timer is left", async () => {
  const clock = fakeClock();
  expect(await within(clock, 100, Promise.resolve("done"))).toBe("done");
  await expect(within(clock, 100, Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  const late = within(clock, 100, new Promise<string>(() => {}));
  await clock.advance(100);
  expect(await late).toBeNull();
  expect(clock.pendingTimers).toBe(0);
});
