/** The wallet's history over HTTP: ledger, checkouts, a month as a page or as CSV. */
import { createStatements, STATEMENT_PAGE_ROWS } from "../../../billing/statement.ts";
import {
  CALLS_HEADER,
  callRow,
  LEDGER_HEADER,
  ledgerRows,
} from "../../../billing/statement-csv.ts";
import { StatementRows, statementPage } from "../../../billing/statement-page.ts";
import { isoUtc } from "../../../core/clock.ts";
import { microToEur } from "../../../core/money.ts";
import { dashboardListStore } from "../../../store/dashboard-list-store.ts";
import { statementStore } from "../../../store/statement-store.ts";
import { monthText } from "../../../tenant/calendar.ts";
import { rawRoute, route } from "../../contract.ts";
import { isoOrNull } from "../../routes/present.ts";
import * as contracts from "../contracts/billing.ts";
import { csvResponse } from "../csv-response.ts";
import type { ProductContext } from "./context.ts";

const CALL_KEY = /^call:([0-9a-f-]{36})$/;
const CHECKOUT_KEY = /^checkout:(chk_[0-9a-f]{32})$/;

const HTML_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** The ids' pages, in order, until one is not full. */
async function* pagesOf<Row extends { readonly id: number }>(
  read: (afterId: number) => Promise<Row[]>,
): AsyncGenerator<Row> {
  for (let after = 0; ; ) {
    const page = await read(after);
    yield* page;
    after = page.at(-1)?.id ?? after;
    if (page.length < STATEMENT_PAGE_ROWS) return;
  }
}

export const billingRoutes = ({ dependencies, publicUrl }: ProductContext) => {
  const { database, checkouts } = dependencies;
  const statements = createStatements(database, statementStore);

  async function* ledgerCsv(tenantId: number, month: string): AsyncGenerator<string> {
    yield LEDGER_HEADER;
    for await (const line of pagesOf((after) => statements.lines(tenantId, month, after)))
      yield* ledgerRows(line);
  }

  /** Without what calls cost the operator: this is the tenant's copy. */
  async function* callsCsv(tenantId: number, month: string): AsyncGenerator<string> {
    yield CALLS_HEADER.split(",").slice(0, -1).join(",");
    for await (const call of pagesOf((after) => statements.calls(tenantId, month, after)))
      yield callRow(call).replace(/,[^,]*$/, "");
  }

  return [
    route(contracts.listLedger)(async ({ tenantId, query }) => {
      const store = dashboardListStore(database.read);
      const entries = await store.ledger(tenantId, query);
      return {
        ok: true,
        entries: entries.map(({ id, createdAt, kind, note, key, amount }) => ({
          ...{ id, kind, note, at: isoUtc(createdAt), amount_eur: microToEur(amount) },
          call_uuid: CALL_KEY.exec(key)?.[1] ?? null,
          checkout_id: CHECKOUT_KEY.exec(key)?.[1] ?? null,
        })),
        total: await store.ledgerTotal(tenantId),
      };
    }),
    route(contracts.listCheckouts)(async ({ tenantId }) => ({
      ok: true,
      checkouts: (await checkouts.list(tenantId)).map((checkout) => ({
        id: checkout.id,
        kind: checkout.kind,
        item: checkout.item,
        amount_eur: microToEur(checkout.amount),
        provider: checkout.provider,
        status: checkout.status,
        page_url: `${publicUrl()}/checkout/${checkout.id}`,
        created_at: isoUtc(checkout.createdAt),
        expires_at: isoUtc(checkout.expiresAt),
        paid_at: isoOrNull(checkout.paidAt),
      })),
    })),
    rawRoute(contracts.getStatement)(async ({ tenantId, query }) => {
      const month = monthText(query.year, query.month);
      const summary = await statements.summary(tenantId, month);
      const rows = new StatementRows(summary.timeZone);
      for await (const line of pagesOf((after) => statements.lines(tenantId, month, after)))
        rows.add(line);
      return new Response(statementPage(summary, rows), { headers: HTML_HEADERS });
    }),
    rawRoute(contracts.getStatementCsv)(async ({ tenantId, query }) => {
      const month = monthText(query.year, query.month);
      await statements.summary(tenantId, month);
      const rows = query.rows === "ledger" ? ledgerCsv : callsCsv;
      return csvResponse(rows(tenantId, month), `${query.rows}-${month}.csv`);
    }),
  ];
};
