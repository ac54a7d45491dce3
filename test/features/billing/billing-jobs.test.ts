/** Renewals and low balances are checked once a minute. */
import { expect, test } from "bun:test";
import { silentLog } from "../../../src/core/log.ts";
import { startBillingJobs } from "../../../src/features/billing/billing-jobs.ts";
import { fakeClock } from "../../support/fake-clock.ts";

test("a round runs at once and every 60 seconds, whatever the result of the last", async () => {
  const clock = fakeClock();
  const atMs: number[] = [];
  type Options = Parameters<typeof startBillingJobs>[0];
  const stores: Options["stores"] = () => {
    atMs.push(clock.elapsedMs);
    throw new Error("the disk is full");
  };
  const loop = startBillingJobs({
    clock,
    log: silentLog,
    stores,
    database: {},
  } as unknown as Options);
  await clock.advance(120_000);
  expect(atMs).toEqual([0, 60_000, 120_000]);
  await loop.stop();
  await clock.advance(60_000);
  expect(atMs).toHaveLength(3);
});
