/** Monthly statements over HTTP: rules in billing/statement.ts. */

import { microToEur } from "../../../core/money.ts";
import type { StatementRow } from "../../../domain/billing/statement.ts";
import { rawRoute, route } from "../contract.ts";
import * as contracts from "../contracts/statements.ts";
import { statementCsvResponse, statementPageResponse } from "../statement-response.ts";
import type { RouteContext } from "./context.ts";

const presentLine = ({ date, kind, note, transactions, paid, wallet }: StatementRow) => ({
  ...{ date, kind, note, count: transactions },
  paid_in_eur: microToEur(paid),
  amount_eur: microToEur(wallet),
});

export const statementRoutes = ({ dependencies }: RouteContext) => {
  const { statements } = dependencies.services;
  return [
    route(contracts.getStatement)(async ({ tenantId, params: { month } }) => {
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
    rawRoute(contracts.getStatementPage)(({ tenantId, params: { month } }) =>
      statementPageResponse(statements, tenantId, month),
    ),
    rawRoute(contracts.getStatementCsv)(({ tenantId, params: { month }, query: { rows } }) =>
      statementCsvResponse(statements, tenantId, month, rows),
    ),
  ];
};
