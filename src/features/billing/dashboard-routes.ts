/** The wallet's history: ledger, checkouts, monthly statements. */

import { z } from "zod";
import { monthText } from "../../core/calendar.ts";
import { isoUtc } from "../../core/clock.ts";
import { microToEur } from "../../core/money.ts";
import { wireOf } from "../../core/wire-names.ts";
import { contract, rawRoute, route } from "../../http/contract.ts";
import {
  choice,
  eurOut,
  integer,
  okReply,
  page,
  shown,
  timeOrNull,
  timeOut,
} from "../../http/contracts/schema.ts";
import type { ProductContext } from "../../http/dashboard-context.ts";
import { sessionOf } from "../../http/dashboard-signed-in.ts";
import { statementCsvResponse, statementPageResponse } from "./statement-response.ts";
import { LEDGER_KINDS } from "./stores.ts";

export const listLedger = contract({
  operationId: "listLedger",
  at: "GET /ledger",
  tag: "Billing",
  summary: "Transactions of the wallet, newest first",
  query: z.strictObject({ limit: page.limit(50), offset: page.offset() }),
  reply: okReply({
    entries: z.array(
      z
        .strictObject({
          id: shown(z.int(), "Number of the transaction.", 1),
          at: timeOut("Time of the transaction."),
          kind: shown(z.enum(LEDGER_KINDS), "Kind of the transaction.", "charge"),
          note: shown(z.string(), "Description of the transaction.", "Call, 63 s"),
          seconds: shown(
            z.strictObject({ total: z.int(), plan: z.int(), over: z.int() }).nullable(),
            "Billable seconds of the call: all, paid by the plan, and overage. `null` if it is no call or the call is no longer stored.",
            null,
          ),
          call_uuid: shown(z.string().nullable(), "UUID of the charged call.", null),
          checkout_id: shown(z.string().nullable(), "Id of the paid checkout.", null),
          amount_eur: eurOut("Change of the wallet. Negative for charges."),
        })
        .meta({ id: "LedgerLine" }),
    ),
    total: shown(z.int(), "Number of transactions.", 12),
  }),
});

export const DashboardCheckout = z
  .strictObject({
    id: shown(
      z.string(),
      "Id, `chk_…`. Also the reference of a bank transfer.",
      `chk_${"0".repeat(32)}`,
    ),
    kind: shown(
      z.enum(["topup", "plan", "crm_bridge", "retention"]),
      "Item of the checkout.",
      "topup",
    ),
    item: shown(z.string().nullable(), "Slug of the plan, or number of blocks.", null),
    amount_eur: eurOut("Amount to pay."),
    provider: shown(z.enum(["manual", "stripe"]), "Payment provider.", "manual"),
    status: shown(z.enum(["open", "paid", "expired", "cancelled"]), "State.", "open"),
    page_url: shown(
      z.string(),
      "Page of the checkout on this appliance.",
      "https://example.com/checkout/chk_0",
    ),
    created_at: timeOut("Time of creation."),
    expires_at: timeOut("Time when the checkout expires."),
    paid_at: timeOrNull("Time of the payment. `null` if it is not paid."),
  })
  .meta({ id: "DashboardCheckout" });

export const listCheckouts = contract({
  operationId: "listCheckouts",
  at: "GET /checkouts",
  tag: "Billing",
  summary: "List payments, newest first",
  reply: okReply({ checkouts: z.array(DashboardCheckout) }),
});

const month = z.strictObject({
  year: integer(2000, 2100, "Year.", 2026),
  month: integer(1, 12, "Month.", 11),
});

export const getStatement = contract({
  operationId: "getStatement",
  at: "GET /statement",
  tag: "Billing",
  summary: "Statement of a month, as a page to print",
  query: month,
  reply: z.string(),
  replyType: "text/html",
});

export const getStatementCsv = contract({
  operationId: "getStatementCsv",
  at: "GET /statement.csv",
  weight: 5,
  recent: true,
  tag: "Billing",
  summary: "Ledger or calls of a month, as CSV",
  audited: true,
  query: month.extend({
    rows: choice(["ledger", "calls"], "Content: ledger entries or calls.", "ledger").default(
      "ledger",
    ),
  }),
  reply: z.string(),
  replyType: "text/csv",
});

const CALL_KEY = /^call:([0-9a-f-]{36})$/;
const CHECKOUT_KEY = /^checkout:(chk_[0-9a-f]{32})$/;

export const billingRoutes = ({ dependencies, publicUrl }: ProductContext) => {
  const { checkouts, services } = dependencies;
  const { statements, tenants } = services;

  return [
    route(listLedger)(async ({ tenantId, query }) => {
      const { entries, total } = await tenants.ledger(tenantId, query);
      return {
        ok: true,
        entries: entries.map(({ id, createdAt, kind, note, key, amount, seconds }) => ({
          id,
          kind,
          note,
          seconds,
          at: isoUtc(createdAt),
          amount_eur: microToEur(amount),
          call_uuid: CALL_KEY.exec(key)?.[1] ?? null,
          checkout_id: CHECKOUT_KEY.exec(key)?.[1] ?? null,
        })),
        total,
      };
    }),
    route(listCheckouts)(async ({ tenantId }) => ({
      ok: true,
      checkouts: (await checkouts.list(tenantId)).map((checkout) =>
        wireOf(DashboardCheckout, checkout, {
          amount_eur: microToEur(checkout.amount),
          page_url: `${publicUrl()}/checkout/${checkout.id}`,
        }),
      ),
    })),
    rawRoute(getStatement)(async (request) => {
      const { tenantId, query } = request;
      const month = monthText(query.year, query.month);
      const { locale } = sessionOf(request).user;
      return await statementPageResponse(statements, tenantId, month, locale);
    }),
    rawRoute(getStatementCsv)(async ({ tenantId, query }) => {
      const month = monthText(query.year, query.month);
      return await statementCsvResponse(statements, tenantId, month, query.rows);
    }),
  ];
};
