/**
 * The low-balance notice: one mail and one event `balance.low` when a balance falls below a configured
 * threshold. It repeats only after the balance was above the threshold.
 *
 * The wallet's `told_below` records the last notice, in the same transaction. A round reads only wallets whose
 * level has changed.
 */
import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../core/database.ts";
import type { MicroEur } from "../../core/money.ts";
import type { MailQueue } from "../mail/mail-queue.ts";
import { balanceLow } from "../webhook/catalogue.ts";
import type { EventSink } from "../webhook/ports.ts";
import { lowBalanceMail } from "./notices.ts";
import type { BillingStores } from "./stores.ts";

export interface LowBalanceOptions {
  readonly database: Database;
  readonly stores: BillingStores;
  readonly thresholds: readonly MicroEur[];
  readonly mails: Pick<MailQueue, "enqueue" | "wake">;
  readonly events: EventSink;
  readonly clock: Clock;
}

export async function noticeLowBalances(options: LowBalanceOptions): Promise<void> {
  const { database, stores, thresholds, mails, events, clock } = options;
  if (thresholds.length === 0) return;
  const looked = await stores(database.read).wallet.changedLevels(thresholds);
  for (const { tenantId } of looked)
    await database.tx(async (queries) => {
      const { wallet } = stores(queries);
      const [now] = await wallet.changedLevels(thresholds, tenantId);
      if (!now) return;
      await wallet.setToldBelow(tenantId, now.level);
      if (now.level >= now.toldBelow) return; // The balance has risen again.
      const to = { ...now, id: tenantId };
      await mails.enqueue(
        queries,
        tenantId,
        lowBalanceMail(to, now.level, now.balance, clock.now()),
      );
      await events.emit(queries, tenantId, balanceLow(now.balance, now.level));
    });
  if (looked.length === 0) return;
  mails.wake();
  events.wake();
}
