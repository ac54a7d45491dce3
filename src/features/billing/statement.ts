/**
 * A tenant's month from the ledger: payments, charges, the balance before and after, and the calls that began
 * in it. Months are calendar months of the tenant's zone.
 *
 * Balances and daily charges come from sums (store/schema/ledger-rollups.ts). Transactions and calls are read
 * in pages, so that a month of any size fits in memory.
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

/** All call charges of a day, or one other transaction. */
export interface StatementRow {
  /** Day in the tenant's zone, e.g. `2026-11-21`. */
  readonly date: string;
  readonly kind: LedgerKind;
  readonly note: string;
  readonly transactions: number;
  /** Money paid in from outside. */
  readonly paid: MicroEur;
  /** Change of the wallet. */
  readonly wallet: MicroEur;
}

/** One ledger transaction. */
export interface StatementLine {
  readonly id: number;
  readonly createdAt: number;
  readonly kind: LedgerKind;
  readonly key: string;
  readonly note: string;
  /** Sums of its entries, one per changed account. */
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

/** Milliseconds since the epoch; `toMs` is exclusive. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface LedgerSum {
  readonly kind: LedgerKind;
  readonly transactions: number;
  /** Change of the wallet. */
  readonly wallet: MicroEur;
  /** Change of the account `payments`; negative if money was paid in. */
  readonly payments: MicroEur;
}

/** Implemented by store/billing/statement-store.ts. */
export interface StatementStore {
  tenant(
    tenantId: number,
  ): Promise<{ readonly name: string; readonly email: string; readonly timeZone: string } | null>;
  /** One sum per kind of transaction in the span. */
  sums(tenantId: number, span: Span): Promise<LedgerSum[]>;
  /** Like `lines`, without the charges of calls. */
  listed(tenantId: number, span: Span, afterId: number, limit: number): Promise<StatementLine[]>;
  callSums(
    tenantId: number,
    span: Span,
  ): Promise<
    Pick<StatementSummary, "calls" | "billableSeconds" | "includedSeconds" | "overageSeconds">
  >;
  /** In order of time, after the line with this id; 0: from the first. */
  lines(tenantId: number, span: Span, afterId: number, limit: number): Promise<StatementLine[]>;
  /** In order of their start; `afterId` as in `lines`. */
  calls(tenantId: number, span: Span, afterId: number, limit: number): Promise<StatementCall[]>;
}

export const STATEMENT_PAGE_ROWS = 500;

/** Methods throw not_found for an unknown tenant, valid_month_required for a bad month. */
export class Statements {
  readonly #store: StatementStore;

  constructor(database: Database, stores: (queries: Database["read"]) => StatementStore) {
    this.#store = stores(database.read);
  }

  async summary(tenantId: number, text: string): Promise<StatementSummary> {
    const { tenant, span } = await this.#monthOf(tenantId, text);
    const opening = await this.#walletSum(tenantId, { fromMs: 0, toMs: span.fromMs });
    const closing = opening + (await this.#walletSum(tenantId, span));
    return {
      tenantId,
      ...tenant,
      month: text,
      openingBalance: microEur(opening),
      closingBalance: microEur(closing),
      ...(await this.#store.callSums(tenantId, span)),
    };
  }

  /** In order of date: one row per day with charged calls, and one per other transaction. */
  async rows(tenantId: number, text: string): Promise<StatementRow[]> {
    const month = await this.#monthOf(tenantId, text);
    const rows = await this.#chargeRows(tenantId, month);
    const listed = everyRow((after) =>
      this.#store.listed(tenantId, month.span, after, STATEMENT_PAGE_ROWS),
    );
    for await (const line of listed) rows.push(rowOf(line, month.tenant.timeZone));
    return rows.sort((left, right) => left.date.localeCompare(right.date));
  }

  async lines(tenantId: number, month: string, afterId: number): Promise<StatementLine[]> {
    const { span } = await this.#monthOf(tenantId, month);
    return this.#store.lines(tenantId, span, afterId, STATEMENT_PAGE_ROWS);
  }

  async calls(tenantId: number, month: string, afterId: number): Promise<StatementCall[]> {
    const { span } = await this.#monthOf(tenantId, month);
    return this.#store.calls(tenantId, span, afterId, STATEMENT_PAGE_ROWS);
  }

  async #monthOf(tenantId: number, text: string): Promise<Month> {
    const tenant = await this.#store.tenant(tenantId);
    if (!tenant) throw notFound("tenant");
    const first = firstDay(text);
    const next = { ...first, month: first.month + 1 };
    const zone = tenant.timeZone;
    const span = { fromMs: startOfDay(zone, first), toMs: startOfDay(zone, next) };
    return { tenant, first, span };
  }

  async #walletSum(tenantId: number, span: Span): Promise<number> {
    return (await this.#store.sums(tenantId, span)).reduce((total, sum) => total + sum.wallet, 0);
  }

  async #chargeRows(tenantId: number, { tenant, first }: Month): Promise<StatementRow[]> {
    const rows: StatementRow[] = [];
    const days = daysInMonth(first.year, first.month);
    for (const { date, ...span } of daySpans(tenant.timeZone, first, days))
      for (const { kind, transactions, wallet } of await this.#store.sums(tenantId, span))
        if (kind === "charge")
          rows.push({ date, kind, note: "Calls", transactions, paid: microEur(0), wallet });
    return rows;
  }
}

interface Month {
  readonly tenant: { readonly name: string; readonly email: string; readonly timeZone: string };
  readonly first: CalendarDay;
  readonly span: Span;
}

/** Yields all rows page by page, until a page is not full. `read` returns the rows after this id. */
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
    kind,
    note,
    transactions: 1,
    paid: microEur(0 - sumOf("payments")),
    wallet: microEur(sumOf("wallet")),
  };
}

function firstDay(text: string): CalendarDay {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (year === undefined || month === undefined)
    throw invalidField("month", "Write the month like 2026-11.");
  return { year: Number(year), month: Number(month), day: 1 };
}
