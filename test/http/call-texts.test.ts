/**
 * Lists of calls reuse the JSON of ended calls. Every answer must equal, octet for octet, one made from the
 * current rows.
 */
import { expect, test } from "bun:test";
import { and, eq, isNull, sql } from "drizzle-orm";
import { callStore } from "../../src/call/store/call-store.ts";
import { RECORDING_STATUSES } from "../../src/call/stores.ts";
import { CALL_STATUSES, ENDED_REASONS } from "../../src/core/ended-reason.ts";
import { microEur } from "../../src/core/money.ts";
import { createCallRecords } from "../../src/features/call-log/call-records.ts";
import { type CallItem, presentItem } from "../../src/features/call-log/shapes.ts";
import { createCallTexts } from "../../src/features/call-log/text-response.ts";
import { eraseStore } from "../../src/features/privacy/erase-store.ts";
import { calls } from "../../src/store/schema/index.ts";
import { twoTenants } from "../support/http/two-tenants.ts";

const room = twoTenants();
const HOUR_MS = 3_600_000;
const PERSON = "+37061234567";
const STORED = 60;
const TEXTS_MAX = 16_384;

type NewCall = typeof calls.$inferInsert;

/** Every status, reason and recording; withheld and erased numbers; costs; with and without an agent. */
function varied(tenantId: number, n: number): NewCall {
  const status = CALL_STATUSES[n % CALL_STATUSES.length] ?? "queued";
  const hasEnded = CALL_STATUSES.indexOf(status) >= 4;
  const createdAt = Math.floor(n / 2) * HOUR_MS * 5;
  return {
    tenantId,
    status,
    createdAt,
    overageRate: microEur(120_000),
    callUuid: `${String(tenantId * 100_000 + n).padStart(8, "0")}-0000-7000-8000-000000000000`,
    direction: n % 2 === 0 ? "inbound" : "outbound",
    fromNumber: n % 3 === 0 ? PERSON : n % 3 === 1 ? "" : 'a "b" \\ č',
    toNumber: n % 5 === 0 ? "" : "+37060000002",
    recordingStatus: RECORDING_STATUSES[n % RECORDING_STATUSES.length] ?? "none",
    agentId: n % 4 === 0 ? null : n % 4,
    scheduleId: n % 7 === 0 ? n : null,
    cost: microEur(n * 1_234_567),
    billableSeconds: n,
    answeredAt: n % 2 === 0 ? null : createdAt + 1,
    endedAt: hasEnded ? createdAt + 999 : null,
    endedReason: hasEnded ? (ENDED_REASONS[n % ENDED_REASONS.length] ?? null) : null,
  };
}

async function store(tenantId: number): Promise<void> {
  await room.server.database.tx(async (queries) => {
    for (let n = 0; n < STORED; n++) await queries.insert(calls).values(varied(tenantId, n));
  });
}

const QUERIES: readonly (readonly [string, object, number, number])[] = [
  ["", {}, 25, 0],
  ["?offset=1", {}, 25, 1],
  ["?limit=1&offset=59", {}, 1, 59],
  ["?limit=200", {}, 200, 0],
  ["?offset=60", {}, 25, 60],
  ["?offset=99999", {}, 25, 99_999],
  ["?direction=inbound&offset=3", { direction: "inbound" }, 25, 3],
  ["?agent_id=1", { agentId: 1 }, 25, 0],
  ["?agent_id=77", { agentId: 77 }, 25, 0],
  [
    "?from=1970-01-02&to=1970-01-03",
    { fromMs: 24 * HOUR_MS, toMs: 72 * HOUR_MS, agentId: undefined },
    25,
    0,
  ],
  ["?to=1970-01-02&direction=outbound", { toMs: 48 * HOUR_MS, direction: "outbound" }, 25, 0],
  ...CALL_STATUSES.map((status) => [`?status=${status}`, { status }, 25, 0] as const),
];

/** Compares each answer with one made without cached texts. */
async function requireSame(tenant = room.own): Promise<void> {
  const records = createCallRecords(room.server.database);
  for (const [query, filter, limit, offset] of QUERIES) {
    const page = await records.list(tenant.id, filter, { limit, offset });
    const response = await fetch(`${room.server.base}/api/v1/calls${query}`, {
      headers: { authorization: `Bearer ${tenant.key}` },
    });
    expect([query, await response.text()]).toEqual([
      query,
      JSON.stringify({ ok: true, calls: page.calls.map(presentItem), total: page.total }),
    ]);
  }
}

test("each page of a varied store equals its rows, for each tenant, repeatedly", async () => {
  await store(room.own.id);
  await store(room.other.id);
  for (let time = 0; time < 2; time++) {
    await requireSame();
    await requireSame(room.other);
  }
});

