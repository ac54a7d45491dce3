/** Billing jobs, once a minute. The database decides which work is due. */
import { WorkLoop } from "../../core/work-loop.ts";
import { type LowBalanceOptions, noticeLowBalances } from "./low-balance.ts";
import { type RenewalOptions, renewMonths } from "./renewal.ts";

const PERIOD_MS = 60_000;

/** The owner must `stop` the loop. */
export function startBillingJobs(options: RenewalOptions & LowBalanceOptions): WorkLoop {
  const { clock, log } = options;
  const loop = new WorkLoop({
    clock,
    log,
    failure: "billing.job_failed",
    everyMs: PERIOD_MS,
    async round() {
      await renewMonths(options);
      await noticeLowBalances(options);
    },
  });
  loop.start();
  return loop;
}
