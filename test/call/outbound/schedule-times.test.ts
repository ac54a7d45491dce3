/** Allowed times of a scheduled call: a minute back and a year ahead, to the millisecond. */
import { expect, test } from "bun:test";
import { createCallService } from "../../../src/call/service/call-service.ts";
import { fakeClock } from "../../support/fake-clock.ts";

test.each([
  ["2026-11-23T20:00:00.000Z", "2027-11-23T20:00:00.000Z"],
  ["2027-03-01T00:00:00.000Z", "2028-03-01T00:00:00.000Z"],
  ["2028-02-29T12:00:00.000Z", "2029-03-01T12:00:00.000Z"],
])("at %s a call may be scheduled from a minute back until %s", async (now, last) => {
  const clock = fakeClock(Date.parse(now));
  const tx = () => Promise.reject(new Error("stored"));
  const service = createCallService({
    context: { clock, database: { tx }, stores: {} },
    isDraining: () => false,
    wakeScheduler: () => undefined,
  } as unknown as Parameters<typeof createCallService>[0]);
  const asked = (scheduleAtMs: number) =>
    service
      .request(1, { scheduleAtMs } as Parameters<typeof service.request>[1])
      .catch(({ message }: Error) => message);
  const nowMs = clock.now();
  const lastMs = Date.parse(last);
  expect(await asked(nowMs - 60_000)).toBe("stored");
  expect(await asked(nowMs - 60_001)).toContain("in the past");
  expect(await asked(lastMs)).toBe("stored");
  expect(await asked(lastMs + 1)).toContain("at most one year");
});
