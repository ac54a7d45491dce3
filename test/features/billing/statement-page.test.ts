/** A printed statement shows minutes and money in readable form. */
import { expect, test } from "bun:test";
import { microEur } from "../../../src/core/money.ts";
import type { StatementRow, StatementSummary } from "../../../src/features/billing/statement.ts";
import { statementPage } from "../../../src/features/billing/statement-page.ts";

const summary = {
  tenantId: 1,
  name: "A & B",
  email: "a@b.example",
  month: "2026-11",
  timeZone: "UTC",
  openingBalance: microEur(10_000_000),
  closingBalance: microEur(9_967_500),
  calls: 3,
  billableSeconds: 125,
  includedSeconds: 60,
  overageSeconds: 59,
} as StatementSummary;

test("seconds become minutes, money has two to six decimals", () => {
  const calls = { date: "2026-11-21", kind: "charge", note: "Calls", transactions: 3 };
  const credit = { date: "2026-11-22", kind: "credit", note: "Sorry <b>", transactions: 1 };
  const amounts = { paid: microEur(0), wallet: microEur(-32_501) };
  const rows = [calls, credit].map((row) => ({ ...row, ...amounts }) as StatementRow);
  const page = statementPage(summary, rows);
  for (const text of ["2:05", "1:00", "0:59", "10.00 EUR", "9.9675 EUR", "-0.032501"])
    expect(page).toContain(text);
  expect(page).toContain("Calls (3)");
  expect(page).toContain("Sorry &#60;b&#62;<");
  expect(statementPage(summary, rows, "lt")).toContain("Skambučiai (3)");
  expect(page).toContain("A &#38; B");
  expect(page).not.toContain("(undefined)");
});
