/** A month of the wallet: statement as JSON, as a page for printing, and its rows as CSV. */

import { z } from "zod";
import { microToEur } from "../../../core/money.ts";
import type { StatementRow } from "../../../domain/billing/statement.ts";
import { LEDGER_KINDS } from "../../../domain/billing/stores.ts";
import { choice, eurOut, okReply, shown } from "../../contracts/schema.ts";
import { contract, rawRoute, route } from "../contract.ts";
import { statementCsvResponse, statementPageResponse } from "../statement-response.ts";
import type { RouteContext } from "./context.ts";

const StatementLine = z
  .strictObject({
    date: shown(z.iso.date(), "Day in the tenant's time zone.", "2026-11-21"),
    kind: shown(
      z.enum(LEDGER_KINDS),
      "What it was; `charge`: all calls charged on that day.",
      "charge",
    ),
    note: shown(z.string(), "In words.", "Calls"),
    count: shown(z.int(), "How many transactions the line sums.", 12),
    paid_in_eur: eurOut("What came in from outside; negative: was paid back."),
    amount_eur: eurOut("What the wallet changed by; negative: paid."),
  })
  .meta({ id: "StatementLine" });

const Statement = z
  .strictObject({
    month: shown(z.string(), "Calendar month.", "2026-11"),
    time_zone: shown(z.string(), "Whose calendar it is.", "Europe/Vilnius"),
    currency: shown(z.literal("EUR"), "Always EUR.", "EUR"),
    opening_balance_eur: eurOut("Wallet balance when the month began."),
    closing_balance_eur: eurOut("Wallet balance when it ended, or now."),
    calls: shown(z.int(), "Calls begun in the month.", 42),
    billable_seconds: shown(z.int(), "Of these, billable.", 2520),
    included_seconds: shown(z.int(), "Of these, from the plan.", 1800),
    overage_seconds: shown(z.int(), "Of these, beyond the plan.", 720),
    lines: shown(
      z.array(StatementLine),
      "By date. Their amounts are the difference of the two balances.",
    ),
  })
  .meta({ id: "Statement" });

const month = { tag: "Billing", noun: "statement" } as const;

export const getStatement = contract({
  ...month,
  operationId: "getStatement",
  at: "GET /billing/statements/{month}",
  summary: "A month's statement",
  description:
    "From the ledger, for calendar months of the tenant's time zone. A month without transactions has a statement too.",
  reply: okReply({ statement: Statement }),
});

export const getStatementPage = contract({
  ...month,
  operationId: "getStatementPage",
  at: "GET /billing/statements/{month}/page",
  weight: 5,
  summary: "A month's statement, for printing",
  reply: z.string(),
  replyType: "text/html",
});

export const getStatementCsv = contract({
  ...month,
  operationId: "getStatementCsv",
  at: "GET /billing/statements/{month}/csv",
  weight: 5,
  recent: true,
  summary: "A month's ledger or calls as CSV",
  description: "Sent while it is read: a month of any size fits.",
  audited: true,
  query: z.strictObject({
    rows: choice(
      ["ledger", "calls"],
      "Every ledger entry, or every call begun in the month.",
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
