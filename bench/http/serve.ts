/**
 * The measured process: the real HTTP server with a real database file, one tenant, one agent and
 * some calls. Prints one JSON line when it listens; exits when its standard input closes.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { ask, pickId, startApiServer } from "../../test/support/http/api-server.ts";

const callsStored = Number(process.argv[2] ?? 10_000);
const directory = mkdtempSync(join(tmpdir(), "linevoice-bench-"));
// The fastest reads of a minute stay below this: the rate limiter is active but never rejects.
const server = await startApiServer({ directory, settings: { requestsPerMinute: 5_000_000 } });
const tenant = await server.tenant();
const agent = await ask(server, tenant, "POST", "/agents", { name: "Bench", prompt: "Bench." });
const agentId = pickId(agent, "agent.id");
await server.database.tx(async (queries) => {
  await queries.run(sql`
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${callsStored})
    INSERT INTO calls (call_uuid, tenant_id, agent_id, direction, from_number, to_number, status,
      created_at, answered_at, ended_at, recording_status, billable_seconds, overage_rate, cost)
    SELECT printf('%08x-0000-7000-8000-000000000000', i), ${tenant.id}, ${agentId}, 'inbound',
      '+37060000001', '+37060000002', 'completed', ${Date.now()} - i * 30000, 1, 61000, 'none', 61,
      120000, 2000 FROM n`);
});
console.log(JSON.stringify({ base: server.base, key: tenant.key, agentId }));

await new Response(Bun.stdin.stream()).text();
await server.stop();
rmSync(directory, { recursive: true, force: true });
