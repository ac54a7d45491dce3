/** Sums of calls by kind, over days and hours together, equal a count of the calls. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../../src/core/database.ts";
import { reportStore } from "../../../src/features/call-log/report-store.ts";
import { insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const HOUR_MS = 3_600_000;
let database: Database;
let tenantId: number;

beforeAll(async () => {
  database = await openTestDatabase(join(tempDir(), "linevoice.db"), 0);
  tenantId = await insertTenant(database);
  const neighbour = await insertTenant(database);
  for (const owner of [tenantId, neighbour]) {
    await database.tx((queries) =>
      queries.run(sql`
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < 900)
        INSERT INTO calls (call_uuid, tenant_id, agent_id, direction, from_number, to_number, status, created_at,
          answered_at, ended_at, recording_status, overage_rate, cost, cost_stt, billable_seconds, stt_seconds)
        SELECT ${owner} || '-' || i, ${owner}, nullif(i % 3, 0), iif(i % 2, 'inbound', 'outbound'), '', '',
          CASE i % 5 WHEN 0 THEN 'queued' WHEN 1 THEN 'no_answer' ELSE 'in_progress' END, i * ${HOUR_MS} / 9,
          iif(i % 5 > 1, i * ${HOUR_MS} / 9, NULL), NULL, 'none', 0, i, 3, 0, 0.5 FROM n`),
    );
    for (const change of [
      sql`SET status = 'completed', ended_at = answered_at + 1500, billable_seconds = 2, cost = cost + 7 WHERE status = 'in_progress'`,
      sql`SET status = 'cancelled' WHERE status = 'queued' AND id % 2`,
      sql`SET created_at = created_at + ${30 * HOUR_MS} WHERE id % 11 = 0`,
      sql`SET agent_id = NULL WHERE agent_id = 2 AND id % 3`,
    ])
      await database.tx((queries) => queries.run(sql`UPDATE calls ${change}`));
    await database.tx((queries) => queries.run(sql`DELETE FROM calls WHERE id % 7 = 0`));
  }
});
afterAll(() => database.close());

/** A libSQL server names the columns. */
const rowsOf = async (query: SQL): Promise<unknown[][]> =>
  (await database.read.values(query)).map((row) => Object.values(row));

test("sums have a row for each day or hour with calls, and equal the kinds of each hour", async () => {
  const sums = sql.raw("sum(calls), sum(answered), sum(talk_ms), sum(cost), sum(stt_seconds)");
  const kind = sql.raw("tenant_id, agent_id, direction, status");
  const days = await rowsOf(
    sql`SELECT day, ${kind}, ${sums} FROM call_days GROUP BY day, ${kind} ORDER BY day, ${kind}`,
  );
  expect(days.length).toBeGreaterThan(50);
  expect(days).toEqual(
    await rowsOf(
      sql`SELECT hour / 24, ${kind}, ${sums} FROM call_rollups GROUP BY hour / 24, ${kind} ORDER BY hour / 24, ${kind}`,
    ),
  );
  await database.tx((queries) =>
    queries.run(sql`DELETE FROM calls WHERE tenant_id <> ${tenantId}`),
  );
  const others = await rowsOf(sql`SELECT count(*) FROM call_days WHERE tenant_id <> ${tenantId}`);
  expect(others).toEqual([[0]]);
});

test.each([
  ...[
    [0, 200],
    [0, 24],
    [24, 48],
    [0, 48],
    [1, 24],
    [0, 23],
    [3, 3],
    [3, 4],
    [23, 25],
    [20, 30],
  ],
  ...[
    [22, 70],
    [23, 49],
    [24, 25],
    [47, 48],
    [22, 46],
    [2, 74],
    [25, 47],
  ],
] as const)("hours %d to %d", async (from, to) => {
  const span = { fromMs: from * HOUR_MS, toMs: to * HOUR_MS };
  const counted = await rowsOf(sql`
    SELECT coalesce(agent_id, 0), status, direction, count(*), sum(answered_at IS NOT NULL),
      sum(coalesce(ended_at - answered_at, 0)), sum(billable_seconds), sum(cost), sum(cost_stt), sum(stt_seconds)
    FROM calls WHERE tenant_id = ${tenantId} AND status <> 'queued'
      AND created_at >= ${span.fromMs} AND created_at < ${span.toMs} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`);
  const kinds = await reportStore(database.read).usageByKind(tenantId, span);
  expect<unknown[][]>(
    kinds.map((kind) => [
      ...[kind.agentId, kind.status, kind.direction, kind.calls, kind.answered, kind.answeredMs],
      ...[kind.billableSeconds, kind.cost, kind.costOfGoods, kind.sttSeconds],
    ]),
  ).toEqual(counted);
});

test("latencies come from the newest calls' turns that have one, the newest first", async () => {
  const span = { fromMs: 0, toMs: 200 * HOUR_MS };
  const store = reportStore(database.read);
  expect(await store.turnLatencies(tenantId, span)).toEqual([]);
  await database.tx((queries) =>
    queries.run(sql`
      INSERT INTO turns (call_id, turn_index, speaker, text, start_ms, end_ms, interrupted, latency_ms)
      SELECT calls.id, n.value, iif(n.value = 1, 'customer', 'agent'), '', 0, 0, 0,
        iif(n.value = 1, NULL, 10 * calls.id + n.value)
      FROM calls, json_each('[0, 1, 2]') n WHERE tenant_id = ${tenantId}`),
  );
  const newest = await rowsOf(
    sql`SELECT id FROM calls WHERE tenant_id = ${tenantId} AND created_at < ${span.toMs}
      ORDER BY created_at DESC, id DESC LIMIT 1000`,
  );
  const expected = newest.flatMap(([id]) => [10 * Number(id), 10 * Number(id) + 2]);
  expect(expected.length).toBeGreaterThan(500);
  expect(await store.turnLatencies(tenantId, span)).toEqual(expected);
  expect(await store.turnLatencies(tenantId, { fromMs: 0, toMs: 0 })).toEqual([]);
});
