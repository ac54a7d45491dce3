/** A tenant's month: page and CSV, over pages of rows, in the tenant's own calendar. */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { microEur } from "../../../src/core/money.ts";
import { Billing } from "../../../src/features/billing/billing.ts";
import { billingStores as stores } from "../../../src/features/billing/billing-stores.ts";
import {
  everyRow,
  STATEMENT_PAGE_ROWS,
  Statements,
} from "../../../src/features/billing/statement.ts";
import { CALLS_HEADER, callRow, ledgerRows } from "../../../src/features/billing/statement-csv.ts";
import { statementPage } from "../../../src/features/billing/statement-page.ts";
import { statementStore } from "../../../src/features/billing/statement-store.ts";
import { calls } from "../../../src/store/schema/index.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { prepaidPlan } from "../../support/plans.ts";
import { insertCall, insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const clock = fakeClock(Date.parse("2026-10-31T21:59:59Z")); // 23:59:59 in Vilnius
const database = await openTestDatabase(join(tempDir(), "main.db"), clock.now());
afterAll(() => database.close());
const billing = new Billing({ database, stores, plans: [prepaidPlan], clock });
const statements = new Statements(database, statementStore);
const credit = (tenantId: number, eur: number, note: string) =>
  billing.credit(tenantId, microEur(eur * 1_000_000), note);

const allLines = (tenantId: number, month: string) =>
  Array.fromAsync(everyRow((after) => statements.lines(tenantId, month, after)));

async function callOf(tenantId: number, seconds: number): Promise<void> {
  const uuid = crypto.randomUUID();
  await insertCall(database, tenantId, uuid, prepaidPlan.overagePerMinute);
  await database.tx(async (queries) => {
    const rate = prepaidPlan.overagePerMinute;
    const charge = await billing.settle(queries, tenantId, uuid, seconds * 1000, rate);
    const row = { status: "completed", createdAt: clock.now(), ...charge } as const;
    await queries.update(calls).set(row).where(eq(calls.callUuid, uuid));
  });
}

test("balance before, every line and balance after agree, in the month of the tenant's zone", async () => {
  const tenantId = await insertTenant(database, { name: "<b>Clinic & Co</b>", plan: "prepaid" });
  await credit(tenantId, 7, "still October in Vilnius");
  clock.stepWallClock(1000);
  await credit(tenantId, 20, '=HYPERLINK("http://x"), "quoted"');
  for (let n = 0; n < 3; n++) await callOf(tenantId, 60);
  const summary = await statements.summary(tenantId, "2026-11");
  const lines = await allLines(tenantId, "2026-11");
  const moved = lines
    .flatMap((line) => line.entries)
    .filter((entry) => entry.account === "wallet")
    .reduce((sum, entry) => sum + entry.amount, 0);
  expect(Number(summary.openingBalance)).toBe(7_000_000);
  expect(Number(summary.closingBalance)).toBe(7_000_000 + moved);
  expect(summary).toMatchObject({ calls: 3, billableSeconds: 180, overageSeconds: 180 });
  expect(lines.map((line) => line.kind)).toEqual(["credit", "charge", "charge", "charge"]);
  expect((await statements.summary(tenantId, "2026-12")).openingBalance).toBe(
    summary.closingBalance,
  );

  const page = statementPage(summary, await statements.rows(tenantId, "2026-11"));
  expect(page).not.toContain("<b>");
  expect(page).toContain("Calls (3)");
  expect(page).toContain("-0.300003");
  const rows = await statements.rows(tenantId, "2026-11");
  expect(statementPage(summary, rows, "lt")).toContain("<td>Skambučiai (3)</td>");
  const csv = lines.flatMap(ledgerRows);
  expect(csv[0]).toContain(`"'=HYPERLINK(""http://x""), ""quoted""",wallet,20`);
  const [call] = await statements.calls(tenantId, "2026-11", 0);
  const cells = call ? callRow(call).split(",") : [];
  expect(cells.length).toBe(CALLS_HEADER.split(",").length);
  expect(cells).toContain("+37060000001");
  clock.stepWallClock(-1000);
});

test("a month with more rows than a page is complete, each row once", async () => {
  const tenantId = await insertTenant(database, { plan: "prepaid" });
  clock.stepWallClock(86_400_000);
  await database.tx(async (queries) => {
    for (let n = 0; n < STATEMENT_PAGE_ROWS + 1; n++)
      await stores(queries).ledger.insertTransaction(tenantId, {
        key: `many:${n}`,
        kind: "charge",
        note: "",
        createdAt: clock.now(),
      });
  });
  expect(await statements.lines(tenantId, "2026-11", 0)).toHaveLength(500);
  const lines = await allLines(tenantId, "2026-11");
  expect(new Set(lines.map((line) => line.key)).size).toBe(STATEMENT_PAGE_ROWS + 1);
  expect(lines.slice(0, 1).flatMap(ledgerRows).length).toBe(1); // a row without an amount is also listed
});

test("another tenant's money is not in it; an unknown tenant or month is refused", async () => {
  const tenantId = await insertTenant(database, { plan: "prepaid" });
  expect(await allLines(tenantId, "2026-11")).toEqual([]);
  expect(await statements.calls(tenantId, "2026-11", 0)).toEqual([]);
  await expect(statements.summary(999, "2026-11")).rejects.toMatchObject({ code: "not_found" });
  for (const month of ["2026-13", "2026-1", "x"])
    await expect(statements.summary(tenantId, month)).rejects.toMatchObject({
      code: "valid_month_required",
    });
});
