/** `POST /crm/test`, replay and the reason of a call, over the real API. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { callerStore } from "../../../src/features/contact/caller-store.ts";
import { callPurposes, crmCache, crmPosts, tenants } from "../../../src/store/schema/index.ts";
import {
  type ApiServer,
  type ApiTenant,
  ask,
  pickId,
  startApiServer,
} from "../../support/http/api-server.ts";
import { tempDir } from "../../support/temp-dir.ts";

const HOST = "127.0.8.97";
const NUMBER = "+37061000301";
let server: ApiServer;
let tenant: ApiTenant;
let crm: Bun.Server<undefined>;
let asked = 0;
let reply = () => Response.json({ person: { full_name: "Jonas P." } });

beforeAll(async () => {
  crm = Bun.serve({
    hostname: HOST,
    port: 0,
    fetch() {
      asked++;
      return reply();
    },
  });
  server = await startApiServer({ directory: tempDir() });
  tenant = await server.tenant();
  await server.credit(tenant.id, 100);
  await server.database.tx((queries) =>
    callerStore(queries).putFeatureSettings(
      tenant.id,
      {
        crmUrl: `http://${HOST}:${crm.port}/`,
        crmMapping: { name: "person.full_name", summary: "activity.text" },
      },
      1,
    ),
  );
});
afterAll(async () => {
  await server.stop();
  await crm.stop(true);
});

const pay = (crmBridge: boolean) =>
  server.database.tx((queries) =>
    queries.update(tenants).set({ crmBridge }).where(eq(tenants.id, tenant.id)),
  );
const trial = (number: unknown = NUMBER) => ask(server, tenant, "POST", "/crm/test", { number });

test("without payment, the CRM gets neither look-ups nor repeated messages", async () => {
  await pay(false);
  expect((await trial()).status).toBe(409);
  await server.database.tx((queries) =>
    queries.insert(crmPosts).values({
      tenantId: tenant.id,
      callUuid: "u1",
      body: "{}",
      status: "failed",
      nextAttemptAt: 1,
      createdAt: 1,
      updatedAt: 1,
    }),
  );
  const [post] = await server.database.read.select().from(crmPosts);
  const replay = await ask(server, tenant, "POST", `/crm-messages/${post?.id}/replay`);
  expect(replay.status).toBe(409);
  expect(asked).toBe(0);
});

test("with payment, it shows the data for the agent and for the CRM, under the CRM's names", async () => {
  await pay(true);
  const shown = await trial();
  expect(shown.status).toBe(200);
  expect(shown.json).toMatchObject({
    facts: [expect.stringContaining("name: Jonas P.")],
    outcome: {
      type: "call_outcome",
      number: NUMBER,
      activity: { text: expect.any(String) },
      duration_sec: 61,
      status: "completed",
      ended_reason: "caller_hangup",
      cost_eur: 0.15,
    },
  });
  expect(asked).toBe(1);
  expect(await server.database.read.select().from(crmCache)).toHaveLength(1);
});

test("a broken CRM is reported as broken, and no cached answer hides it", async () => {
  reply = () => new Response("oops", { status: 500 });
  const failed = await trial();
  expect(failed.status).toBe(503);
  expect(JSON.stringify(failed.json)).toContain("HTTP 500");
  reply = () => new Response("no json");
  expect((await trial()).status).toBe(503);
  expect((await trial("61000301")).status).toBe(400);
});

test("a call may have a reason; a reason that is too long is refused", async () => {
  const agentId = pickId(
    await ask(server, tenant, "POST", "/agents", { name: "Care", prompt: "x" }),
    "agent.id",
  );
  const wish = { to_number: NUMBER, agent_id: agentId };
  await ask(server, tenant, "POST", "/calls", {
    ...wish,
    reason: "a test result",
    sensitive: true,
  });
  await ask(server, tenant, "POST", "/calls", wish);
  expect(await server.database.read.select().from(callPurposes)).toMatchObject([
    { reason: "a test result", sensitive: true, origin: "api" },
  ]);
  const long = await ask(server, tenant, "POST", "/calls", { ...wish, reason: "x".repeat(301) });
  expect(JSON.stringify(long.json)).toContain("valid_reason_required");
});
