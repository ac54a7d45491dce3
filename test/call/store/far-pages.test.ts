/** Pages far down a list equal those after skipping every call above them. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import type { Database } from "../../../src/core/database.ts";
import {
  type CallFilter,
  callHistoryStore,
} from "../../../src/features/call-log/call-history-store.ts";
import { insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

setDefaultTimeout(60_000);

const CALLS = 60_000;
const HOUR_MS = 3_600_000;
let database: Database;
let tenantId: number;

/** The calls' creation times, oldest first; two are equal, and every seventh hour is empty. */
const createdAt = (n: number) => {
  const hour = Math.floor(n / 300);
  return (hour + Math.floor(hour / 6)) * HOUR_MS + Math.floor((n % 300) / 2) * 20_000;
};
const statusOf = (n: number) => (n % 9 === 0 ? "no_answer" : "completed");

beforeAll(async () => {
  database = await openTestDatabase(join(tempDir(), "linevoice.db"), 0);
  tenantId = await insertTenant(database);
  const neighbour = await insertTenant(database);
  await database.tx(async (queries) => {
    for (const owner of [tenantId, neighbour])
      await queries.run(sql`
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${CALLS})
        INSERT INTO calls (call_uuid, tenant_id, direction, from_number, to_number, status, created_at,
          recording_status, overage_rate, cost)
        SELECT ${owner} || '-' || i, ${owner}, iif(i % 2, 'inbound', 'outbound'), '', '',
          iif(i % 9, 'completed', 'no_answer'),
          (i / 300 + i / 300 / 6) * ${HOUR_MS} + (i % 300 / 2) * 20000, 'none', 0, 0 FROM n`);
  });
});
afterAll(() => database.close());

const span = { fromMs: 3 * HOUR_MS, toMs: 225 * HOUR_MS };
const filters: readonly CallFilter[] = [
  {},
  { status: "completed" },
  { direction: "inbound", status: "completed" },
  span,
  { ...span, status: "completed" },
  { fromMs: 5 * HOUR_MS, toMs: 9 * 24 * HOUR_MS },
];

test.each(filters)("filtered by %j", async (filter) => {
  const { fromMs = 0, toMs = Number.POSITIVE_INFINITY, status, direction } = filter;
  const expected = Array.from({ length: CALLS }, (_, at) => CALLS - 1 - at)
    .filter((n) => status === undefined || statusOf(n) === status)
    .filter((n) => direction === undefined || n % 2 === 1)
    .filter((n) => createdAt(n) >= fromMs && createdAt(n) < toMs)
    .map((n) => `${tenantId}-${n}`);
  const store = callHistoryStore(database.read);
  const last = expected.length;
  for (const offset of [49_999, 50_000, 50_001, 50_300, 51_234, last - 3, last, last + 500]) {
    const page = { limit: 7, offset };
    const wanted = expected.slice(offset, offset + 7);
    const listed = await store.list(tenantId, filter, page);
    const found = await store.found(tenantId, filter, page);
    const { ids, total } = await store.listing(tenantId, filter, page);
    const byId = new Map(
      (await store.listed(tenantId, ids)).map((call) => [String(call.id), call]),
    );
    expect([offset, listed.map(({ callUuid }) => callUuid)]).toEqual([offset, wanted]);
    expect(found.map(({ callUuid }) => callUuid)).toEqual(wanted);
    expect(ids.map((id) => byId.get(id)?.callUuid ?? "")).toEqual(wanted);
    expect(total).toBe(last);
  }
});

test("a total consists of whole days, and of the hours before and after them", async () => {
  const store = callHistoryStore(database.read);
  const hours = [undefined, 0, 1, 23, 24, 25, 47, 48, 71, 72, 100, 240, 10_000];
  const found: [unknown, unknown, number][] = [];
  const wanted: typeof found = [];
  const all = Array.from({ length: CALLS }, (_, n) => createdAt(n));
  for (const from of hours)
    for (const to of hours) {
      const fromMs = from === undefined ? undefined : from * HOUR_MS;
      const toMs = to === undefined ? undefined : to * HOUR_MS;
      const within = all.filter((at) => at >= (fromMs ?? 0) && at < (toMs ?? at + 1)).length;
      wanted.push([from, to, within]);
      found.push([from, to, await store.total(tenantId, { fromMs, toMs })]);
    }
  expect(found).toEqual(wanted);
});
