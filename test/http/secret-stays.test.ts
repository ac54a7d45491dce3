/** A write-only secret is not sent to another address either. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import { toolStore } from "../../src/features/tool/tool-store.ts";
import { Tools } from "../../src/features/tool/tools.ts";
import { createVault } from "../../src/platform/secrets/vault.ts";
import { signedInBrowser } from "../support/browser/dashboard-session.ts";
import { type ApiServer, pick, startApiServer } from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ directory: tempDir() });
});
afterAll(() => server.stop());

test("a tool's secret goes to the server it was set for: another one needs it again", async () => {
  const { id: tenantId } = await server.tenant();
  const tools = new Tools({
    database: server.database,
    records: toolStore,
    clock: systemClock,
    vault: createVault(new Uint8Array(32).fill(7)),
    quotas: { require: async () => undefined },
    urlProblem: () => null,
  });
  const { id } = await tools.create(tenantId, {
    agentId: null,
    enabled: true,
    callerLevel: 0,
    name: "find_order",
    description: "Finds an order.",
    secret: "the-secret",
    url: "https://shop.example.com/tool",
    secretHeader: "X-Tool-Secret",
    parameters: { type: "object", properties: {} },
  });
  const kept = await tools.update(tenantId, id, { url: "https://shop.example.com/other" });
  for (const url of ["https://thief.example.com/tool", "https://shop.example.com:8443/other"])
    await expect(tools.update(tenantId, id, { url })).rejects.toMatchObject({
      code: "valid_secret_required",
    });
  expect(await tools.get(tenantId, id)).toEqual(kept);
  const both = { url: "https://new.example.com/tool", secret: "another-secret" };
  expect((await tools.update(tenantId, id, both)).url).toBe(both.url);
});

test("the CRM's secret goes to the server it was set for: another one needs it again", async () => {
  const { id: tenantId } = await server.tenant();
  const browser = await signedInBrowser(server, { tenantId });
  const change = (body: object) => browser.fetch("PATCH", "/api/v1/feature-settings", body);
  const first = { crm_url: "https://crm.example.com/a", crm_secret: "a long random text" };
  expect((await change(first)).status).toBe(200);
  expect((await change({ crm_url: "https://crm.example.com/b" })).status).toBe(200);
  const stolen = await change({ crm_url: "https://thief.example.com/" });
  expect(pick(stolen, "error")).toBe("valid_crm_secret_required");
  expect((await change({ crm_url: null })).status).toBe(200);
  expect((await change({ crm_url: "https://thief.example.com/" })).status).toBe(400);
  const without = { crm_url: "https://thief.example.com/", crm_secret: null };
  expect((await change(without)).status).toBe(200);
});
