/**
 * A tenant's month: what was paid in, what it went to, and the balance before and after, from the
 * ledger; the calls that began in it. Months are calendar months of the tenant's zone. Rows come in
 * pages, so that a month of any size fits through.
 */
import { invalidField, notFound } from "../core/errors.ts";
import type { MicroEur } from "../core/money.ts";
import type { Database } from "../store/database.ts";
import { startOfDay } from "../tenant/calendar.ts";
import type { LedgerKind } from "./stores.ts";

export interface StatementSummary {
  readonly tenantId: number;
  readonly name: string;
  readonly email: string;
  readonly timeZone: string;
  readonly month: string;
  readonly openingBalance: MicroEur;
  readonly closingBalance: MicroEur;
  readonly calls: number;
  readonly billableSeconds: number;
  readonly includedSeconds: number;
  readonly overageSeconds: number;
}

/** One ledger transaction; sums of its entries. */
export interface StatementLine {
  readonly id: number;
  readonly createdAt: number;
  readonly kind: LedgerKind;
  readonly key: string;
  readonly note: string;
  /** By account; only those that it touches. */
  readonly entries: readonly { readonly account: string; readonly amount: MicroEur }[];
}

export interface StatementCall {
  readonly id: number;
  readonly callUuid: string;
  readonly direction: string;
  readonly fromNumber: string;
  readonly toNumber: string;
  readonly agentId: number | null;
  readonly status: string;
  readonly endedReason: string | null;
  readonly createdAt: number;
  readonly answeredAt: number | null;
  readonly endedAt: number | null;
  readonly billableSeconds: number;
  readonly includedSeconds: number;
  readonly overageSeconds: number;
  readonly overageRate: MicroEur;
  readonly cost: MicroEur;
  readonly costOfGoods: MicroEur;
}

/** Milliseconds since the epoch: from, inclusive, to, exclusive. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The rows, as a port; `src/store/statement-store.ts` implements it. */
export interface StatementStore {
  tenant(
    tenantId: number,
  ): Promise<{ readonly name: string; readonly email: string; readonly timeZone: string } | null>;
  /** Sum of the wallet's entries before an instant. */
  balanceBefore(tenantId: number, atMs: number): Promise<MicroEur>;
  callSums(
    tenantId: number,
    span: Span,
  ): Promise<
    Pick<StatementSummary, "calls" | "billableSeconds" | "includedSeconds" | "overageSeconds">
  >;
  /** In the order they were posted, with ids above `afterId`. */
  lines(tenantId: number, span: Span, afterId: number, limit: number): Promise<StatementLine[]>;
  /** In the order they began, with ids above `afterId`. */
  calls(tenantId: number, span: Span, afterId: number, limit: number): Promise<StatementCall[]>;
}

/** Methods throw not_found for an unknown tenant, valid_month_required for a bad month. */
export interface Statements {
  summary(tenantId: number, month: string): Promise<StatementSummary>;
  lines(tenantId: number, month: string, afterId: number): Promise<StatementLine[]>;
  calls(tenantId: number, month: string, afterId: number): Promise<StatementCall[]>;
}

/** Rows of one page. */
export const STATEMENT_PAGE_ROWS = 500;

export function createStatements(
  database: Database,
  stores: (queries: Database["read"]) => StatementStore,
): Statements {
  const store = stores(database.read);

  async function spanOf(tenantId: number, month: string) {
    const tenant = await store.tenant(tenantId);
    if (!tenant) throw notFound("tenant");
    return { tenant, span: monthSpan(tenant.timeZone, month) };
  }

  return {
    async summary(tenantId, month) {
      const { tenant, span } = await spanOf(tenantId, month);
      return {
        tenantId,
        ...tenant,
        month,
        openingBalance: await store.balanceBefore(tenantId, span.fromMs),
        closingBalance: await store.balanceBefore(tenantId, span.toMs),
        ...(await store.callSums(tenantId, span)),
      };
    },
    async lines(tenantId, month, afterId) {
      const { span } = await spanOf(tenantId, month);
      return store.lines(tenantId, span, afterId, STATEMENT_PAGE_ROWS);
    },
    async calls(tenantId, month, afterId) {
      const { span } = await spanOf(tenantId, month);
      return store.calls(tenantId, span, afterId, STATEMENT_PAGE_ROWS);
    },
  };
}

function monthSpan(zone: string, text: string): Span {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (year === undefined || month === undefined)
    throw invalidField("month", "Give the month as 2026-11.");
  const first = { year: Number(year), month: Number(month), day: 1 };
  return {
    fromMs: startOfDay(zone, first),
    toMs: startOfDay(zone, { ...first, month: first.month + 1 }),
  };
}
