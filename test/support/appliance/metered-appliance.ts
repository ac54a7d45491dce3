/**
 * A whole appliance in a separate process, with many rows of one tenant. It measures how long
 * requests block its main thread; a client in the same process would distort that. Started with
 * `Bun.spawn` and `ipc`. It sends `Ready` once, then answers every message with the longest event
 * loop turn since the previous message, in ms.
 */
import { sql } from "drizzle-orm";
import { systemClock } from "../../../src/core/clock.ts";
import { toolStore } from "../../../src/features/tool/tool-store.ts";
import { Tools } from "../../../src/features/tool/tools.ts";
import { browserOf } from "../browser/appliance-browser.ts";
import { startEventLoopMeter } from "../process/event-loop-meter.ts";
import { startAppliance } from "./appliance.ts";

export interface Ready {
  readonly base: string;
  readonly key: string;
  /** Session of an owner who is also an operator. */
  readonly cookie: string;
  /** Sessions of more owners, because each may send only 600 requests per minute. */
  readonly cookies: readonly string[];
  readonly ids: Readonly<Record<string, number | string>>;
}

const CALL = "019aa1b2-0000-7000-8000-000000000001";
const CALLS = 20_000;

const [dataDir = "", host = ""] = process.argv.slice(2);
const world = await startAppliance({
  dataDir,
  host,
  // High limits, for everything that tests create.
  settings: (settings) => ({
    ...settings,
    plans: settings.plans.map((plan) => ({ ...plan, maxAgents: 500, maxFiles: 500 })),
  }),
});
const { app, tenantId, agentId } = world;
await app.ask("credit", { tenant: tenantId, eur: 1000, note: "test" });

/** `n` counts from 1. */
const counted = (count: number) =>
  sql.raw(
    `WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < ${count})`,
  );

await app.database.tx(async (queries) => {
  const now = Date.now();
  await queries.run(sql`INSERT INTO contacts
    (tenant_id, number_e164, first_name, last_name, notes, created_at, updated_at)
    ${counted(99_000)} SELECT ${tenantId}, '+3706' || (1000000 + n), 'Vardas ' || n, 'Pavardė ' || (n % 977),
      ${"n".repeat(100)}, ${now}, ${now} FROM many`);
  await queries.run(sql`INSERT INTO schedules
    (tenant_id, call_uuid, agent_id, to_number, from_number, schedule_at, status, immediate, created_at)
    ${counted(3000)} SELECT ${tenantId}, 'entry-' || n, ${agentId}, '+37060000001', '+37052000001',
      ${now + 86_400_000} + n, 'pending', 0, ${now} FROM many`);
  await queries.run(sql`INSERT INTO calls
    (call_uuid, tenant_id, agent_id, direction, from_number, to_number, status, ended_reason, created_at,
      answered_at, ended_at, summary, recording_status, billable_seconds, overage_rate, cost, latency_p50_ms,
      latency_p95_ms)
    ${counted(CALLS)} SELECT CASE n WHEN 1 THEN ${CALL} ELSE 'call-' || n END, ${tenantId}, ${agentId},
      'inbound', '+37060000001', '+37052000001', 'completed', 'caller_hangup', ${now} - n * 60000,
      ${now} - n * 60000, ${now} - n * 60000 + 30000, ${"s".repeat(300)}, 'none', 30, 0, 1000, 500, 900
    FROM many`);
  // An hour of conversation, and a day of measured turns.
  await queries.run(sql`INSERT INTO turns
    (call_id, turn_index, speaker, text, start_ms, end_ms, interrupted, latency_ms, measures)
    ${counted(20_000)} SELECT (SELECT id FROM calls WHERE call_uuid = CASE WHEN n <= 900 THEN ${CALL}
        ELSE 'call-' || (n / 10) END), n, 'agent', ${"A sentence that is spoken. ".repeat(4)}, n, n + 1, 0, 500,
      '{"endpointMs":300,"sttFinalMs":350,"firstTokenMs":500,"firstAudioMs":600,"firstPacketMs":620,"early":false}'
    FROM many`);
  await queries.run(sql`INSERT INTO call_memories
    (tenant_id, number_e164, call_uuid, reason, outcome, attempted_at)
    ${counted(5000)} SELECT ${tenantId}, '+37060000001', 'call-' || n, 'why', 'how', ${now} FROM many`);
  await queries.run(sql`INSERT INTO campaigns
    (tenant_id, name, agent_id, status, calling_from, calling_to, concurrency_max, attempts_max,
      retry_after_min, created_at, updated_at)
    ${counted(50)} SELECT ${tenantId}, 'Campaign ' || n, ${agentId}, 'draft', 0, 1, 1, 1, 5, ${now}, ${now}
    FROM many`);
  await queries.run(sql`INSERT INTO campaign_targets
    (tenant_id, campaign_id, number_e164, variables, status, attempts, not_before, updated_at)
    ${counted(20_000)} SELECT ${tenantId}, (SELECT min(id) FROM campaigns) + n % 50, '+3706' || (1000000 + n),
      '{}', 'waiting', 0, ${now}, ${now} FROM many`);
  const content = "k".repeat(512_000);
  await queries.run(sql`INSERT INTO files
    (tenant_id, filename, format, content, size_bytes, created_at, updated_at)
    ${counted(10)} SELECT ${tenantId}, 'big' || n || '.txt', 'txt', ${content}, 512000, ${now}, ${now}
    FROM many`);
});

const signedIn = () => browserOf(app, { tenantId, operator: true });
const browser = await signedIn();
const made = async (path: string, body: unknown, noun: string) => {
  const answer = await browser.fetch("POST", path, body);
  const record = (answer.json as Record<string, { id: number } | undefined> | null)?.[noun];
  if (!record) throw new Error(`${path}: ${answer.text}`);
  return record.id;
};
// Versions 2 and 3, with all lines in a different order.
for (const step of [7919, 7907]) {
  const line = (_: unknown, n: number) => ((n * step) % 1296).toString(36);
  const prompt = Array.from({ length: 33_000 }, line).join("\n");
  await browser.fetch("PATCH", `/api/v1/agents/${agentId}`, { prompt });
}
const tools = new Tools({
  database: app.database,
  records: toolStore,
  clock: systemClock,
  vault: { seal: (plain) => plain },
  quotas: { require: async () => undefined },
  urlProblem: () => null,
});
const tool = await tools.create(tenantId, {
  agentId: null,
  enabled: true,
  callerLevel: 0,
  name: "find",
  description: "Finds.",
  secret: "s",
  secretHeader: "X-Tool-Secret",
  url: "https://127.0.0.1:9/tool",
  parameters: { type: "object", properties: {} },
});

const ready: Ready = {
  base: app.addresses.http,
  key: world.apiKey,
  cookie: browser.cookie ?? "",
  cookies: (await Promise.all(Array.from({ length: 8 }, signedIn))).map(
    ({ cookie }) => cookie ?? "",
  ),
  ids: {
    agent: agentId,
    call: CALL,
    recording: CALL,
    tool: tool.id,
    contact: 1,
    memory: 1,
    campaign: 1,
    file: 2,
    "schedule entry": 1,
    "phone number": 1,
    webhook: await made(
      "/api/v1/webhooks",
      { url: "https://example.com/hook", events: ["call.ended"] },
      "webhook",
    ),
  },
};

const meter = startEventLoopMeter();
process.on("message", () => process.send?.({ longestMs: meter.longestMs() }));
process.on("disconnect", () => void world.close().then(() => process.exit(0)));
process.send?.(ready);
