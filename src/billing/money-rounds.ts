/** Looks after money once a minute: croner wakes, the database decides what is to be done. */
import { Cron } from "croner";
import { describeError } from "../core/errors.ts";
import { type LowBalanceOptions, noticeLowBalances } from "./low-balance.ts";
import { type RenewalOptions, renewMonths } from "./renewal.ts";

export interface MoneyRounds {
  /** Lets the round under way finish. */
  stop(): Promise<void>;
}

export function startMoneyRounds(options: RenewalOptions & LowBalanceOptions): MoneyRounds {
  let running: Promise<void> | null = null;
  let stopped = false;

  async function round(): Promise<void> {
    await renewMonths(options);
    await noticeLowBalances(options);
  }

  function wake(): void {
    if (stopped || running) return;
    running = round()
      .catch((error) => options.log.error("money.round_failed", { error: describeError(error) }))
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
