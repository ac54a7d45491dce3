/** The dashboard's product routes over real HTTP, on a whole appliance without calls. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Role, requiredRole } from "../../../src/http/contract.ts";
import * as money from "../../../src/http/contracts/billing.ts";
import * as rest from "../../../src/http/contracts/webhooks.ts";
import * as agents from "../../../src/http/dashboard/contracts/agents.ts";
import * as wallet from "../../../src/http/dashboard/contracts/billing.ts";
import * as homes from "../../../src/http/dashboard/contracts/home.ts";
import * as operators from "../../../src/http/dashboard/contracts/operator.ts";
import { productContracts } from "../../../src/http/dashboard/contracts/product.ts";
import * as settings from "../../../src/http/dashboard/contracts/tenant-settings.ts";
import * as tools from "../../../src/http/dashboard/contracts/tools.ts";
import * as trunk from "../../../src/http/dashboard/contracts/trunk.ts";
import * as hooks from "../../../src/http/dashboard/contracts/webhooks.ts";
import { calls, mails, webhooks } from "../../../src/store/schema/index.ts";
import { type Appliance, OWN_NUMBER, startAppliance } from "../../support/appliance.ts";
import { browserOf } from "../../support/appliance-browser.ts";
import type { Browser } from "../../support/dashboard-session.ts";
import { answer, type HttpsReceiver, httpsReceiver } from "../../support/https-receiver.ts";
import { errorOf, messageOf, replyOf } from "../../support/reply.ts";
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
    const { tool } = replyOf(tools.createTool, made);
    expect(tool).toMatchObject({ name: "find_booking", agent_id: null, enabled: true, parameters });

    receiver.respond = answer(200, '{"free":true}', { "content-type": "application/json" });
    const tried = replyOf(
      tools.tryTool,
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
    const misfit = replyOf(
      tools.tryTool,
      await as("member").ask("POST", `/tools/${tool.id}/try`, { arguments: { day: 5 } }),
    );
    expect(misfit.result).toMatchObject({ ok: false, http_status: null });
    expect(receiver.requests.length).toBe(before);

    const changed = await as("member").ask("PATCH", `/tools/${tool.id}`, {
      enabled: false,
      agent_id: world.agentId,
      secret: "another",
    });
    expect(replyOf(tools.updateTool, changed).tool).toMatchObject({
      enabled: false,
      agent_id: world.agentId,
    });
    await as("member").ask("POST", `/tools/${tool.id}/try`, { arguments: { day: "Monday" } });
    expect(receiver.requests.at(-1)?.headers["x-tool-secret"]).toBe("another");

    for (const path of [`/tools/${tool.id}`, `/tools/${tool.id}/try`])
      expect((await stranger.ask("POST", path, { arguments: {} })).status).toBeOneOf([404, 405]);
    expect(replyOf(tools.listTools, await stranger.ask("GET", "/tools")).tools).toEqual([]);
    expect((await stranger.ask("DELETE", `/tools/${tool.id}`)).status).toBe(404);
    const gone = await as("member").ask("DELETE", `/tools/${tool.id}`);
    expect(replyOf(tools.deleteTool, gone)).toEqual({ ok: true, id: tool.id, deleted: true });
  });

  test("run for real in a conversation in writing, and its answer is told", async () => {
    const made = replyOf(
      tools.createTool,
      await as("member").ask("POST", "/tools", {
        ...draft(),
        name: "next_free_appointment",
        description: "Tells the next free appointment. Find the next free appointment.",
        parameters: { type: "object", properties: {} },
      }),
    );
    const message = "The next free appointment is on Monday at nine.";
    receiver.respond = answer(200, JSON.stringify({ message }), {
      "content-type": "application/json",
    });
    const chat = replyOf(
      agents.chat,
      await as("member").ask("POST", `/agents/${world.agentId}/chat`, {
        message: "Find the next free appointment",
      }),
    );
    expect(chat.reply).toContain(message);
    expect(chat.events).toMatchObject([
      { type: "tool", tool: "next_free_appointment", ok: true, output: { message } },
    ]);
    expect(JSON.parse(receiver.requests.at(-1)?.body ?? "").caller).toMatchObject({ test: true });
    await as("member").ask("DELETE", `/tools/${made.tool.id}`);
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
      expect([change, errorOf(got)]).toEqual([change, code]);
    }
    const made = replyOf(tools.createTool, await as("member").ask("POST", "/tools", draft()));
    expect(errorOf(await as("member").ask("POST", "/tools", draft()))).toBe("conflict");
    await as("member").ask("DELETE", `/tools/${made.tool.id}`);
  });
});

describe("the trunk", () => {
  test("is shown without its password, tested, and replaced without saying it again", async () => {
    const { trunk: shown } = replyOf(trunk.getTrunk, await as("viewer").ask("GET", "/trunk"));
    if (!shown) throw new Error("there is no trunk");
    expect(shown).toMatchObject({ username: "clinic", status: "registered", register: true });
    expect(JSON.stringify(shown)).not.toContain("horse");
    const { test: result } = replyOf(
      trunk.testTrunk,
      await as("member").ask("POST", "/trunk/test", {}),
    );
    expect(result.options_code).toBe(200);
    const { status, id, last_code, explanation, next_attempt_at, ...same } = shown;
    const again = replyOf(trunk.setTrunk, await as("owner").ask("POST", "/trunk", same));
    expect(again.trunk.id).toBe(id);
    for (let look = 0; look < 100; look++) {
      const now = replyOf(trunk.getTrunk, await as("viewer").ask("GET", "/trunk")).trunk;
      if (now?.status === "registered") break;
      await Bun.sleep(100);
    }
    expect(replyOf(trunk.getTrunk, await as("viewer").ask("GET", "/trunk")).trunk?.status).toBe(
      "registered",
    );
    expect([status, last_code, explanation, next_attempt_at]).toEqual([
      "registered",
      null,
      null,
      null,
    ]);
  });

  test("of another tenant is none of theirs; without one there is nothing to test or delete", async () => {
    expect(replyOf(trunk.getTrunk, await stranger.ask("GET", "/trunk"))).toEqual({
      ok: true,
      trunk: null,
    });
    expect((await stranger.ask("POST", "/trunk/test", {})).status).toBe(404);
    expect((await stranger.ask("DELETE", "/trunk")).status).toBe(404);
    const bare = { server: "127.0.0.9", username: "x", caller_id: "+37052000009" };
    const nothing = await stranger.ask("POST", "/trunk", bare);
    expect(errorOf(nothing)).toBe("valid_password_required");
    for (const [wrong, code] of [
      [{ server: "a b" }, "valid_server_required"],
      [{ outbound_proxy: "proxy.example.com:99999" }, "valid_outbound_proxy_required"],
      [{ username: "", password: "x" }, "valid_username_required"],
      [{ caller_id: "0037052" }, "valid_caller_id_required"],
    ] as const)
      expect(errorOf(await stranger.ask("POST", "/trunk", { ...bare, ...wrong }))).toBe(code);
    const peering = await stranger.ask("POST", "/trunk", { ...bare, register: false });
    expect(replyOf(trunk.setTrunk, peering).trunk).toMatchObject({
      status: "not_required",
      port: 5060,
    });
    expect(replyOf(trunk.deleteTrunk, await stranger.ask("DELETE", "/trunk"))).toEqual({
      ok: true,
      deleted: true,
    });
    expect(replyOf(trunk.getTrunk, await stranger.ask("GET", "/trunk")).trunk).toBeNull();
  });
});

test("a tenant's settings change one by one, and bad ones are named", async () => {
  const own = as("owner");
  const { settings: before } = replyOf(
    settings.getTenantSettings,
    await own.ask("GET", "/tenant-settings"),
  );
  expect(before).toMatchObject({
    time_zone: "Europe/Vilnius",
    allowed_prefixes: null,
    disclosure: { en: null, lt: null, lv: null, ru: null },
  });
  const changed = replyOf(
    settings.updateTenantSettings,
    await own.ask("PATCH", "/tenant-settings", {
      features: { callback_memory: true },
      allowed_prefixes: ["+370", "+371"],
      daily_spend_max_eur: 12.34,
      disclosure: { en: "You speak with a machine." },
    }),
  );
  expect(changed.settings).toMatchObject({
    ...before,
    features: { ...before.features, callback_memory: true },
    allowed_prefixes: ["+370", "+371"],
    daily_spend_max_eur: 12.34,
    disclosure: { ...before.disclosure, en: "You speak with a machine." },
  });
  const chat = replyOf(agents.chat, await own.ask("POST", `/agents/${world.agentId}/chat`, {}));
  expect(chat.reply).toStartWith("You speak with a machine.");
  const back = replyOf(
    settings.updateTenantSettings,
    await own.ask("PATCH", "/tenant-settings", {
      allowed_prefixes: null,
      daily_spend_max_eur: null,
      disclosure: { en: null },
      features: { callback_memory: false },
    }),
  );
  expect(back.settings).toEqual(before);
  for (const [body, code] of [
    [{ time_zone: "Mars/Olympus" }, "valid_time_zone_required"],
    [{ time_zone: "+02:00" }, "valid_time_zone_required"],
    [{ allowed_prefixes: ["370"] }, "valid_allowed_prefixes_required"],
    [{ features: { crm_bridge: true } }, "unknown_field"],
    [{ disclosure: { en: "" } }, "valid_disclosure_required"],
    [{ daily_spend_max_eur: 0.001 }, "valid_daily_spend_max_eur_required"],
  ] as const)
    expect(errorOf(await own.ask("PATCH", "/tenant-settings", body))).toBe(code);
});

test("a webhook that was switched off is shown, switched on, and gets what failed", async () => {
  const made = replyOf(
    rest.createWebhook,
    await as("owner").fetch("POST", "/api/v1/webhooks", {
      url: `https://127.0.0.1:${receiver.port}/hook`,
      events: ["call.ended"],
    }),
  );
  const { id } = made.webhook;
  await world.app.database.tx(async (queries) => {
    await queries.update(webhooks).set({ enabled: false, disabledReason: "410 Gone" });
  });
  const [state] = replyOf(
    hooks.listWebhookStates,
    await as("viewer").ask("GET", "/webhooks"),
  ).webhooks;
  expect(state).toMatchObject({ id, enabled: false, disabled_reason: "410 Gone", failed: 0 });
  const home = replyOf(homes.getHome, await as("viewer").ask("GET", "/home"));
  expect(home.problems.map((problem) => problem.href)).toContain("/app/webhooks");
  expect((await stranger.ask("POST", `/webhooks/${id}/enable`, {})).status).toBe(404);
  expect((await as("member").ask("POST", `/webhooks/${id}/resend-failed`, {})).status).toBe(409);
  expect(
    replyOf(hooks.enableWebhook, await as("member").ask("POST", `/webhooks/${id}/enable`, {}))
      .enabled,
  ).toBe(true);
  expect(
    replyOf(hooks.resendFailed, await as("member").ask("POST", `/webhooks/${id}/resend-failed`, {}))
      .queued,
  ).toBe(0);
});

test("the wallet's history: ledger, checkouts, a month as a page and as CSV", async () => {
  const operator = as("operator");
  const credited = await operator.ask("POST", `/operator/tenants/${world.tenantId}/credit`, {
    ...{ eur: 5, note: '=HYPERLINK("x")' },
  });
  expect(replyOf(operators.creditTenant, credited).balance_eur).toBe(5);
  const opened = replyOf(
    money.topUp,
    await as("owner").fetch("POST", "/api/v1/topup", { amount_eur: 10 }),
  );
  const [waiting] = replyOf(
    operators.listWaitingCheckouts,
    await operator.ask("GET", "/operator/checkouts"),
  ).checkouts;
  if (!waiting) throw new Error("nothing waits");
  expect(waiting).toMatchObject({ id: opened.checkout.id, tenant_name: "Dental clinic" });
  const confirm = `/operator/checkouts/${waiting.id}/confirm`;
  expect(
    replyOf(operators.confirmCheckout, await operator.ask("POST", confirm, {})).checkout.status,
  ).toBe("paid");
  expect(
    replyOf(operators.confirmCheckout, await operator.ask("POST", confirm, {})).checkout.status,
  ).toBe("paid");
  const ledger = replyOf(wallet.listLedger, await as("viewer").ask("GET", "/ledger?limit=10"));
  expect(ledger.total).toBe(2);
  expect(ledger.entries).toMatchObject([
    { kind: "topup", amount_eur: 10, checkout_id: waiting.id },
    { kind: "credit", amount_eur: 5 },
  ]);
  const [checkout] = replyOf(
    wallet.listCheckouts,
    await as("viewer").ask("GET", "/checkouts"),
  ).checkouts;
  expect(checkout).toMatchObject({ status: "paid", amount_eur: 10 });
  expect(replyOf(wallet.listLedger, await stranger.ask("GET", "/ledger")).entries).toEqual([]);

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
  const home = replyOf(homes.getHome, await as("viewer").ask("GET", "/home"));
  expect(home.lamps.trunk.state).toBe("ok");
  expect(home.lamps.engine).toEqual({
    ...{ state: "ok", code: "engine_ready", values: {}, mend: null },
    sentence: "Ready to carry calls.",
  });
  expect(home.lamps.mail.state).toBe("warning");
  expect(home.lamps.backup.state).toBe("warning");
  const done = Object.fromEntries(home.checklist.map((step) => [step.id, step.done]));
  expect(done).toEqual({
    ...{ agent: true, knowledge: true, talk: false, trunk: true, number: true, first_call: false },
  });
  const empty = replyOf(homes.getHome, await stranger.ask("GET", "/home"));
  expect(empty.lamps.trunk.state).toBe("unknown");
  expect(empty.live_calls).toBe(0);
});

describe("the operator", () => {
  test("makes tenants, changes their plan, suspends and resumes them", async () => {
    const operator = as("operator");
    const made = replyOf(
      operators.createTenant,
      await operator.ask("POST", "/operator/tenants", { name: "New", email: "n@example.com" }),
    );
    expect(made.tenant).toMatchObject({ name: "New", plan: "start", suspended: false });
    const path = `/operator/tenants/${made.tenant.id}`;
    expect(errorOf(await operator.ask("PATCH", path, { plan: "gold" }))).toBe(
      "valid_plan_required",
    );
    const suspended = await operator.ask("PATCH", path, { suspended: true, plan: "start" });
    expect(replyOf(operators.updateTenant, suspended).tenant.suspended).toBe(true);
    const names = replyOf(
      operators.listTenants,
      await operator.ask("GET", "/operator/tenants"),
    ).tenants.map((tenant) => tenant.name);
    expect(names).toContain("New");
    expect((await operator.ask("PATCH", "/operator/tenants/99999", {})).status).toBe(404);
  });

  test("backs up, and sees the log without what is personal", async () => {
    const operator = as("operator");
    const { backup } = replyOf(
      operators.createBackup,
      await operator.ask("POST", "/operator/backups", {}),
    );
    expect(backup.file).toMatch(/^linevoice-\d{8}T\d{9}Z\.db$/);
    const list = replyOf(operators.listBackups, await operator.ask("GET", "/operator/backups"));
    expect(list.backups[0]).toEqual({ ...backup, created_at: expect.any(String) });
    const logs = replyOf(operators.listLogs, await operator.ask("GET", "/operator/logs?limit=200"));
    expect(logs.lines.map((line) => line.event)).toContain("app.started");
    const warned = replyOf(
      operators.listLogs,
      await operator.ask("GET", "/operator/logs?level=error"),
    );
    expect(warned.lines.every((line) => line.level === "error")).toBe(true);
  });

  test("tests mail, and sends again what was given up", async () => {
    const operator = as("operator");
    const sent = replyOf(
      operators.testMail,
      await operator.ask("POST", "/operator/mail-test", { to: "me@example.com" }),
    );
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
    const { mails: dead } = replyOf(
      operators.listMails,
      await operator.ask("GET", "/operator/mails"),
    );
    expect(dead).toMatchObject([{ id: row?.id, last_error: "550 no", status: "dead" }]);
    expect(replyOf(homes.getHome, await as("viewer").ask("GET", "/home")).lamps.mail.state).toBe(
      "failed",
    );
    const retried = await operator.ask("POST", `/operator/mails/${row?.id}/retry`, {});
    expect(replyOf(operators.retryMail, retried).status).toBe("pending");
    for (let look = 0; look < 100 && !world.mails().some((name) => name.length > 0); look++)
      await Bun.sleep(50);
    for (let look = 0; look < 100; look++) {
      const again = await operator.ask("POST", `/operator/mails/${row?.id}/retry`, {});
      if (messageOf(again).includes("sent")) break;
      await Bun.sleep(50);
    }
    const after = await operator.ask("POST", `/operator/mails/${row?.id}/retry`, {});
    expect([after.status, messageOf(after)]).toEqual([409, expect.stringContaining("sent")]);
  });

  test("is told where the doctor is when the server has none", async () => {
    expect((await as("operator").ask("GET", "/operator/health")).status).toBe(503);
  });
});
