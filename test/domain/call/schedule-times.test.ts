/** For when a call may be asked for: a minute back and 366 days ahead, to the millisecond. */
import { expect, test } from "bun:test";
import { createCallService } from "../../../src/domain/call/call-service.ts";
import { fakeClock } from "../../support/fake-clock.ts";

test("a call may be asked for a minute back and 366 days ahead", async () => {
  const clock = fakeClock();
  const tx = () => Promise.reject(new Error("stored"));
  const service = createCallService({
    ...{ context: { clock, database: { tx }, stores: {} }, isDraining: () => false },
    wakeScheduler: () => undefined,
  } as unknown as Parameters<typeof createCallService>[0]);
  const asked = (scheduleAtMs: number) =>
    service
      .request(1, { scheduleAtMs } as Parameters<typeof service.request>[1])
      .catch(({ message }: Error) => message);
  const nowMs = clock.now();
  const yearMs = 366 * 86_400_000;
  expect(await asked(nowMs - 60_000)).toBe("stored");
  expect(await asked(nowMs - 60_001)).toContain("in the past");
  expect(await asked(nowMs + yearMs)).toBe("stored");
  expect(await asked(nowMs + yearMs + 1)).toContain("at most one year");
});
