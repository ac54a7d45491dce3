/** Response with a month's statement: a printable page, or streamed CSV. */

import { csvResponse } from "../../http/csv-response.ts";
import type { Statements } from "./statement.ts";
import { type CsvRows, statementCsv } from "./statement-csv.ts";
import { statementPage } from "./statement-page.ts";

const HTML_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

export async function statementPageResponse(
  statements: Statements,
  tenantId: number,
  month: string,
  language?: Parameters<typeof statementPage>[2],
): Promise<Response> {
  const summary = await statements.summary(tenantId, month);
  const page = statementPage(summary, await statements.rows(tenantId, month), language);
  return new Response(page, { headers: HTML_HEADERS });
}

export async function statementCsvResponse(
  statements: Statements,
  tenantId: number,
  month: string,
  rows: CsvRows,
): Promise<Response> {
  return csvResponse(await statementCsv(statements, tenantId, month, rows), `${rows}-${month}.csv`);
}
