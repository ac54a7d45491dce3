/** Lists read an index in order, whatever the filter: SQLite's query plans are checked. */
import { Database as Sqlite } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Database } from "../../src/core/database.ts";
import { microEur } from "../../src/core/money.ts";
import { tagsOfCalls } from "../../src/features/call-log/call-annotation-store.ts";
import {
  type CallFilter,
  callHistoryStore,
  itemsByIds,
  pageOf,
} from "../../src/features/call-log/call-history-store.ts";
import { callsBelow } from "../../src/features/call-log/diagnostics-store.ts";
import { latestResults } from "../../src/features/campaign/campaign-store.ts";
import { targetIds } from "../../src/features/campaign/target-list-store.ts";
import { contactsByIds } from "../../src/features/contact/contact-store.ts";
import { scheduleListStore } from "../../src/features/schedule/schedule-list-store.ts";
import { webhooksWithCounts } from "../../src/features/tenant/dashboard-list-store.ts";
import {
  callsOfTenants,
  latenciesOfTenants,
} from "../../src/features/tenant/tenant-admin-store.ts";
import { calls } from "../../src/store/schema/index.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { insertAgent, insertTenant } from "../support/store/stored-rows.ts";
import { tempDir } from "../support/temp-dir.ts";

const path = join(tempDir(), "linevoice.db");
let database: Database;
let plans: Sqlite;
let tenantId: number;

beforeAll(async () => {
  database = openDatabase(path, 0);
  tenantId = await insertTenant(database);
  plans = new Sqlite(path, { readonly: true });
});
afterAll(async () => {
  plans.close();
  await database.close();
});

function planOf(query: { toSQL(): { sql: string; params: unknown[] } }): string[] {
  const { sql, params } = query.toSQL();
  return plans
    .query<{ detail: string }, (string | number)[]>(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...(params as (string | number)[]))
    .map((row) => row.detail);
}

/** The plan of a prepared query, whatever its arguments. */
function planOfPrepared(query: { toSQL(): { sql: string; params: unknown[] } }): string[] {
  const { sql, params } = query.toSQL();
  return planOf({ toSQL: () => ({ sql, params: params.map(() => null) }) });
}

const day = { fromMs: 0, toMs: 86_400_000 };
const filters: readonly (readonly [CallFilter, string])[] = [
  [{}, "calls_tenant_newest"],
  [day, "calls_tenant_newest"],
  [{ agentId: 1 }, "calls_tenant_agent"],
  [{ status: "busy" }, "calls_tenant_status"],
  [{ direction: "inbound" }, "calls_tenant_direction"],
  [{ agentId: 1, status: "busy" }, "calls_agent_status"],
  [{ agentId: 1, direction: "inbound" }, "calls_agent_direction"],
  [{ status: "busy", direction: "inbound" }, "calls_status_direction"],
  [{ agentId: 1, status: "busy", direction: "inbound" }, "calls_agent_status_direction"],
  [{ agentId: 1, status: "busy", ...day }, "calls_agent_status"],
];

test.each(filters)("the next page of calls filtered by %j for CSV seeks in %s", (filter, index) => {
  const after = { createdAt: 5, id: 7 };
  const plan = planOf(callsBelow(database.read, tenantId, filter, after, 500));
  expect(plan).toHaveLength(1);
  expect(plan[0]).toStartWith(`SEARCH calls USING INDEX ${index} (`);
  expect(plan[0]).toContain("created_at<?");
});

test.each(filters)(
  "calls filtered by %j are read newest first from %s, without sorting",
  (filter, index) => {
    const plan = planOf(pageOf(database.read, tenantId, filter, { limit: 25, offset: 100 }));
    expect(plan).toHaveLength(1);
    expect(plan[0]).toStartWith(`SEARCH calls USING INDEX ${index} (`);
  },
);

test.each([
  [{}, "calls_status_direction"],
  [day, "calls_status_direction"],
  [{ agentId: 1 }, "calls_agent_status_direction"],
])(
  "missed calls filtered by %j are merged from the statuses' parts of %s, without sorting",
  (filter, index) => {
    const missed: CallFilter = { ...filter, missed: true };
    const place = { createdAt: 5, id: 7 };
    for (const query of [
      pageOf(database.read, tenantId, missed, { limit: 25, offset: 100 }),
      callsBelow(database.read, tenantId, missed, place, 500),
    ]) {
      const plan = planOf(query);
      expect(plan[0]).toBe("MERGE (UNION ALL)");
      expect(plan.join()).not.toContain("TEMP B-TREE");
      const searches = plan.filter((step) => step.includes("calls"));
      expect(searches).toHaveLength(4);
      for (const search of searches)
        expect(search).toStartWith(`SEARCH calls USING INDEX ${index} (`);
    }
  },
);

