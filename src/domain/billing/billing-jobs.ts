/** Looks after money once a minute: croner wakes, the database decides what is to be done. */
import { Cron } from "croner";
import { describeError } from "../../core/errors.ts";
import { type LowBalanceOptions, noticeLowBalances } from "./low-balance.ts";
import { type RenewalOptions, renewMonths } from "./renewal.ts";

interface BillingJobs {
  /** Lets the round under way finish. */
  stop(): Promise<void>;
}

export function startBillingJobs(options: RenewalOptions & LowBalanceOptions): BillingJobs {
  let running: Promise<void> | null = null;
  let stopped = false;

  async function round(): Promise<void> {
    await renewMonths(options);
    await noticeLowBalances(options);
  }

  function wake(): void {
    if (stopped || running) return;
    running = round()
      .catch((error) => options.log.error("billing.job_failed", { error: describeError(error) }))
      .finally(() => {
        running = null;
      });
  }

  const cron = new Cron("0 * * * * *", wake);
  wake();
  return {
    async stop() {
      stopped = true;
      cron.stop();
      await running;
    },
  };
}
