/** Metrics over all tenants: queue lengths, and whether the ledger balances. */
import { count, eq, gt, sql } from "drizzle-orm";
import type { Queries } from "../../../core/database.ts";
import { schedules } from "../schema/calls.ts";
import { ledgerEntries } from "../schema/money.ts";
import { mails, outbox } from "../schema/outbox.ts";

export function metricStore(queries: Queries) {
  return {
    /** Rows waiting to be sent, by queue. */
    async waiting(): Promise<{ webhooks: number; mails: number; schedules: number }> {
      const [webhooks] = await queries
        .select({ n: count() })
        .from(outbox)
        .where(eq(outbox.status, "pending"));
      const [mail] = await queries
        .select({ n: count() })
        .from(mails)
        .where(eq(mails.status, "pending"));
      const [schedule] = await queries
        .select({ n: count() })
        .from(schedules)
        .where(eq(schedules.status, "pending"));
      return { webhooks: webhooks?.n ?? 0, mails: mail?.n ?? 0, schedules: schedule?.n ?? 0 };
    },

    /** Sum of the ledger entries after `id`, micro-euro, and the id of the last one. */
    async ledgerSumAfter(id: number): Promise<{ sum: number; lastId: number }> {
      const [found] = await queries
        .select({
          sum: sql<number>`coalesce(sum(${ledgerEntries.amount}), 0)`,
          lastId: sql<number>`coalesce(max(${ledgerEntries.id}), ${id})`,
        })
        .from(ledgerEntries)
        .where(gt(ledgerEntries.id, id));
      return { sum: found?.sum ?? 0, lastId: found?.lastId ?? id };
    },
  };
}