test("calls of a page are read by their ids, not from all of their tenant", () => {
  const plan = planOfPrepared(itemsByIds(database.read));
  expect(plan[0]).toBe("SEARCH calls USING INTEGER PRIMARY KEY (rowid=?)");
});

test("contacts found by a search are read by their ids, not from all of their tenant", () => {
  const plan = planOfPrepared(contactsByIds(database.read));
  expect(plan[0]).toBe("SEARCH contacts USING INTEGER PRIMARY KEY (rowid=?)");
});

test("tags of calls are read by these calls, not from all of their tenant", () => {
  const plan = planOfPrepared(tagsOfCalls(database.read));
  expect(plan[0]).toStartWith("SEARCH call_tags USING INDEX sqlite_autoindex_call_tags_1 (call_id");
});

test.each([
  [{}, "schedules_tenant"],
  [{ status: "pending" as const }, "schedules_tenant_status"],
])("schedules filtered by %j are read in order from %s", (filter, index) => {
  const plan = planOf(
    scheduleListStore(database.read).list(tenantId, filter, { limit: 25, offset: 0 }),
  );
  expect(plan).toHaveLength(1);
  expect(plan[0]).toStartWith(`SEARCH schedules USING INDEX ${index} (`);
});

test.each([
  [{}, "campaign_targets_listed"],
  [{ after: 7 }, "campaign_targets_listed"],
  [{ status: "failed" as const }, "campaign_targets_listed_state"],
  [{ status: "failed" as const, after: 7 }, "campaign_targets_listed_state"],
])("a campaign's numbers filtered by %j are read in order from %s alone", (filter, index) => {
  const plan = planOf(targetIds(database.read, 1, filter, { limit: 50, offset: 100 }));
  expect(plan).toHaveLength(1);
  expect(plan[0]).toStartWith(`SEARCH campaign_targets USING COVERING INDEX ${index} (`);
});

test("the newest results of a campaign are found by time, however many numbers it has", () => {
  expect(planOfPrepared(latestResults(database.read))).toEqual([
    "SEARCH campaign_targets USING INDEX campaign_targets_results (campaign_id=? AND updated_at>?)",
  ]);
});

test("a webhook's deliveries are counted without the delivered ones", () => {
  const plan = planOfPrepared(webhooksWithCounts(database.read));
  expect(plan.filter((step) => step.includes("outbox"))).toEqual([
    "SEARCH outbox USING COVERING INDEX outbox_ready_webhook (webhook_id=?)",
    "SEARCH outbox USING COVERING INDEX outbox_failed_webhook (webhook_id=?)",
  ]);
});

test("the day's totals for tenants of a page are read by these tenants, never from all calls or all hours", () => {
  const plan = planOfPrepared(callsOfTenants(database.read));
  expect(plan).toContain("SEARCH tenants USING INTEGER PRIMARY KEY (rowid=?)");
  expect(plan).toContain("SEARCH call_rollups USING PRIMARY KEY (tenant_id=? AND hour>?)");
  expect(planOfPrepared(latenciesOfTenants(database.read))).toContain(
    "SEARCH c USING COVERING INDEX calls_tenant_newest (tenant_id=? AND created_at>?)",
  );
});

describe("totals", () => {
  const hour = 3_600_000;

  test("come from sums that follow every change of a call, never from the calls", async () => {
    const agentId = await insertAgent(database, tenantId);
    const totals = (filter: CallFilter) => callHistoryStore(database.read).total(tenantId, filter);
    await database.tx(async (q) => {
      for (let n = 0; n < 30; n++)
        await q.insert(calls).values({
          callUuid: `u${n}`,
          tenantId,
          agentId: n % 3 === 0 ? agentId : null,
          direction: n % 2 === 0 ? "inbound" : "outbound",
          fromNumber: "",
          toNumber: "",
          status: "ringing",
          createdAt: n * hour,
          recordingStatus: "none",
          overageRate: microEur(0),
          cost: microEur(0),
        });
    });
    const { eq, lt } = await import("drizzle-orm");
    expect(await totals({})).toBe(30);
    expect(await totals({ agentId })).toBe(10);
    expect(await totals({ direction: "inbound", agentId })).toBe(5);
    expect(await totals({ fromMs: 24 * hour, toMs: 48 * hour })).toBe(6);
    await database.tx(async (q) => {
      await q
        .update(calls)
        .set({ status: "busy" })
        .where(lt(calls.createdAt, 5 * hour));
    });
    expect([await totals({ status: "busy" }), await totals({ status: "ringing" })]).toEqual([
      5, 25,
    ]);
    await database.tx(async (q) => {
      await q.delete(calls).where(eq(calls.status, "busy"));
    });
    expect([await totals({ status: "busy" }), await totals({})]).toEqual([0, 25]);
    expect(await totals({ toMs: 24 * hour })).toBe(19);
  });
});
