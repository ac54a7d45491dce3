/** Reads of money and reports, over HTTP: SQLite's query plans avoid scans of the growing tables. */
import { Database as Sqlite } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { systemClock } from "../../src/core/clock.ts";
import { silentLog as log } from "../../src/core/log.ts";
import { microEur } from "../../src/core/money.ts";
import { billingStores as stores } from "../../src/features/billing/billing-stores.ts";
import { noticeLowBalances } from "../../src/features/billing/low-balance.ts";
import { renewMonths } from "../../src/features/billing/renewal.ts";
import {
  callsAfter,
  exactSums,
  linesAfter,
  listedAfter,
} from "../../src/features/billing/statement-store.ts";
import { ask, startApiServer } from "../support/http/api-server.ts";
import { prepaidPlan } from "../support/plans.ts";
import { watchStatements, wholeReads } from "../support/store/statement-watch.ts";
import { tempDir } from "../support/temp-dir.ts";

const directory = tempDir();
const path = join(directory, "linevoice.db");
const api = await startApiServer({ directory });
afterAll(() => api.stop());

const GROWING = [
  ...["calls", "turns", "tool_calls", "schedules"],
  ...["call_rollups", "call_days", "call_hours", "call_totals"],
  ...["ledger_transactions", "ledger_entries", "ledger_rollups", "checkouts", "renewals"],
  ...["plan_usage", "holds", "events", "outbox", "deliveries", "mails"],
];

test("usage, analytics, plans, balance, calls and statements search every growing table by index", async () => {
  const tenant = await api.tenant({ plan: "prepaid" });
  const watch = watchStatements();
  for (const read of [
    ...["/usage", "/usage?year=2025&month=3", "/analytics", "/analytics?days=365", "/plans"],
    ...["/billing/balance", "/tenant", "/calls", "/calls?status=busy&agent_id=1&offset=500"],
    ...["/calls?from=2026-11-01&to=2026-11-30&direction=inbound", "/schedules"],
    ...["", "/page", "/csv?rows=calls", "/csv?rows=ledger"].map(
      (part) => `/billing/statements/2026-11${part}`,
    ),
  ])
    expect([read, (await ask(api, tenant, "GET", read)).status]).toEqual([read, 200]);
  const opened = await ask(api, tenant, "POST", "/topup", { amount_eur: 10 });
  expect(opened.status).toBe(200);
  for (const { id } of await api.checkouts.list(tenant.id)) await api.checkouts.confirm(id);
  watch.stop();
  expect(watch.statements.size).toBeGreaterThan(20);
  expect(wholeReads(path, watch.statements, GROWING)).toEqual([]);
});

test("the minute's round over months and low balances does too", async () => {
  const watch = watchStatements();
  const wake = () => undefined;
  const parts = {
    database: api.database,
    stores,
    plans: [prepaidPlan],
    clock: systemClock,
    log,
    mails: { enqueue: async () => undefined, wake },
    events: { emit: async () => undefined, wake },
    thresholds: [microEur(10_000_000)],
  };
  await renewMonths(parts);
  await noticeLowBalances(parts);
  watch.stop();
  expect(watch.statements.size).toBeGreaterThan(3);
  expect(wholeReads(path, watch.statements, GROWING)).toEqual([]);
});

const span = { fromMs: 0, toMs: 86_400_000 };

const PAGES = [
  ["every transaction", linesAfter],
  ["what a statement lists", listedAfter],
  ["every call", callsAfter],
] as const;

function planOf(query: { toSQL(): { readonly sql: string; readonly params: unknown[] } }) {
  const { sql, params } = query.toSQL();
  const sqlite = new Sqlite(path, { readonly: true });
  const plan = sqlite
    .query<{ detail: string }, (string | number)[]>(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...(params as (string | number)[]))
    .map(({ detail }) => detail);
  sqlite.close();
  return plan;
}

test.each([
  ...PAGES.map(([what, page]) => [what, () => page(api.database.read, 1, span, 7, 500)] as const),
  ["a part of an hour", () => exactSums(api.database.read, 1, span)] as const,
])("a page of %s starts by tenant and time and sorts nothing", (_, query) => {
  const plan = planOf(query());
  expect(plan[0]).toMatch(/^SEARCH \w+ USING INDEX \w+ \(tenant_id=\? AND .*created_at/);
  expect(plan.filter((step) => step.includes("FOR ORDER BY"))).toEqual([]);
});

test.each(PAGES)(
  "the next page of %s begins at the last one's end, not at the month's",
  (_, page) => {
    // The start is needed twice: as the limit of the search, and for calls with the same time.
    expect(planOf(page(api.database.read, 1, span, 7, 500))).toContain("REUSE SUBQUERY 1");
  },
);
