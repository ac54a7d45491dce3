/** The dashboard's product routes over real HTTP, on a whole appliance without calls. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Role, requiredRole } from "../../../src/http/contract.ts";
import { productContracts } from "../../../src/http/dashboard/contracts/product.ts";
import { calls, mails, webhooks } from "../../../src/store/schema/index.ts";
import { type Appliance, OWN_NUMBER, startAppliance } from "../../support/appliance.ts";
import { browserOf } from "../../support/appliance-browser.ts";
import type { Browser } from "../../support/dashboard-session.ts";
import { answer, type HttpsReceiver, httpsReceiver } from "../../support/https-receiver.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { testCa } from "../../support/test-ca.ts";

setDefaultTimeout(60_000);

const ROLES: readonly Role[] = ["viewer", "member", "owner", "operator"];

let world: Appliance;
let receiver: HttpsReceiver;
let stranger: Browser;
let strangerTenant: number;
const people = new Map<Role, Browser>();
const as = (role: Role): Browser => {
  const browser = people.get(role);
  if (!browser) throw new Error(`nobody is ${role}`);
  return browser;
};

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, looked at field by field
const json = (got: { json: unknown }) => got.json as any;

beforeAll(async () => {
  const ca = testCa(tempDir());
  receiver = await httpsReceiver(ca.issue(["IP:127.0.0.1"]));
  world = await startAppliance({
    dataDir: tempDir(),
    host: "127.0.8.72",
    settings: (settings) => ({
      ...settings,
      httpClient: { ...settings.httpClient, caPem: ca.caPem },
    }),
  });
  for (const role of ROLES)
    people.set(
      role,
      await browserOf(world.app, {
        tenantId: world.tenantId,
        role: role === "operator" ? "viewer" : role,
        operator: role === "operator",
      }),
    );
  const other = await world.app.operator.createTenant({
    ...{ name: "Another company", email: "other@example.com", plan: null },
  });
  strangerTenant = other.id;
  stranger = await browserOf(world.app, { tenantId: other.id });
});
afterAll(async () => {
  await world.close();
  await receiver.close();
});

const bodyFor = (method: string) => (method === "GET" || method === "DELETE" ? undefined : {});

test("every route is answered to those whose role allows it, and to nobody else", async () => {
  for (const contract of productContracts()) {
    const path = contract.path
      .replace("{id}", "999999")
      .replace("{uuid}", "019aa1b2-0000-7000-8000-000000000001")
      .replace("{checkout_id}", `chk_${"0".repeat(32)}`);
    const needed = ROLES.indexOf(requiredRole(contract));
    const anonymous = await fetch(`${world.app.addresses.http}/api/dashboard${path}`, {
      method: contract.method,
      headers: { origin: world.app.addresses.http },
    });
    expect([contract.operationId, anonymous.status]).toEqual([contract.operationId, 401]);
    const keyed = await fetch(`${world.app.addresses.http}/api/dashboard${path}`, {
      method: contract.method,
      headers: { authorization: `Bearer ${world.apiKey}`, origin: world.app.addresses.http },
    });
    expect([contract.operationId, keyed.status]).toEqual([contract.operationId, 401]);
    for (const role of ["viewer", "member"] as const) {
      if (needed <= ROLES.indexOf(role)) continue;
      const { status } = await as(role).ask(contract.method, path, bodyFor(contract.method));
      expect([contract.operationId, role, status]).toEqual([contract.operationId, role, 403]);
    }
    if (contract.role === "operator") {
      const { status } = await as("owner").ask(contract.method, path, bodyFor(contract.method));
      expect([contract.operationId, status]).toEqual([contract.operationId, 403]);
    }
    if (contract.method !== "GET") continue;
    const allowed = await as(requiredRole(contract)).ask("GET", path);
    expect([contract.operationId, allowed.status]).not.toBeOneOf([
      [contract.operationId, 401],
      [contract.operationId, 403],
    ]);
  }
});

describe("tools", () => {
  const parameters = {
    type: "object",
    properties: { day: { type: "string" } },
    required: ["day"],
  };
  const draft = () => ({
    name: "find_booking",
    description: "Finds a booking.",
    url: `https://127.0.0.1:${receiver.port}/find`,
    secret_header: "X-Tool-Secret",
    secret: "canary-secret",
    parameters,
  });

  test("are made, tried, changed and deleted; the secret only goes in", async () => {
    const made = await as("member").ask("POST", "/tools", draft());
    expect([made.status, made.text.includes("canary")]).toEqual([200, false]);
    const { tool } = json(made);
    expect(tool).toMatchObject({ name: "find_booking", agent_id: null, enabled: true, parameters });

    receiver.respond = answer(200, '{"free":true}', { "content-type": "application/json" });
    const tried = json(
      await as("member").ask("POST", `/tools/${tool.id}/try`, { arguments: { day: "Monday" } }),
    );
    expect(tried.result).toMatchObject({ ok: true, http_status: 200, output: { free: true } });
    const sent = receiver.requests.at(-1);
    expect(sent?.headers["x-tool-secret"]).toBe("canary-secret");
    expect(JSON.parse(sent?.body ?? "")).toMatchObject({
      ...{ tool: "find_booking", arguments: { day: "Monday" } },
      caller: { number: "", test: true },
    });
    const before = receiver.requests.length;
    const misfit = json(
      await as("member").ask("POST", `/tools/${tool.id}/try`, { arguments: { day: 5 } }),
    );
    expect(misfit.result).toMatchObject({ ok: false, http_status: null });
    expect(receiver.requests.length).toBe(before);

    const changed = await as("member").ask("PATCH", `/tools/${tool.id}`, {
      enabled: false,
      agent_id: world.agentId,
      secret: "another",
    });
    expect(json(changed).tool).toMatchObject({ enabled: false, agent_id: world.agentId });
    await as("member").ask("POST", `/tools/${tool.id}/try`, { arguments: { day: "Monday" } });
    expect(receiver.requests.at(-1)?.headers["x-tool-secret"]).toBe("another");

    for (const path of [`/tools/${tool.id}`, `/tools/${tool.id}/try`])
      expect((await stranger.ask("POST", path, { arguments: {} })).status).toBeOneOf([404, 405]);
    expect(json(await stranger.ask("GET", "/tools")).tools).toEqual([]);
    expect((await stranger.ask("DELETE", `/tools/${tool.id}`)).status).toBe(404);
    const gone = await as("member").ask("DELETE", `/tools/${tool.id}`);
    expect(json(gone)).toEqual({ ok: true, id: tool.id, deleted: true });
  });

  test("that break a rule are refused with the field that is at fault", async () => {
    const wrong: [Record<string, unknown>, string][] = [
      [{ name: "Find Booking" }, "valid_name_required"],
      [{ name: "1st" }, "valid_name_required"],
      [{ description: " " }, "valid_description_required"],
      [{ url: "http://example.com/x" }, "valid_url_required"],
      [{ url: "https://10.0.0.1/x" }, "valid_url_required"],
      [{ url: "https://169.254.169.254/latest" }, "valid_url_required"],
      [{ url: "https://user:pass@example.com/" }, "valid_url_required"],
      [{ secret_header: "Host" }, "valid_secret_header_required"],
      [{ secret_header: "content-length" }, "valid_secret_header_required"],
      [{ secret_header: "X Tool" }, "valid_secret_header_required"],
      [{ secret: "two\r\nlines" }, "valid_secret_required"],
      [{ parameters: { type: "array" } }, "valid_parameters_required"],
      [{ parameters: { type: "object", properties: 5 } }, "valid_parameters_required"],
      [{ parameters: { type: "object", required: "day" } }, "valid_parameters_required"],
      [
        { parameters: { type: "object", properties: { a: { type: "date" } } } },
        "valid_parameters_required",
      ],
      [{ parameters: { type: "object", $ref: "https://x/" } }, "valid_parameters_required"],
      [{ parameters: { type: "object", x: "y".repeat(17_000) } }, "valid_parameters_required"],
      [{ agent_id: 999_999 }, "not_found"],
      [{ colour: "blue" }, "unknown_field"],
    ];
    for (const [change, code] of wrong) {
      const got = await as("member").ask("POST", "/tools", { ...draft(), ...change });
      expect([change, json(got).error]).toEqual([change, code]);
    }
    const made = json(await as("member").ask("POST", "/tools", draft()));
    expect(json(await as("member").ask("POST", "/tools", draft())).error).toBe("conflict");
    await as("member").ask("DELETE", `/tools/${made.tool.id}`);
  });
});

describe("the trunk", () => {
  test("is shown without its password, tested, and replaced without saying it again", async () => {
    const { trunk } = json(await as("viewer").ask("GET", "/trunk"));
    expect(trunk).toMatchObject({ username: "clinic", status: "registered", register: true });
    expect(JSON.stringify(trunk)).not.toContain("horse");
    const { test: result } = json(await as("member").ask("POST", "/trunk/test", {}));
    expect(result.options_code).toBe(200);
    const { status, id, last_code, explanation, next_attempt_at, ...same } = trunk;
    const again = json(await as("owner").ask("POST", "/trunk", same));
    expect(again.trunk.id).toBe(id);
    for (let look = 0; look < 100; look++) {
      const now = json(await as("viewer").ask("GET", "/trunk")).trunk;
      if (now.status === "registered") break;
      await Bun.sleep(100);
    }
    expect(json(await as("viewer").ask("GET", "/trunk")).trunk.status).toBe("registered");
    expect([status, last_code, explanation, next_attempt_at]).toEqual([
      "registered",
      null,
      null,
      null,
    ]);
  });

  test("of another tenant is none of theirs; without one there is nothing to test or delete", async () => {
    expect(json(await stranger.ask("GET", "/trunk"))).toEqual({ ok: true, trunk: null });
    expect((await stranger.ask("POST", "/trunk/test", {})).status).toBe(404);
    expect((await stranger.ask("DELETE", "/trunk")).status).toBe(404);
    const bare = { server: "127.0.0.9", username: "x", caller_id: "+37052000009" };
    const nothing = await stranger.ask("POST", "/trunk", bare);
    expect(json(nothing).error).toBe("valid_password_required");
    const peering = await stranger.ask("POST", "/trunk", { ...bare, register: false });
    expect(json(peering).trunk).toMatchObject({ status: "not_required", port: 5060 });
    expect(json(await stranger.ask("DELETE", "/trunk"))).toEqual({ ok: true, deleted: true });
    expect(json(await stranger.ask("GET", "/trunk")).trunk).toBeNull();
  });
});

test("a tenant's settings change one by one, and bad ones are named", async () => {
  const own = as("owner");
  const { settings } = json(await own.ask("GET", "/tenant-settings"));
  expect(settings).toMatchObject({
    time_zone: "Europe/Vilnius",
    allowed_prefixes: null,
    disclosure: { en: null, lt: null, lv: null, ru: null },
  });
  const changed = json(
    await own.ask("PATCH", "/tenant-settings", {
      features: { callback_memory: true },
      allowed_prefixes: ["+370", "+371"],
      daily_spend_max_eur: 12.34,
      disclosure: { en: "You speak with a machine." },
    }),
  );
  expect(changed.settings).toMatchObject({
    ...settings,
    features: { ...settings.features, callback_memory: true },
    allowed_prefixes: ["+370", "+371"],
    daily_spend_max_eur: 12.34,
    disclosure: { ...settings.disclosure, en: "You speak with a machine." },
  });
  const chat = json(await own.ask("POST", `/agents/${world.agentId}/chat`, {}));
  expect(chat.reply).toStartWith("You speak with a machine.");
  const back = json(
    await own.ask("PATCH", "/tenant-settings", {
      allowed_prefixes: null,
      daily_spend_max_eur: null,
      disclosure: { en: null },
      features: { callback_memory: false },
    }),
  );
  expect(back.settings).toEqual(settings);
  for (const [body, code] of [
    [{ time_zone: "Mars/Olympus" }, "valid_time_zone_required"],
    [{ time_zone: "+02:00" }, "valid_time_zone_required"],
    [{ allowed_prefixes: ["370"] }, "valid_allowed_prefixes_required"],
    [{ features: { crm_bridge: true } }, "unknown_field"],
    [{ disclosure: { en: "" } }, "valid_disclosure_required"],
    [{ daily_spend_max_eur: 0.001 }, "valid_daily_spend_max_eur_required"],
  ] as const)
    expect(json(await own.ask("PATCH", "/tenant-settings", body)).error).toBe(code);
});

test("a webhook that was switched off is shown, switched on, and gets what failed", async () => {
  const made = json(
    await as("owner").fetch("POST", "/api/v1/webhooks", {
      url: `https://127.0.0.1:${receiver.port}/hook`,
      events: ["call.ended"],
    }),
  );
  const { id } = made.webhook;
  await world.app.database.tx(async (queries) => {
    await queries.update(webhooks).set({ enabled: false, disabledReason: "410 Gone" });
  });
  const [state] = json(await as("viewer").ask("GET", "/webhooks")).webhooks;
  expect(state).toMatchObject({ id, enabled: false, disabled_reason: "410 Gone", failed: 0 });
  const home = json(await as("viewer").ask("GET", "/home"));
  expect(home.problems.map((problem: { href: string }) => problem.href)).toContain("/app/webhooks");
  expect((await stranger.ask("POST", `/webhooks/${id}/enable`, {})).status).toBe(404);
  expect((await as("member").ask("POST", `/webhooks/${id}/resend-failed`, {})).status).toBe(409);
  expect(json(await as("member").ask("POST", `/webhooks/${id}/enable`, {})).enabled).toBe(true);
  expect(json(await as("member").ask("POST", `/webhooks/${id}/resend-failed`, {})).queued).toBe(0);
});

test("the wallet's history: ledger, checkouts, a month as a page and as CSV", async () => {
  const operator = as("operator");
  const credited = await operator.ask("POST", `/operator/tenants/${world.tenantId}/credit`, {
    ...{ eur: 5, note: '=HYPERLINK("x")' },
  });
  expect(json(credited).balance_eur).toBe(5);
  const opened = json(await as("owner").fetch("POST", "/api/v1/topup", { amount_eur: 10 }));
  const [waiting] = json(await operator.ask("GET", "/operator/checkouts")).checkouts;
  expect(waiting).toMatchObject({ id: opened.checkout.id, tenant_name: "Dental clinic" });
  const confirm = `/operator/checkouts/${waiting.id}/confirm`;
  expect(json(await operator.ask("POST", confirm, {})).checkout.status).toBe("paid");
  expect(json(await operator.ask("POST", confirm, {})).checkout.status).toBe("paid");
  const ledger = json(await as("viewer").ask("GET", "/ledger?limit=10"));
  expect(ledger.total).toBe(2);
  expect(ledger.entries).toMatchObject([
    { kind: "topup", amount_eur: 10, checkout_id: waiting.id },
    { kind: "credit", amount_eur: 5 },
  ]);
  const [checkout] = json(await as("viewer").ask("GET", "/checkouts")).checkouts;
  expect(checkout).toMatchObject({ status: "paid", amount_eur: 10 });
  expect(json(await stranger.ask("GET", "/ledger")).entries).toEqual([]);

  const now = new Date();
  const month = `year=${now.getUTCFullYear()}&month=${now.getUTCMonth() + 1}`;
  const page = await as("viewer").ask("GET", `/statement?${month}`);
  expect(page.headers.get("content-type")).toStartWith("text/html");
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(page.text).toContain("Top-up");
  expect(page.text).not.toContain('=HYPERLINK("x")');
  const csv = await as("viewer").ask("GET", `/statement.csv?${month}`);
  expect(csv.text).toContain(`"'=HYPERLINK(""x"")"`);
  expect((await as("viewer").ask("GET", "/statement?year=2026&month=13")).status).toBe(400);
});

test("calls as CSV: quoted, never a formula, every row once over many pages", async () => {
  const base = Date.parse("2026-01-05T10:00:00Z");
  const rows = Array.from({ length: 1203 }, (_, index) => ({
    tenantId: strangerTenant,
    callUuid: `019aa1b2-0000-7000-8000-${String(index).padStart(12, "0")}`,
    direction: "inbound" as const,
    fromNumber: index === 0 ? "=cmd|' /C calc'!A0" : "+37061234567",
    toNumber: OWN_NUMBER,
    status: "completed" as const,
    // Many share a moment: a page's border lies within.
    createdAt: base + Math.floor(index / 300),
    recordingStatus: "none" as const,
    overageRate: 0 as never,
    cost: 0 as never,
    summary: index === 1 ? 'He said "no",\nthen left' : null,
  }));
  await world.app.database.tx(async (queries) => {
    for (let at = 0; at < rows.length; at += 200)
      await queries.insert(calls).values(rows.slice(at, at + 200));
  });
  const csv = await stranger.ask("GET", "/calls.csv?from=2026-01-05&to=2026-01-05");
  const uuids = csv.text.match(/^019aa1b2-[0-9a-f-]+/gm) ?? [];
  expect([uuids.length, new Set(uuids).size]).toEqual([1203, 1203]);
  expect(csv.text).toContain(`'=cmd|' /C calc'!A0`);
  expect(csv.text).toContain(`"He said ""no"",\nthen left"`);
  expect(csv.headers.get("content-disposition")).toStartWith("attachment");
  const own = await as("viewer").ask("GET", "/calls.csv");
  expect(own.text).not.toContain("019aa1b2-");
  const none = await stranger.ask("GET", "/calls.csv?direction=outbound");
  expect(none.text.trim().split("\r\n").length).toBe(1);
});

test("home says how everything stands, what is wrong and what is left to do", async () => {
  const home = json(await as("viewer").ask("GET", "/home"));
  expect(home.lamps.trunk.state).toBe("ok");
  expect(home.lamps.engine).toEqual({
    ...{ state: "ok", sentence: "Ready to carry calls.", mend: null },
  });
  expect(home.lamps.mail.state).toBe("warning");
  expect(home.lamps.backup.state).toBe("warning");
  const done = Object.fromEntries(
    home.checklist.map((step: { id: string; done: boolean }) => [step.id, step.done]),
  );
  expect(done).toEqual({
    ...{ agent: true, knowledge: true, talk: false, trunk: true, number: true, first_call: false },
  });
  const empty = json(await stranger.ask("GET", "/home"));
  expect(empty.lamps.trunk.state).toBe("unknown");
  expect(empty.live_calls).toBe(0);
});

describe("the operator", () => {
  test("makes tenants, changes their plan, suspends and resumes them", async () => {
    const operator = as("operator");
    const made = json(
      await operator.ask("POST", "/operator/tenants", { name: "New", email: "n@example.com" }),
    );
    expect(made.tenant).toMatchObject({ name: "New", plan: "start", suspended: false });
    const path = `/operator/tenants/${made.tenant.id}`;
    expect(json(await operator.ask("PATCH", path, { plan: "gold" })).error).toBe(
      "valid_plan_required",
    );
    const suspended = await operator.ask("PATCH", path, { suspended: true, plan: "start" });
    expect(json(suspended).tenant.suspended).toBe(true);
    const names = json(await operator.ask("GET", "/operator/tenants")).tenants.map(
      (tenant: { name: string }) => tenant.name,
    );
    expect(names).toContain("New");
    expect((await operator.ask("PATCH", "/operator/tenants/99999", {})).status).toBe(404);
  });

  test("backs up, and sees the log without what is personal", async () => {
    const operator = as("operator");
    const { backup } = json(await operator.ask("POST", "/operator/backups", {}));
    expect(backup.file).toMatch(/^linevoice-\d{8}T\d{9}Z\.db$/);
    const list = json(await operator.ask("GET", "/operator/backups"));
    expect(list.backups[0]).toEqual({ ...backup, created_at: expect.any(String) });
    const logs = json(await operator.ask("GET", "/operator/logs?limit=200"));
    expect(logs.lines.map((line: { event: string }) => line.event)).toContain("app.started");
    const warned = json(await operator.ask("GET", "/operator/logs?level=error"));
    expect(warned.lines.every((line: { level: string }) => line.level === "error")).toBe(true);
  });

  test("tests mail, and sends again what was given up", async () => {
    const operator = as("operator");
    const sent = json(await operator.ask("POST", "/operator/mail-test", { to: "me@example.com" }));
    expect(sent).toMatchObject({ sent: true, provider: "outbox", error: null });
    const [row] = await world.app.database.tx((queries) =>
      queries
        .insert(mails)
        .values({
          ...{ tenantId: world.tenantId, key: "dead:1", recipient: "gone@example.com" },
          ...{ subject: "Dead", body: "x", status: "dead", attempts: 8, lastError: "550 no" },
          createdAt: Date.now(),
        })
        .returning({ id: mails.id }),
    );
    const { mails: dead } = json(await operator.ask("GET", "/operator/mails"));
    expect(dead).toMatchObject([{ id: row?.id, last_error: "550 no", status: "dead" }]);
    expect(json(await as("viewer").ask("GET", "/home")).lamps.mail.state).toBe("failed");
    const retried = await operator.ask("POST", `/operator/mails/${row?.id}/retry`, {});
    expect(json(retried).status).toBe("pending");
    for (let look = 0; look < 100 && !world.mails().some((name) => name.length > 0); look++)
      await Bun.sleep(50);
    for (let look = 0; look < 100; look++) {
      const again = await operator.ask("POST", `/operator/mails/${row?.id}/retry`, {});
      if (json(again).message?.includes("sent")) break;
      await Bun.sleep(50);
    }
    const after = await operator.ask("POST", `/operator/mails/${row?.id}/retry`, {});
    expect([after.status, json(after).message]).toEqual([409, expect.stringContaining("sent")]);
  });

  test("is told where the doctor is when the server has none", async () => {
    expect((await as("operator").ask("GET", "/operator/health")).status).toBe(503);
  });
});
