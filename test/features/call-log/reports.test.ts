/** Each call counts once, in one month and one of its days, wherever the tenant's midnight falls. */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { Billing } from "../../../src/features/billing/billing.ts";
import { billingStores as stores } from "../../../src/features/billing/billing-stores.ts";
import { createReports } from "../../../src/features/call-log/reports.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { startPlan } from "../../support/plans.ts";
import { insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const clock = fakeClock(Date.parse("2027-02-10T12:00:00Z"));
const database = await openTestDatabase(join(tempDir(), "linevoice.db"), clock.now());
afterAll(() => database.close());
const billing = new Billing({ database, stores, plans: [startPlan], clock });
const reports = createReports({ database, billing, trialMinutesPerDay: 30, clock });

test.each([
  ...["UTC", "Europe/Vilnius", "Asia/Kolkata", "Asia/Kathmandu"],
  ...["America/St_Johns", "Pacific/Chatham", "Australia/Lord_Howe", "Pacific/Kiritimati"],
])("in %s the months and the days of a year add up to all of its calls", async (timeZone) => {
  const tenantId = await insertTenant(database, { timeZone });
  // A call every quarter of an hour for two days around the end of each month.
  const from = Date.UTC(2026, 0, 31);
  await database.tx((queries) =>
    queries.run(sql`
      WITH RECURSIVE
        n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < 192),
        m(at) AS (SELECT ${from} UNION ALL SELECT at + 30 * 86400000 FROM m LIMIT 11)
      INSERT INTO calls (call_uuid, tenant_id, direction, from_number, to_number, status, created_at,
        answered_at, ended_at, recording_status, overage_rate, cost, billable_seconds)
      SELECT ${tenantId} || '-' || at || '-' || i, ${tenantId}, 'inbound', '', '', 'completed', at + i * 900000,
        at + i * 900000, at + i * 900000 + 15000, 'none', 0, 1, 15 FROM n, m`),
  );
  const months = [];
  for (let month = 1; month <= 12; month++)
    months.push(await reports.usage(tenantId, { year: 2026, month }));
  const callsOf = (rows: readonly { readonly calls: number }[]) =>
    rows.reduce((sum, { calls }) => sum + calls, 0);
  for (const { totals, byDay, byAgent } of months)
    expect([callsOf(byDay), callsOf(byAgent)]).toEqual([totals.calls, totals.calls]);
  expect(callsOf(months.map(({ totals }) => totals))).toBe(192 * 11);
});
