/**
 * Fills a database file by SQL: many calls of one tenant and of many others, with agents, contacts
 * and transcripts of the newest calls. The indexes of `calls` are created after its rows, which
 * takes a third of the time. Triggers compute the sums as usual. Nobody else may have the file
 * open.
 */
import { Database as Sqlite } from "bun:sqlite";
import { indexSomeCalls } from "../../src/app/call-indexing.ts";
import { yieldToEventLoop } from "../../src/core/clock.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";

export interface Past {
  /** Total number; four of five belong to the large tenant. */
  readonly calls: number;
  /** Number of tenants in addition to the large one. */
  readonly tenants: number;
  /** Contacts of the large tenant. */
  readonly contacts: number;
  /** Number of the newest calls that have a transcript. */
  readonly spoken: number;
  /** Time of the newest call. */
  readonly untilMs: number;
}

/** Time between two calls of the large tenant. */
const SPACING_MS = 2_600;
const AGENTS = 5;

/** UUID of the large tenant's n-th call, newest first. */
export const uuidOfCall = (calls: number, n: number): string =>
  `${(calls - 5 * n - 1).toString(16).padStart(8, "0")}-0000-7000-8000-000000000000`;

/** Returns the id of the large tenant. */
export function fillPast(path: string, past: Past): number {
  const sqlite = new Sqlite(path, { strict: true });
  for (const pragma of ["journal_mode = OFF", "synchronous = OFF", "cache_size = -400000"])
    sqlite.run(`PRAGMA ${pragma}`);
  const indexes = sqlite
    .query<{ name: string; sql: string }, []>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'calls' AND sql NOT NULL",
    )
    .all();
  for (const { name } of indexes) sqlite.run(`DROP INDEX "${name}"`);
  const large = past.tenants + 1;
  sqlite.transaction(() => fillTables(sqlite, past, large))();
  for (const { sql } of indexes) sqlite.run(sql);
  sqlite.run("PRAGMA journal_mode = WAL");
  sqlite.close();
  return large;
}

function fillTables(sqlite: Sqlite, past: Past, large: number): void {
  const { calls, tenants, contacts, spoken, untilMs } = past;
  const insert = (count: number, sql: string) =>
    sqlite.run(
      `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${count}) ${sql}`,
    );
  insert(
    large,
    `INSERT INTO tenants (id, name, email, plan, time_zone, webhook_secret_sealed,
       webhook_secret_prefix, created_at)
     SELECT i + 1, 'Tenant ' || i, 't' || i || '@example.com', 'start', 'UTC', '', '', 0 FROM n`,
  );
  // Renewals of this month already exist. Otherwise two thousand mails would be sent during the
  // first reads.
  insert(
    large,
    `INSERT INTO renewals (tenant_id, month, item, plan, amount, status, created_at, settled_at)
     SELECT i + 1, strftime('%Y-%m', ${untilMs / 1000}, 'unixepoch'), 'plan', 'start', 0, 'paid', 0, 0 FROM n`,
  );
  insert(
    tenants + AGENTS,
    `INSERT INTO agents (tenant_id, name, prompt, first_message, first_speaker, voice, language,
       max_duration_sec, voicemail_action, filler_phrases, transcript_email_enabled, created_at, updated_at)
     SELECT min(i + 1, ${large}), 'Agent ' || i, 'Be kind.', 'Hello.', 'assistant', 'Sari', 'en', 600,
       'hangup', '', 0, 0, 0 FROM n`,
  );
  insert(
    contacts,
    `INSERT INTO contacts (tenant_id, number_e164, first_name, last_name, created_at, updated_at)
     SELECT ${large}, printf('+3706%07d', i), 'Jonas ' || i, 'Petraitis ' || i, 0, 0 FROM n`,
  );
  const owner = `iif(i % 5, ${large}, 1 + i / 5 % ${tenants})`;
  const at = `${untilMs} - i * ${SPACING_MS}`;
  insert(
    calls,
    `INSERT INTO calls (id, call_uuid, tenant_id, agent_id, direction, from_number, to_number, status,
       ended_reason, created_at, answered_at, ended_at, summary, recording_status, billable_seconds,
       overage_seconds, overage_rate, cost, cost_stt, llm_input_tokens, latency_p50_ms, latency_p95_ms)
     SELECT ${calls} - i, printf('%08x-0000-7000-8000-000000000000', ${calls} - i), ${owner},
       ${tenants} + 1 + i % ${AGENTS}, iif(i % 2, 'inbound', 'outbound'),
       printf('+3706%07d', i % ${contacts}), '+37060000002', iif(i % 7, 'completed', 'no_answer'),
       iif(i % 7, 'caller_hangup', 'no_answer'), ${at}, iif(i % 7, ${at} + 2000, NULL), ${at} + 62500,
       iif(i % 7, 'The caller asked for the price of a consultation.', NULL), 'none',
       iif(i % 7, 61, 0), iif(i % 7, 61, 0), 120000, iif(i % 7, 122000, 0), 6100, 900,
       600 + i % 300, 900 + i % 700 FROM n`,
  );
  insert(
    2 * spoken,
    `INSERT INTO turns (call_id, turn_index, speaker, text, start_ms, end_ms, interrupted, latency_ms, measures)
     SELECT ${calls} - i / 2, i % 2, iif(i % 2, 'customer', 'agent'),
       iif(i % 2, 'How much is a consultation number ' || i || '?', 'Hello, how can I help you?'),
       2000 * (i % 2), 2000 * (i % 2) + 1500, 0, iif(i % 2, NULL, 600 + i % 900),
       iif(i % 2, NULL, json_object('endpointMs', 20 + i % 13, 'sttFinalMs', 120 + i % 90,
         'firstTokenMs', 420 + i % 310, 'firstAudioMs', 740 + i % 333, 'firstPacketMs', 1080 + i % 9,
         'early', json('false'))) FROM n`,
  );
}

if (import.meta.main) {
  const [path = "", calls, tenants] = process.argv.slice(2);
  await openDatabase(path, Date.now()).close();
  const past = { contacts: 20_000, spoken: 10_000, untilMs: Date.now() - 120_000 };
  const large = fillPast(path, { ...past, calls: Number(calls), tenants: Number(tenants) });
  // The appliance also runs this in the background after an upgrade.
  const filled = openDatabase(path, Date.now());
  while (await indexSomeCalls(filled, Date.now(), yieldToEventLoop));
  await filled.close();
  console.log(large);
}
