/**
 * A tenant's month: what was paid in, what it went to, and the balance before and after, from the
 * ledger; the calls that began in it. Months are calendar months of the tenant's zone. Balances and a
 * day's charges come from sums (store/schema/ledger-rollups.ts); every transaction and call comes in
 * pages, so that a month of any size fits through.
 */

import {
  type CalendarDay,
  daySpans,
  daysInMonth,
  dayText,
  startOfDay,
  wallClock,
} from "../../core/calendar.ts";
import type { Database } from "../../core/database.ts";
import { invalidField, notFound } from "../../core/errors.ts";
import { type MicroEur, microEur } from "../../core/money.ts";
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

/** A line of the month: the charges of a day's calls together, anything else on its own. */
export interface StatementRow {
  /** Of the tenant's zone, `2026-11-21`. */
  readonly date: string;
  readonly kind: LedgerKind;
  readonly note: string;
  /** How many were summed. */
  readonly transactions: number;
  /** What came in from outside. */
  readonly paid: MicroEur;
  /** By how much the wallet changed. */
  readonly wallet: MicroEur;
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

export interface LedgerSum {
  readonly kind: LedgerKind;
  readonly transactions: number;
  /** By how much the wallet changed. */
  readonly wallet: MicroEur;
  /** By how much `payments` did; negative: that much came in. */
  readonly payments: MicroEur;
}

/** The rows, as a port; `src/adapter/store/statement-store.ts` implements it. */
export interface StatementStore {
  tenant(
    tenantId: number,
  ): Promise<{ readonly name: string; readonly email: string; readonly timeZone: string } | null>;
  /** One for each kind that occurs. */
  sums(tenantId: number, span: Span): Promise<LedgerSum[]>;
  /** Like `lines`, without the charges of calls. */
  listed(tenantId: number, span: Span, afterId: number, limit: number): Promise<StatementLine[]>;
  callSums(
    tenantId: number,
    span: Span,
  ): Promise<
    Pick<StatementSummary, "calls" | "billableSeconds" | "includedSeconds" | "overageSeconds">
  >;
  /** In the order of their times: those after the one with this id, from the first on for 0. */
  lines(tenantId: number, span: Span, afterId: number, limit: number): Promise<StatementLine[]>;
  /** In the order they began, as for `lines`. */
  calls(tenantId: number, span: Span, afterId: number, limit: number): Promise<StatementCall[]>;
}

/** Methods throw not_found for an unknown tenant, valid_month_required for a bad month. */
export interface Statements {
  summary(tenantId: number, month: string): Promise<StatementSummary>;
  /** By date. As many as the month has days and transactions other than charges. */
  rows(tenantId: number, month: string): Promise<StatementRow[]>;
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

  async function monthOf(tenantId: number, text: string): Promise<Month> {
    const tenant = await store.tenant(tenantId);
    if (!tenant) throw notFound("tenant");
    const first = firstDay(text);
    const next = { ...first, month: first.month + 1 };
    const zone = tenant.timeZone;
    const span = { fromMs: startOfDay(zone, first), toMs: startOfDay(zone, next) };
    return { tenant, first, span };
  }

  async function walletSum(tenantId: number, span: Span): Promise<number> {
    return (await store.sums(tenantId, span)).reduce((total, sum) => total + sum.wallet, 0);
  }

  /** One row a day on which calls were charged. */
  async function chargeRows(tenantId: number, { tenant, first }: Month): Promise<StatementRow[]> {
    const rows: StatementRow[] = [];
    const days = daysInMonth(first.year, first.month);
    for (const { date, ...span } of daySpans(tenant.timeZone, first, days))
      for (const { kind, transactions, wallet } of await store.sums(tenantId, span))
        if (kind === "charge")
          rows.push({ date, kind, note: "Calls", transactions, paid: NOTHING, wallet });
    return rows;
  }

  return {
    async summary(tenantId, text) {
      const { tenant, span } = await monthOf(tenantId, text);
      const opening = await walletSum(tenantId, { fromMs: 0, toMs: span.fromMs });
      const closing = opening + (await walletSum(tenantId, span));
      return {
        tenantId,
        ...tenant,
        month: text,
        openingBalance: microEur(opening),
        closingBalance: microEur(closing),
        ...(await store.callSums(tenantId, span)),
      };
    },
    async rows(tenantId, text) {
      const month = await monthOf(tenantId, text);
      const rows = await chargeRows(tenantId, month);
      const listed = everyRow((after) =>
        store.listed(tenantId, month.span, after, STATEMENT_PAGE_ROWS),
      );
      for await (const line of listed) rows.push(rowOf(line, month.tenant.timeZone));
      return rows.sort((left, right) => left.date.localeCompare(right.date));
    },
    async lines(tenantId, month, afterId) {
      const { span } = await monthOf(tenantId, month);
      return store.lines(tenantId, span, afterId, STATEMENT_PAGE_ROWS);
    },
    async calls(tenantId, month, afterId) {
      const { span } = await monthOf(tenantId, month);
      return store.calls(tenantId, span, afterId, STATEMENT_PAGE_ROWS);
    },
  };
}

interface Month {
  readonly tenant: { readonly name: string; readonly email: string; readonly timeZone: string };
  readonly first: CalendarDay;
  readonly span: Span;
}

const NOTHING = microEur(0);

/** Page after page, until one is not full: `read` answers the rows after the one with this id. */
export async function* everyRow<Row extends { readonly id: number }>(
  read: (afterId: number) => Promise<readonly Row[]>,
): AsyncGenerator<Row> {
  for (let after = 0; ; ) {
    const page = await read(after);
    yield* page;
    after = page.at(-1)?.id ?? after;
    if (page.length < STATEMENT_PAGE_ROWS) return;
  }
}

function rowOf({ createdAt, kind, note, entries }: StatementLine, zone: string): StatementRow {
  const sumOf = (account: string) =>
    entries.reduce((sum, entry) => sum + (entry.account === account ? entry.amount : 0), 0);
  return {
    date: dayText(wallClock(zone, createdAt)),
    ...{ kind, note, transactions: 1 },
    paid: microEur(0 - sumOf("payments")),
    wallet: microEur(sumOf("wallet")),
  };
}

function firstDay(text: string): CalendarDay {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (year === undefined || month === undefined)
    throw invalidField("month", "Give the month as 2026-11.");
  return { year: Number(year), month: Number(month), day: 1 };
}