const CHANGES: Readonly<Record<keyof typeof CallItem.shape, string>> = {
  call_uuid: "call_uuid = 'f' || substr(call_uuid, 2)",
  direction: "direction = iif(direction = 'inbound', 'outbound', 'inbound')",
  from_number: "from_number = '+37069999999'",
  to_number: "to_number = '+37068888888'",
  status: "status = iif(status = 'busy', 'failed', 'busy')",
  billable_seconds: "billable_seconds = billable_seconds + 1",
  cost_eur: "cost = cost + 1",
  agent_id: "agent_id = coalesce(agent_id, 0) + 1",
  created_at: "created_at = created_at + 5000",
  answered_at: "answered_at = coalesce(answered_at, 0) + 1",
  ended_at: "ended_at = ended_at + 1",
  ended_reason: "ended_reason = iif(ended_reason = 'busy', 'declined', 'busy')",
  schedule_id: "schedule_id = coalesce(schedule_id, 0) + 1",
};

test.each(Object.entries(CHANGES))(
  "a change of %s after a call's end is in the very next answer",
  async (_, change) => {
    const { database } = room.server;
    await requireSame();
    const rows = () => database.read.all(sql.raw("SELECT * FROM calls ORDER BY id"));
    const before = await rows();
    await database.tx(async (queries) => {
      await queries.run(
        sql.raw(`UPDATE calls SET ${change} WHERE id IN (SELECT id FROM calls
        WHERE ended_at IS NOT NULL AND tenant_id = ${room.own.id} ORDER BY id DESC LIMIT 3)`),
      );
    });
    expect(await rows()).not.toEqual(before);
    await requireSame();
  },
);

test("an erased person's number is in no answer", async () => {
  const { database } = room.server;
  await requireSame();
  expect((await room.get("/calls?limit=200")).text).toContain(PERSON);
  const found = await eraseStore(database.read).callsWith(room.own.id, PERSON);
  await database.tx((queries) => eraseStore(queries).erase(room.own.id, PERSON, found, 1));
  expect((await room.get("/calls?limit=200")).text).not.toContain(PERSON);
  await requireSame();
  await requireSame(room.other);
});

test("a call that continues, ends or is deleted is shown correctly", async () => {
  const { database } = room.server;
  const [live] = await database.read
    .select()
    .from(calls)
    .where(and(eq(calls.tenantId, room.own.id), isNull(calls.endedAt)))
    .limit(1);
  if (!live) throw new Error("a call is open");
  await requireSame();
  await database.tx((queries) =>
    callStore(queries).markAnswered(room.own.id, live.callUuid, 7, false),
  );
  await requireSame();
  await database.tx(async (queries) => {
    await queries
      .update(calls)
      .set({ status: "completed", endedAt: 9, endedReason: "caller_hangup" })
      .where(eq(calls.id, live.id));
  });
  await requireSame();
  await database.tx(
    async (queries) => void (await queries.delete(calls).where(eq(calls.id, live.id))),
  );
  await requireSame();
});

test("only unseen or live calls are read; one changed meanwhile is not cached", async () => {
  const { database } = room.server;
  const tenant = await room.server.tenant();
  await store(tenant.id);
  const records = createCallRecords(database);
  const asked: number[] = [];
  let meanwhile = async () => {};
  const texts = createCallTexts(
    {
      listing: records.listing,
      async listed(tenantId, ids) {
        asked.push(ids.length);
        const found = await records.listed(tenantId, ids);
        await meanwhile();
        return found;
      },
    },
    (call) => JSON.stringify(presentItem(call)),
  );
  const page = (offset: number, limit = 10) => texts.page(tenant.id, {}, { limit, offset });
  const ended = (rows: number) =>
    Array.from({ length: STORED }, (_, n) => varied(tenant.id, n))
      .toReversed()
      .slice(0, rows)
      .filter(({ endedAt }) => endedAt != null).length;
  await page(0);
  await page(0);
  expect(asked).toEqual([10, 10 - ended(10)]);
  asked.length = 0;
  // Between the read of the rows and their caching, one changes and another page is requested.
  meanwhile = async () => {
    meanwhile = async () => {};
    await database.tx(async (queries) => {
      await queries.run(
        sql`UPDATE calls SET to_number = '+37067777777' WHERE tenant_id = ${tenant.id}`,
      );
    });
    await page(50, 1);
  };
  await page(20);
  const { calls: again } = await page(20);
  expect(again.filter((text) => text.includes("+37067777777"))).toHaveLength(10);
});

test("a page is complete even if it has more calls than the cache holds", async () => {
  const { database } = room.server;
  const tenant = await room.server.tenant();
  await database.tx(async (queries) => {
    await queries.run(sql`
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= ${TEXTS_MAX})
      INSERT INTO calls (call_uuid, tenant_id, direction, from_number, to_number, status, created_at,
        ended_at, recording_status, overage_rate, cost)
      SELECT 'c' || i, ${tenant.id}, 'inbound', '', '', 'completed', i, i, 'none', 0, 0 FROM n`);
  });
  const texts = createCallTexts(createCallRecords(database), ({ callUuid }) => callUuid);
  const names = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => `c${from - n}`);
  const last = TEXTS_MAX + 1;
  for (let offset = 0; offset <= TEXTS_MAX; offset += 4_096) {
    const page = await texts.page(tenant.id, {}, { limit: 4_096, offset });
    expect(page.calls).toEqual(names(last - offset, Math.min(4_096, last - offset)));
  }
  // Its first call was evicted for the last one, and is read again.
  const first = await texts.page(tenant.id, {}, { limit: 2, offset: 0 });
  expect(first).toEqual({ calls: names(last, 2), total: last });
});
