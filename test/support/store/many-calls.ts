/**
 * A tenant's history of any size, written by the database itself: calls spread evenly back from an
 * instant, and the ledger that belongs to them. The triggers make the sums as they do in life.
 */
import { sql } from "drizzle-orm";
import type { Database } from "../../../src/core/database.ts";

export interface ManyCalls {
  readonly calls: number;
  /** The newest call; the others lie `spacingMs` apart before it. */
  readonly untilMs: number;
  readonly spacingMs: number;
}

/** What one answered call of the history costs, micro-euro: 61 s at 0.12 EUR a minute. */
export const MANY_CALL_COST = 122_000;
/** Rows written by one statement: a transaction of a million would fill the memory. */
const BATCH = 50_000;

const uuidOf = sql.raw("printf('%08x-0000-7000-8000-%012x', i, t)");

/**
 * Nine of ten were answered, each of those was charged. A credit before the first call pays for all.
 * The tenant must have no call yet.
 */
export async function insertManyCalls(
  database: Database,
  tenantId: number,
  { calls, untilMs, spacingMs }: ManyCalls,
): Promise<void> {
  const paidAt = untilMs - calls * spacingMs - 1;
  const total = calls * MANY_CALL_COST;
  await database.tx(async (queries) => {
    await queries.run(sql`INSERT INTO ledger_transactions (tenant_id, key, kind, note, created_at)
      VALUES (${tenantId}, ${`many:${tenantId}`}, 'credit', 'Pays for all', ${paidAt})`);
    await queries.run(sql`INSERT INTO ledger_entries (transaction_id, tenant_id, account, amount)
      SELECT t.id, t.tenant_id, a.account, a.amount FROM ledger_transactions t,
        (SELECT 'wallet' AS account, ${total} AS amount UNION ALL SELECT 'credits', ${-total}) a
      WHERE t.key = ${`many:${tenantId}`}`);
  });
  for (let from = 0; from < calls; from += BATCH)
    await insertBatch(database, tenantId, from, Math.min(calls, from + BATCH), untilMs, spacingMs);
  await database.tx(async (queries) => {
    await queries.run(sql`INSERT OR REPLACE INTO wallets (tenant_id, balance) VALUES (${tenantId},
      (SELECT sum(amount) FROM ledger_entries WHERE tenant_id = ${tenantId} AND account = 'wallet'))`);
  });
}

async function insertBatch(
  database: Database,
  tenantId: number,
  from: number,
  to: number,
  untilMs: number,
  spacingMs: number,
): Promise<void> {
  const rows = sql`WITH RECURSIVE n(i, t) AS (
    SELECT ${from}, ${tenantId} UNION ALL SELECT i + 1, t FROM n WHERE i + 1 < ${to})`;
  await database.tx(async (queries) => {
    await queries.run(sql`${rows}
      INSERT INTO calls (call_uuid, tenant_id, agent_id, direction, from_number, to_number, status,
        ended_reason, created_at, answered_at, ended_at, recording_status, billable_seconds,
        overage_seconds, overage_rate, cost, cost_stt, llm_input_tokens, latency_p50_ms, latency_p95_ms)
      SELECT ${uuidOf}, t, 1 + i % 5, iif(i % 2, 'inbound', 'outbound'), '+37060000001',
        '+37060000002', iif(i % 10, 'completed', 'no_answer'), iif(i % 10, 'caller_hangup', 'no_answer'),
        ${untilMs} - i * ${spacingMs}, iif(i % 10, ${untilMs} - i * ${spacingMs} + 2000, NULL),
        ${untilMs} - i * ${spacingMs} + 62500, 'none', iif(i % 10, 61, 0), iif(i % 10, 61, 0), 120000,
        iif(i % 10, ${MANY_CALL_COST}, 0), 6100, 900, 600 + i % 300, 900 + i % 700
      FROM n`);
    await queries.run(sql`${rows}
      INSERT INTO ledger_transactions (tenant_id, key, kind, note, created_at)
      SELECT t, 'call:' || ${uuidOf}, 'charge', 'Call of 61 s: 0 s from the plan, 61 s overage',
        ${untilMs} - i * ${spacingMs} + 62500
      FROM n WHERE i % 10`);
    await queries.run(sql`${rows}
      INSERT INTO ledger_entries (transaction_id, tenant_id, account, amount)
      SELECT l.id, l.tenant_id, a.account, a.amount FROM n
        JOIN ledger_transactions l ON l.key = 'call:' || ${uuidOf}
        JOIN (SELECT 'wallet' AS account, ${-MANY_CALL_COST} AS amount
              UNION ALL SELECT 'revenue', ${MANY_CALL_COST}) a`);
  });
}
