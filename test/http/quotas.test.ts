/** Quotas of a tenant's plan: each below, at and above, and separate for another tenant. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import { quotaStore } from "../../src/features/billing/quota-store.ts";
import { createQuotas } from "../../src/features/billing/quotas.ts";
import { toolStore } from "../../src/features/tool/tool-store.ts";
import { Tools } from "../../src/features/tool/tools.ts";
import {
  type ApiServer,
  type ApiTenant,
  ask,
  pick,
  pickId,
  startApiServer,
} from "../support/http/api-server.ts";
import { startPlan } from "../support/plans.ts";
import { tempDir } from "../support/temp-dir.ts";

const quotas = { contacts: 3, tools: 3, campaigns: 3, schedules: 3, knowledgeBytes: 300 };
let server: ApiServer;

beforeAll(async () => {
  server = await startApiServer({ directory: tempDir(), plans: [{ ...startPlan, quotas }] });
});
afterAll(() => server.stop());

async function tenantWithAgent(): Promise<ApiTenant & { readonly agent: number }> {
  const tenant = await server.tenant();
  await server.credit(tenant.id, 100);
  const agent = { name: "Reception", prompt: "You answer." };
  return {
    ...tenant,
    agent: pickId(await ask(server, tenant, "POST", "/agents", agent), "agent.id"),
  };
}

type Maker = (tenant: ApiTenant & { agent: number }, n: number) => ReturnType<typeof ask>;
const makers: readonly (readonly [string, string, Maker])[] = [
  [
    "contacts",
    "max_contacts",
    (tenant, n) => ask(server, tenant, "POST", "/contacts", { number_e164: `+3706000000${n}` }),
  ],
  [
    "campaigns",
    "max_campaigns",
    (tenant, n) =>
      ask(server, tenant, "POST", "/campaigns", {
        name: `C${n}`,
        agent_id: tenant.agent,
        csv: "number\n+37060000001\n",
      }),
  ],
  [
    "schedules",
    "max_schedules",
    (tenant) =>
      ask(server, tenant, "POST", "/calls", {
        to_number: "+37061234567",
        schedule_at: new Date(Date.now() + 86_400_000).toISOString(),
      }),
  ],
  [
    "knowledge",
    "max_knowledge_bytes",
    (tenant, n) =>
      ask(server, tenant, "POST", "/files", { filename: `${n}.txt`, content: "x".repeat(100) }),
  ],
];

test.each([...makers])(
  "%s: three are accepted, the fourth is 403 and names %s",
  async (_, key, make) => {
    const [own, other] = [await tenantWithAgent(), await tenantWithAgent()];
    for (let n = 0; n < 3; n++) expect((await make(own, n)).status).toBe(200);
    const over = await make(own, 4);
    expect([over.status, pick(over, "error")]).toEqual([403, "plan_limit_reached"]);
    expect(pick(over, "message")).toContain(key);
    expect((await make(other, 5)).status).toBe(200);
  },
);

test("tools", async () => {
  const { id } = await server.tenant();
  const tools = new Tools({
    database: server.database,
    records: toolStore,
    clock: systemClock,
    vault: { seal: (plain) => plain },
    quotas: createQuotas(server.billing, quotaStore),
    urlProblem: () => null,
  });
  const make = (n: number) =>
    tools.create(id, {
      agentId: null,
      enabled: true,
      callerLevel: 0,
      name: `tool${n}`,
      description: "Does.",
      secret: "s",
      secretHeader: "X-Tool-Secret",
      url: "https://example.com/tool",
      parameters: { type: "object", properties: {} },
    });
  for (let n = 0; n < 3; n++) await make(n);
  await expect(make(3)).rejects.toMatchObject({ code: "plan_limit_reached" });
});

test("an import above the quota adds nothing, one up to it everything", async () => {
  const tenant = await server.tenant();
  const file = (count: number) => ({
    csv: `number\n${Array.from({ length: count }, (_, n) => `+3706000000${n}`).join("\n")}\n`,
  });
  expect((await ask(server, tenant, "POST", "/contacts/import", file(4))).status).toBe(403);
  expect(pick(await ask(server, tenant, "GET", "/contacts"), "total")).toBe(0);
  expect((await ask(server, tenant, "POST", "/contacts/import", file(3))).status).toBe(200);
  expect(pick(await ask(server, tenant, "GET", "/contacts"), "total")).toBe(3);
});

test("a growing file counts with its growth, a shrinking one never", async () => {
  const tenant = await tenantWithAgent();
  const make = makers[3]?.[2];
  const id = pickId(
    (await make?.(tenant, 1)) ?? { status: 0, headers: new Headers(), text: "", json: null },
    "file.id",
  );
  await make?.(tenant, 2);
  const change = async (bytes: number) =>
    (await ask(server, tenant, "PATCH", `/files/${id}`, { content: "x".repeat(bytes) })).status;
  expect(await change(200)).toBe(200);
  expect(await change(201)).toBe(403);
  expect(await change(10)).toBe(200);
});
