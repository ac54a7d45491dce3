/** Metrics over all tenants: queue lengths, and whether the ledger balances. */
import { eq, gt, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { schedules } from "../../store/schema/calls.ts";
import { ledgerEntries } from "../../store/schema/money.ts";
import { mails, outbox } from "../../store/schema/outbox.ts";

export function metricStore(queries: Queries) {
  return {
    /** Rows waiting to be sent, by queue. */
    async waiting(): Promise<{ webhooks: number; mails: number; schedules: number }> {
      return {
        webhooks: await queries.$count(outbox, eq(outbox.status, "pending")),
        mails: await queries.$count(mails, eq(mails.status, "pending")),
        schedules: await queries.$count(schedules, eq(schedules.status, "pending")),
      };
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
