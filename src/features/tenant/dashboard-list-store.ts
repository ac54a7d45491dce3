/** Lists for the dashboard only: the wallet's history and the health of webhooks. */
import { and, desc, eq, inArray, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { microEur } from "../../core/money.ts";
import { arg, statement } from "../../store/query/prepared.ts";
import {
  calls,
  ledgerEntries,
  ledgerRollups,
  ledgerTransactions,
  webhooks,
} from "../../store/schema/index.ts";

/** The status is literal text in the query, so that each count can use its partial index. */
const deliveriesThat = (status: "pending" | "failed") =>
  sql<number>`(SELECT count(*) FROM outbox WHERE webhook_id = webhooks.id
    AND status = '${sql.raw(status)}')`;

/** The query of `webhookStates`. Exported for a test of its query plan. */
export const webhooksWithCounts = (queries: Queries) =>
  queries
    .select({
      id: webhooks.id,
      url: webhooks.url,
      enabled: webhooks.enabled,
      failingSince: webhooks.failingSince,
      disabledReason: webhooks.disabledReason,
      pending: deliveriesThat("pending"),
      failed: deliveriesThat("failed"),
    })
    .from(webhooks)
    .where(eq(webhooks.tenantId, arg("tenantId")))
    .orderBy(webhooks.id);
const statesOfWebhooks = statement((queries) => webhooksWithCounts(queries).prepare());

export function dashboardListStore(queries: Queries) {
  return {
    ...ledgerLists(queries),

    webhookStates: async (tenantId: number) => await statesOfWebhooks(queries).all({ tenantId }),

    async enableWebhook(tenantId: number, id: number): Promise<void> {
      await queries
        .update(webhooks)
        .set({ enabled: true, failingSince: null, disabledReason: null })
        .where(and(eq(webhooks.id, id), eq(webhooks.tenantId, tenantId)));
    },
  };
}

/** Charged seconds of the stored calls, by the keys of their transactions (`call:<uuid>`). */
async function secondsOf(queries: Queries, tenantId: number, keys: readonly string[]) {
  const uuids = keys.filter((key) => key.startsWith("call:")).map((key) => key.slice(5));
  const { billableSeconds: total, includedSeconds: plan, overageSeconds: over } = calls;
  const found = await queries
    .select({ uuid: calls.callUuid, seconds: { total, plan, over } })
    .from(calls)
    .where(and(eq(calls.tenantId, tenantId), inArray(calls.callUuid, uuids)));
  return new Map(found.map(({ uuid, seconds }) => [`call:${uuid}`, seconds]));
}

/** The wallet's movements, newest first. */
function ledgerLists(queries: Queries) {
  return {
    /** Newest first; `amount` is the change of the wallet. */
    async ledger(tenantId: number, page: { readonly limit: number; readonly offset: number }) {
      const rows = await queries
        .select({
          id: ledgerTransactions.id,
          key: ledgerTransactions.key,
          kind: ledgerTransactions.kind,
          note: ledgerTransactions.note,
          createdAt: ledgerTransactions.createdAt,
        })
        .from(ledgerTransactions)
        .where(eq(ledgerTransactions.tenantId, tenantId))
        .orderBy(desc(ledgerTransactions.createdAt), desc(ledgerTransactions.id))
        .limit(page.limit)
        .offset(page.offset);
      if (rows.length === 0) return [];
      const entries = await queries
        .select({ id: ledgerEntries.transactionId, amount: ledgerEntries.amount })
        .from(ledgerEntries)
        .where(
          and(
            inArray(
              ledgerEntries.transactionId,
              rows.map(({ id }) => id),
            ),
            eq(ledgerEntries.account, "wallet"),
          ),
        );
      const seconds = await secondsOf(
        queries,
        tenantId,
        rows.map(({ key }) => key),
      );
      return rows.map((row) => ({
        ...row,
        seconds: seconds.get(row.key) ?? null,
        amount: microEur(
          entries.reduce((sum, entry) => sum + (entry.id === row.id ? (entry.amount ?? 0) : 0), 0),
        ),
      }));
    },

    async ledgerTotal(tenantId: number): Promise<number> {
      const row = await queries
        .select({ n: sql<number>`coalesce(sum(${ledgerRollups.transactions}), 0)` })
        .from(ledgerRollups)
        .where(eq(ledgerRollups.tenantId, tenantId))
        .get();
      return Number(row?.n ?? 0);
    },
  };
}
