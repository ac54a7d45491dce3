/**
 * The measured process: the HTTP server of a node with a libSQL server or a file, with one tenant,
 * one agent and some calls. Arguments: URL and token; none: a file. Prints one JSON line when it
 * listens; exits when its input closes.
 */
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { systemClock as clock } from "../../src/core/clock.ts";
import { systemRandom as random } from "../../src/core/random.ts";
import { rateStore } from "../../src/http/rate-store.ts";
import { sharedRateLimiter } from "../../src/http/shared-rate-limit.ts";
import { openRemoteDatabase } from "../../src/store/libsql/database.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { ask, pickId, startApiServer } from "../../test/support/http/api-server.ts";
import { tempDir } from "../../test/support/temp-dir.ts";

const CALLS = 1_000;
/** The fastest reads of a minute stay below this: the rate limiter is active but never rejects. */
const REQUESTS_PER_MINUTE = 2_000_000;

const [url, authToken = null] = process.argv.slice(2);
const database = url
  ? await openRemoteDatabase({ url, authToken }, { clock, random, owner: "bench" })
  : openDatabase(join(tempDir(), "store.db"), clock.now());
const shared = { database, requests: rateStore, clock };
const rateLimiter = url ? sharedRateLimiter(() => REQUESTS_PER_MINUTE, shared) : undefined;
const server = await startApiServer({
  directory: tempDir(),
  database,
  settings: { requestsPerMinute: REQUESTS_PER_MINUTE },
  dependencies: { rateLimiter, isStoreRemote: url !== undefined },
});
const tenant = await server.tenant();
const agent = await ask(server, tenant, "POST", "/agents", { name: "Bench", prompt: "Bench." });
const agentId = pickId(agent, "agent.id");
await database.tx(async (queries) => {
  await queries.run(sql`
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${CALLS})
    INSERT INTO calls (call_uuid, tenant_id, agent_id, direction, from_number, to_number, status,
      created_at, answered_at, ended_at, recording_status, billable_seconds, overage_rate, cost)
    SELECT printf('%08x-0000-7000-8000-000000000000', i), ${tenant.id}, ${agentId}, 'inbound',
      '+37060000001', '+37060000002', 'completed', ${clock.now()} - i * 30000, 1, 61000, 'none', 61,
      120000, 2000 FROM n`);
});
console.log(JSON.stringify({ base: server.base, key: tenant.key, agentId }));

await new Response(Bun.stdin.stream()).text();
await server.stop();
