/** A month of the wallet: statement as JSON, as a printable page, and its rows as CSV. */

import { z } from "zod";
import { microToEur } from "../../core/money.ts";
import { contract, rawRoute, route } from "../../http/contract.ts";
import { choice, eurOut, okReply, shown } from "../../http/contracts/schema.ts";
import type { RouteContext } from "../../http/route-context.ts";
import type { StatementRow } from "./statement.ts";
import { statementCsvResponse, statementPageResponse } from "./statement-response.ts";
import { LEDGER_KINDS } from "./stores.ts";

const StatementLine = z
  .strictObject({
    date: shown(z.iso.date(), "Day in the tenant's time zone, `YYYY-MM-DD`.", "2026-11-21"),
    kind: shown(
      z.enum(LEDGER_KINDS),
      "Kind of the line. `charge`: all calls charged on that day.",
      "charge",
    ),
    note: shown(z.string(), "Note on the line.", "Calls"),
    count: shown(z.int(), "Number of transactions in the line.", 12),
    paid_in_eur: eurOut("Money paid in; negative if it was paid back."),
    amount_eur: eurOut("Change of the wallet; negative for charges."),
  })
  .meta({ id: "StatementLine" });

const Statement = z
  .strictObject({
    month: shown(z.string(), "Calendar month, `YYYY-MM`.", "2026-11"),
    time_zone: shown(z.string(), "Time zone of the calendar month.", "Europe/Vilnius"),
    currency: shown(z.literal("EUR"), "Currency, always `EUR`.", "EUR"),
    opening_balance_eur: eurOut("Wallet balance at the start of the month."),
    closing_balance_eur: eurOut(
      "Wallet balance at the end of the month, or now for the current month.",
    ),
    calls: shown(z.int(), "Number of calls that started in the month.", 42),
    billable_seconds: shown(z.int(), "Billable seconds of these calls.", 2520),
    included_seconds: shown(z.int(), "Seconds paid by the plan.", 1800),
    overage_seconds: shown(z.int(), "Seconds beyond the plan.", 720),
    lines: shown(
      z.array(StatementLine),
      "Lines of the statement, by date. The sum of their amounts equals closing minus opening balance.",
    ),
  })
  .meta({ id: "Statement" });

const month = { tag: "Billing", noun: "statement" } as const;

export const getStatement = contract({
  ...month,
  operationId: "getStatement",
  at: "GET /billing/statements/{month}",
  summary: "Statement of a month",
  description:
    "Computed from the ledger, for calendar months in the tenant's time zone. A month without transactions also has a statement.",
  reply: okReply({ statement: Statement }),
});

export const getStatementPage = contract({
  ...month,
  operationId: "getStatementPage",
  at: "GET /billing/statements/{month}/page",
  weight: 5,
  summary: "Statement of a month, as a page to print",
  reply: z.string(),
  replyType: "text/html",
});

export const getStatementCsv = contract({
  ...month,
  operationId: "getStatementCsv",
  at: "GET /billing/statements/{month}/csv",
  weight: 5,
  recent: true,
  summary: "Ledger or calls of a month, as CSV",
  description: "Streamed; no size limit.",
  audited: true,
  query: z.strictObject({
    rows: choice(
      ["ledger", "calls"],
      "Content: all ledger entries, or all calls that started in the month.",
      "ledger",
    ).default("ledger"),
  }),
  reply: z.string(),
  replyType: "text/csv",
  errors: ["valid_rows_required"],
});

const presentLine = ({ date, kind, note, transactions, paid, wallet }: StatementRow) => ({
  date,
  kind,
  note,
  count: transactions,
  paid_in_eur: microToEur(paid),
  amount_eur: microToEur(wallet),
});

export const statementRoutes = ({ dependencies }: RouteContext) => {
  const { statements } = dependencies.services;
  return [
    route(getStatement)(async ({ tenantId, params: { month } }) => {
      const summary = await statements.summary(tenantId, month);
      return {
        ok: true,
        statement: {
          month,
          time_zone: summary.timeZone,
          currency: "EUR",
          opening_balance_eur: microToEur(summary.openingBalance),
          closing_balance_eur: microToEur(summary.closingBalance),
          calls: summary.calls,
          billable_seconds: summary.billableSeconds,
          included_seconds: summary.includedSeconds,
          overage_seconds: summary.overageSeconds,
          lines: (await statements.rows(tenantId, month)).map(presentLine),
        },
      };
    }),
    rawRoute(getStatementPage)(({ tenantId, params: { month } }) =>
      statementPageResponse(statements, tenantId, month),
    ),
    rawRoute(getStatementCsv)(({ tenantId, params: { month }, query: { rows } }) =>
      statementCsvResponse(statements, tenantId, month, rows),
    ),
  ];
};
