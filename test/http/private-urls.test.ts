/** A URL with a forbidden address is refused when it is saved (decisions 12); `HTTPS://` is accepted. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  type ApiServer,
  type ApiTenant,
  ask,
  pick,
  pickId,
  startApiServer,
} from "../support/http/api-server.ts";
import { newAgent } from "../support/http/two-tenants.ts";
import { tempDir } from "../support/temp-dir.ts";

let server: ApiServer;
let tenant: ApiTenant;
let agent = 0;

beforeAll(async () => {
  server = await startApiServer({ directory: tempDir(), allowNetworks: ["10.1.0.0/16"] });
  tenant = await server.tenant();
  agent = pickId(await ask(server, tenant, "POST", "/agents", newAgent), "agent.id");
});
afterAll(() => server.stop());

const save: Record<string, (url: string) => ReturnType<typeof ask>> = {
  webhook: (url) => ask(server, tenant, "POST", "/webhooks", { url, events: ["call.ended"] }),
  "new agent": (webhook_url) =>
    ask(server, tenant, "POST", "/agents", { ...newAgent, webhook_url }),
  agent: (webhook_url) => ask(server, tenant, "PATCH", `/agents/${agent}`, { webhook_url }),
  CRM: (crm_url) => ask(server, tenant, "PATCH", "/feature-settings", { crm_url }),
};
const FIELD: Record<string, string> = {
  webhook: "url",
  "new agent": "webhook_url",
  agent: "webhook_url",
  CRM: "crm_url",
};

describe.each(Object.keys(save))("the URL of a %s", (what) => {
  test.each([
    "https://127.0.0.1/x",
    "https://10.0.0.1/x",
    "https://10.2.0.0/x",
    "https://0x7f000001/x",
    "https://127.1/x",
    "https://[::1]/x",
    "https://[::ffff:10.0.0.1]/x",
    "https://169.254.169.254/latest/meta-data",
    "https://localhost/x",
    "https://hooks.localhost./x",
  ])("%s is a 400 that names the field", async (url) => {
    const answer = await save[what]?.(url);
    const field = FIELD[what] ?? "";
    expect(answer && [answer.status, pick(answer, "error"), pick(answer, "field")]).toEqual([
      400,
      `valid_${field}_required`,
      field,
    ]);
  });

  test.each([
    "https://example.com/x",
    "HTTPS://example.com/x",
    "https://8.8.8.8/x",
    "https://10.1.2.3/listed-by-the-operator",
    "https://[2606:4700::1111]/x",
  ])("%s is accepted", async (url) => {
    expect((await save[what]?.(url))?.status).toBe(200);
  });
});
