/** A database with tenants, their keys, trunks and numbers, and past calls with their costs. */
import { sql } from "drizzle-orm";
import type { Database } from "../../src/core/database.ts";

export interface Amount {
  readonly tenants: number;
  /** Number of ended calls; half of them belong to the first tenant. */
  readonly calls: number;
}

/** Past calls are spread over the last quarter, newest first. */
const PAST_MS = 90 * 86_400_000;
const NODE = "bench-node";

export async function fill(database: Database, { tenants, calls }: Amount, nowMs: number) {
  const numbers = (count: number) => sql`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  await database.tx(async (queries) => {
    await queries.run(sql`${numbers(tenants)} INSERT INTO tenants
      (id, name, email, plan, time_zone, webhook_secret_sealed, webhook_secret_prefix, created_at)
      SELECT i, 'Tenant ' || i, 't' || i || '@example.com', 'prepaid', 'Europe/Vilnius', '', '', 0 FROM n`);
    await queries.run(sql`${numbers(tenants)} INSERT INTO api_keys
      (tenant_id, label, secret_hash, prefix, created_at)
      SELECT i, 'bench', ${HASH_OF("i")}, 'lv_live_', 0 FROM n`);
    await queries.run(sql`${numbers(tenants)} INSERT INTO trunks
      (id, tenant_id, server, port, transport, username, password_sealed, caller_id, register, created_at, updated_at)
      SELECT i, i, 'sip.carrier.example', 5060, 'udp', 'user' || i, '', '+37052000001', 1, 0, 0 FROM n`);
    await queries.run(sql`${numbers(tenants)} INSERT INTO agents
      (id, tenant_id, name, prompt, first_message, first_speaker, voice, language, max_duration_sec,
       voicemail_action, filler_phrases, transcript_email_enabled, created_at, updated_at)
      SELECT i, i, 'Bench', 'Bench.', 'Hello.', 'assistant', 'Sari', 'en', 600, 'hangup', '', 0, 0, 0 FROM n`);
    await queries.run(sql`${numbers(tenants)} INSERT INTO phone_numbers
      (tenant_id, number_e164, agent_id, inbound_enabled, created_at)
      SELECT i, printf('+3706%07d', i), i, 1, 0 FROM n`);
    await queries.run(sql`${numbers(calls)} INSERT INTO calls
      (call_uuid, tenant_id, agent_id, direction, from_number, to_number, status, created_at,
       answered_at, ended_at, recording_status, billable_seconds, overage_rate, cost, node)
      SELECT printf('%08x-0000-7000-8000-000000000000', i), ${OWNER(tenants)}, ${OWNER(tenants)},
        'inbound', '+37061111111', '+37060000001', 'completed', ${AT(nowMs, calls)}, ${AT(nowMs, calls)},
        ${AT(nowMs, calls)} + 61000, 'none', 61, 100001, 101668, ${NODE} FROM n`);
    await queries.run(sql`${numbers(calls)} INSERT INTO ledger_transactions
      (tenant_id, key, kind, note, created_at)
      SELECT ${OWNER(tenants)}, 'call:' || printf('%08x-0000-7000-8000-000000000000', i), 'charge', 'Call',
        ${AT(nowMs, calls)} FROM n`);
  });
}

const OWNER = (tenants: number) => sql`CASE WHEN i % 2 = 0 THEN 1 ELSE 1 + i % ${tenants} END`;
const AT = (nowMs: number, calls: number) =>
  sql`${nowMs} - CAST(i * (${PAST_MS} * 1.0 / ${calls}) AS INTEGER)`;
const HASH_OF = (column: string) => sql.raw(`printf('%064x', ${column})`);
