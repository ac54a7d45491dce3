/**
 * Reads the ledger and the calls for a monthly statement. Sums come from the hourly sums. Partial hours at a
 * month's border (zones whose offset is not whole hours) are read exactly. Pages of rows use an index seek.
 */
import { and, asc, type Column, eq, gte, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { type MicroEur, microEur } from "../../core/money.ts";
import { dayParts, hourSpan } from "../../store/query/hour-span.ts";
import { arg, statement } from "../../store/query/prepared.ts";
import { callDays, callRollups, calls } from "../../store/schema/calls.ts";
import { ledgerRollups } from "../../store/schema/ledger-rollups.ts";
import { ledgerEntries, ledgerTransactions } from "../../store/schema/money.ts";
import { tenants } from "../../store/schema/tenants.ts";
import type { LedgerSum, Span, StatementLine, StatementStore } from "./statement.ts";
import type { LedgerKind } from "./stores.ts";

const total = (column: unknown) => sql<number>`coalesce(sum(${column}), 0)`.mapWith(Number);

const costOfGoods = sql<MicroEur>`coalesce(${calls.costStt}, 0) + coalesce(${calls.costLlm}, 0)
  + coalesce(${calls.costTts}, 0) + coalesce(${calls.costTrunk}, 0)`;

/** Call sums of whole hours; whole days use the daily sums. */
const callSumsOfHours = statement((queries) => {
  const of = (table: typeof callRollups | typeof callDays) => {
    const { calls, billableSeconds, includedSeconds, overageSeconds } = table;
    return { calls, billableSeconds, includedSeconds, overageSeconds };
  };
  const hours = (from: string, to: string) =>
    queries
      .select(of(callRollups))
      .from(callRollups)
      .where(
        and(
          eq(callRollups.tenantId, arg("tenantId")),
          gte(callRollups.hour, arg(from)),
          lt(callRollups.hour, arg(to)),
        ),
      );
  const parts = queries
    .select(of(callDays))
    .from(callDays)
    .where(
      and(
        eq(callDays.tenantId, arg("tenantId")),
        gte(callDays.day, arg("fromDay")),
        lt(callDays.day, arg("toDay")),
      ),
    )
    .unionAll(hours("fromHour", "untilHour"))
    .unionAll(hours("sinceHour", "toHour"))
    .as("parts");
  return queries
    .select({ calls: total(parts.calls), ...secondsOf(parts) })
    .from(parts)
    .prepare();
});

const secondsOf = (
  columns: Record<"billableSeconds" | "includedSeconds" | "overageSeconds", Column>,
) => ({
  billableSeconds: total(columns.billableSeconds),
  includedSeconds: total(columns.includedSeconds),
  overageSeconds: total(columns.overageSeconds),
});

/** Must match the text of the partial index `ledger_transactions_listed`. */
const IS_LISTED = sql`kind <> 'charge'`;

const postedIn = (tenantId: number, { fromMs, toMs }: Span): SQL | undefined =>
  and(
    eq(ledgerTransactions.tenantId, tenantId),
    gte(ledgerTransactions.createdAt, fromMs),
    lt(ledgerTransactions.createdAt, toMs),
  );

const begunIn = (tenantId: number, { fromMs, toMs }: Span): SQL | undefined =>
  and(eq(calls.tenantId, tenantId), gte(calls.createdAt, fromMs), lt(calls.createdAt, toMs));

/**
 * Rows of the span after the one with this id, ordered by time and id; 0: from the first.
 * The plus prevents an index seek to the start of the span, which would read all earlier pages again.
 */
function after(
  table: typeof calls | typeof ledgerTransactions,
  tenantId: number,
  { fromMs, toMs }: Span,
  afterId: number,
): SQL | undefined {
  const place = sql`(SELECT created_at, id FROM ${table} WHERE id = ${afterId})`;
  return and(
    eq(table.tenantId, tenantId),
    lt(table.createdAt, toMs),
    afterId === 0
      ? gte(table.createdAt, fromMs)
      : sql`(${table.createdAt}, ${table.id}) > ${place} AND +${table.createdAt} >= ${fromMs}`,
  );
}

/** The query of a page. Exported for a test of its query plan. */
export function linesAfter(
  queries: Queries,
  tenantId: number,
  span: Span,
  afterId: number,
  limit: number,
  only?: SQL,
) {
  return queries
    .select()
    .from(ledgerTransactions)
    .where(and(after(ledgerTransactions, tenantId, span, afterId), only))
    .orderBy(asc(ledgerTransactions.createdAt), asc(ledgerTransactions.id))
    .limit(limit);
}

export const listedAfter = (
  queries: Queries,
  tenantId: number,
  span: Span,
  afterId: number,
  limit: number,
) => linesAfter(queries, tenantId, span, afterId, limit, IS_LISTED);

/** The query of a page of calls. */
export function callsAfter(
  queries: Queries,
  tenantId: number,
  span: Span,
  afterId: number,
  limit: number,
) {
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
    .where(after(calls, tenantId, span, afterId))
    .orderBy(asc(calls.createdAt), asc(calls.id))
    .limit(limit);
}

/** Sums of whole hours. Prepared, because a month's page needs each of its days. */
const hourlySums = statement((queries) =>
  queries
    .select({
      kind: ledgerRollups.kind,
      transactions: total(ledgerRollups.transactions),
      wallet: total(ledgerRollups.wallet),
      payments: total(ledgerRollups.payments),
    })
    .from(ledgerRollups)
    .where(
      and(
        eq(ledgerRollups.tenantId, arg("tenantId")),
        gte(ledgerRollups.hour, arg("fromHour")),
        lt(ledgerRollups.hour, arg("toHour")),
      ),
    )
    .groupBy(ledgerRollups.kind)
    .prepare(),
);

/** Sums of a partial hour, read from the transactions. */
export function exactSums(queries: Queries, tenantId: number, span: Span) {
  const of = (account: string) =>
    total(sql`iif(${ledgerEntries.account} = ${account}, ${ledgerEntries.amount}, 0)`);
  return queries
    .select({
      kind: ledgerTransactions.kind,
      transactions: sql<number>`count(DISTINCT ${ledgerTransactions.id})`.mapWith(Number),
      wallet: of("wallet"),
      payments: of("payments"),
    })
    .from(ledgerTransactions)
    .leftJoin(ledgerEntries, eq(ledgerEntries.transactionId, ledgerTransactions.id))
    .where(postedIn(tenantId, span))
    .groupBy(ledgerTransactions.kind);
}

export function statementStore(queries: Queries): StatementStore {
  async function withEntries(
    transactions: (typeof ledgerTransactions.$inferSelect)[],
  ): Promise<StatementLine[]> {
    if (transactions.length === 0) return [];
    const entries = await queries
      .select()
      .from(ledgerEntries)
      .where(
        inArray(
          ledgerEntries.transactionId,
          transactions.map(({ id }) => id),
        ),
      )
      .orderBy(asc(ledgerEntries.id));
    const byTransaction = Map.groupBy(entries, (entry) => entry.transactionId);
    return transactions.map(({ id, createdAt, kind, key, note }) => ({
      id,
      createdAt,
      kind,
      key,
      note,
      entries: (byTransaction.get(id) ?? []).map(({ account, amount }) => ({ account, amount })),
    }));
  }

  return {
    ...statementLists(queries),

    async tenant(tenantId) {
      const found = await queries
        .select({ name: tenants.name, email: tenants.email, timeZone: tenants.timeZone })
        .from(tenants)
        .where(eq(tenants.id, tenantId));
      return found[0] ?? null;
    },

    async sums(tenantId, span) {
      const { fromHour, toHour, edges } = hourSpan(span);
      const parts = await hourlySums(queries).all({ tenantId, fromHour, toHour });
      for (const edge of edges) parts.push(...(await exactSums(queries, tenantId, edge)));
      return [...Map.groupBy(parts, ({ kind }) => kind)].map(([kind, of]) => summed(kind, of));
    },

    listed: async (tenantId, span, afterId, limit) =>
      withEntries(await listedAfter(queries, tenantId, span, afterId, limit)),

    lines: async (tenantId, span, afterId, limit) =>
      withEntries(await linesAfter(queries, tenantId, span, afterId, limit)),

    calls: async (tenantId, span, afterId, limit) =>
      callsAfter(queries, tenantId, span, afterId, limit),
  };
}

/** The lines of a month. */
function statementLists(queries: Queries): Pick<StatementStore, "callSums"> {
  return {
    async callSums(tenantId, span) {
      const { fromHour, toHour, edges } = hourSpan(span);
      const parts = await callSumsOfHours(queries).all({
        tenantId,
        ...dayParts({ fromHour, toHour }),
      });
      for (const edge of edges)
        parts.push(
          ...(await queries
            .select({ calls: sql<number>`count(*)`.mapWith(Number), ...secondsOf(calls) })
            .from(calls)
            .where(begunIn(tenantId, edge))),
        );
      const sumOf = (pick: (part: (typeof parts)[number]) => number) =>
        parts.reduce((sum, part) => sum + pick(part), 0);
      return {
        calls: sumOf((part) => part.calls),
        billableSeconds: sumOf((part) => part.billableSeconds),
        includedSeconds: sumOf((part) => part.includedSeconds),
        overageSeconds: sumOf((part) => part.overageSeconds),
      };
    },
  };
}

function summed(
  kind: LedgerKind,
  parts: readonly { transactions: number; wallet: number; payments: number }[],
): LedgerSum {
  const sumOf = (pick: (part: (typeof parts)[number]) => number) =>
    parts.reduce((sum, part) => sum + pick(part), 0);
  return {
    kind,
    transactions: sumOf((part) => part.transactions),
    wallet: microEur(sumOf((part) => part.wallet)),
    payments: microEur(sumOf((part) => part.payments)),
  };
}
