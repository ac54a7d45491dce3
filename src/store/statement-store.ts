/** What a monthly statement reads of the ledger and the calls. */
import { and, asc, eq, gt, gte, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { Span, StatementStore } from "../billing/statement.ts";
import { type MicroEur, microEur } from "../core/money.ts";
import type { Queries } from "./database.ts";
import { calls } from "./schema/calls.ts";
import { ledgerEntries, ledgerTransactions } from "./schema/money.ts";
import { tenants } from "./schema/tenants.ts";

const within = (tenantId: number, { fromMs, toMs }: Span): SQL | undefined =>
  and(eq(calls.tenantId, tenantId), gte(calls.createdAt, fromMs), lt(calls.createdAt, toMs));

const total = (column: SQL | typeof calls.billableSeconds) =>
  sql<number>`coalesce(sum(${column}), 0)`;

const costOfGoods = sql<MicroEur>`coalesce(${calls.costStt}, 0) + coalesce(${calls.costLlm}, 0)
  + coalesce(${calls.costTts}, 0) + coalesce(${calls.costTrunk}, 0)`;

export function statementStore(queries: Queries): StatementStore {
  return {
    async tenant(tenantId) {
      const found = await queries
        .select({ name: tenants.name, email: tenants.email, timeZone: tenants.timeZone })
        .from(tenants)
        .where(eq(tenants.id, tenantId));
      return found[0] ?? null;
    },

    async balanceBefore(tenantId, atMs) {
      const found = await queries
        .select({ sum: sql<number>`coalesce(sum(${ledgerEntries.amount}), 0)` })
        .from(ledgerEntries)
        .innerJoin(ledgerTransactions, eq(ledgerTransactions.id, ledgerEntries.transactionId))
        .where(
          and(
            eq(ledgerEntries.tenantId, tenantId),
            eq(ledgerEntries.account, "wallet"),
            lt(ledgerTransactions.createdAt, atMs),
          ),
        );
      return microEur(found[0]?.sum ?? 0);
    },

    async callSums(tenantId, span) {
      const found = await queries
        .select({
          calls: sql<number>`count(*)`,
          billableSeconds: total(calls.billableSeconds),
          includedSeconds: sql<number>`coalesce(sum(${calls.includedSeconds}), 0)`,
          overageSeconds: sql<number>`coalesce(sum(${calls.overageSeconds}), 0)`,
        })
        .from(calls)
        .where(within(tenantId, span));
      return found[0] ?? { calls: 0, billableSeconds: 0, includedSeconds: 0, overageSeconds: 0 };
    },

    async lines(tenantId, { fromMs, toMs }, afterId, limit) {
      const transactions = await queries
        .select()
        .from(ledgerTransactions)
        .where(
          and(
            eq(ledgerTransactions.tenantId, tenantId),
            gte(ledgerTransactions.createdAt, fromMs),
            lt(ledgerTransactions.createdAt, toMs),
            gt(ledgerTransactions.id, afterId),
          ),
        )
        .orderBy(asc(ledgerTransactions.id))
        .limit(limit);
      if (transactions.length === 0) return [];
      const ids = transactions.map((transaction) => transaction.id);
      const entries = await queries
        .select()
        .from(ledgerEntries)
        .where(inArray(ledgerEntries.transactionId, ids))
        .orderBy(asc(ledgerEntries.id));
      const byTransaction = Map.groupBy(entries, (entry) => entry.transactionId);
      return transactions.map(({ id, createdAt, kind, key, note }) => ({
        ...{ id, createdAt, kind, key, note },
        entries: (byTransaction.get(id) ?? []).map(({ account, amount }) => ({ account, amount })),
      }));
    },

    async calls(tenantId, span, afterId, limit) {
      return queries
        .select({
          id: calls.id,
          callUuid: calls.callUuid,
          direction: calls.direction,
          fromNumber: calls.fromNumber,
          toNumber: calls.toNumber,
          agentId: calls.agentId,
          status: calls.status,
          endedReason: calls.endedReason,
          createdAt: calls.createdAt,
          answeredAt: calls.answeredAt,
          endedAt: calls.endedAt,
          billableSeconds: calls.billableSeconds,
          includedSeconds: calls.includedSeconds,
          overageSeconds: calls.overageSeconds,
          overageRate: calls.overageRate,
          cost: calls.cost,
          costOfGoods,
        })
        .from(calls)
        .where(and(within(tenantId, span), gt(calls.id, afterId)))
        .orderBy(asc(calls.id))
        .limit(limit);
    },
  };
}
