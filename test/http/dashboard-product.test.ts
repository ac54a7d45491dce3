/**
 * The dashboard's product routes over real HTTP, on a whole appliance without calls: rights, and a tenant's
 * settings.
 */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { productContracts } from "../../src/app/server/dashboard-contracts.ts";
import { bodyOf, draftOf } from "../../src/dashboard/web/pages/trunk/trunk-draft.ts";
import * as agents from "../../src/features/agent/chat-routes.ts";
import * as settings from "../../src/features/tenant/dashboard-routes.ts";
import * as tools from "../../src/features/tool/dashboard-routes.ts";
import * as trunk from "../../src/features/trunk/routes.ts";
import { trunkStore } from "../../src/features/trunk/trunk-store.ts";
import { requiredRole } from "../../src/http/contract.ts";
import { dashboardWorld, ROLES } from "../support/browser/dashboard-world.ts";
import { errorOf, messageOf, replyOf } from "../support/http/reply.ts";
import { answer } from "../support/net/https-receiver.ts";

setDefaultTimeout(60_000);

const room = dashboardWorld("127.0.8.72");
const { as } = room;

const bodyFor = (method: string) => (method === "GET" || method === "DELETE" ? undefined : {});

test("every route accepts those whose role allows it, and nobody else", async () => {
  for (const contract of productContracts()) {
    const path = contract.path
      .replace("{id}", "999999")
      .replace("{uuid}", "019aa1b2-0000-7000-8000-000000000001")
      .replace("{checkout_id}", `chk_${"0".repeat(32)}`);
    const needed = ROLES.indexOf(requiredRole(contract));
    const anonymous = await fetch(`${room.world.app.addresses.http}/api/dashboard${path}`, {
      method: contract.method,
      headers: { origin: room.world.app.addresses.http },
    });
    expect([contract.operationId, anonymous.status]).toEqual([contract.operationId, 401]);
    const keyed = await fetch(`${room.world.app.addresses.http}/api/dashboard${path}`, {
      method: contract.method,
      headers: {
        authorization: `Bearer ${room.world.apiKey}`,
        origin: room.world.app.addresses.http,
      },
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
    url: `https://127.0.0.1:${room.receiver.port}/find`,
    secret_header: "X-Tool-Secret",
    secret: "canary-secret",
    parameters,
  });

  test("are created, tried, changed and deleted; the secret is write-only", async () => {
    const made = await as("member").ask("POST", "/tools", draft());
    expect([made.status, made.text.includes("canary")]).toEqual([200, false]);
    const { tool } = replyOf(tools.createTool, made);
    expect(tool).toMatchObject({ name: "find_booking", agent_id: null, enabled: true, parameters });
    expect(tool.problem).toBeNull();

    room.receiver.respond = answer(200, '{"free":true}', { "content-type": "application/json" });
    const tried = replyOf(
      tools.tryTool,
      await as("member").ask("POST", `/tools/${tool.id}/try`, { arguments: { day: "Monday" } }),
    );
    expect(tried.result).toMatchObject({ ok: true, http_status: 200, output: { free: true } });
    const sent = room.receiver.requests.at(-1);
    expect(sent?.headers["x-tool-secret"]).toBe("canary-secret");
    expect(JSON.parse(sent?.body ?? "")).toMatchObject({
      tool: "find_booking",
      arguments: { day: "Monday" },
      caller: { number: "", test: true },
    });
    const before = room.receiver.requests.length;
    const misfit = replyOf(
      tools.tryTool,
      await as("member").ask("POST", `/tools/${tool.id}/try`, { arguments: { day: 5 } }),
    );
    expect(misfit.result).toMatchObject({ ok: false, http_status: null });
    expect(room.receiver.requests.length).toBe(before);

    const changed = await as("member").ask("PATCH", `/tools/${tool.id}`, {
      enabled: false,
      agent_id: room.world.agentId,
      secret: "another",
    });
    expect(replyOf(tools.updateTool, changed).tool).toMatchObject({
      enabled: false,
      agent_id: room.world.agentId,
    });
    await as("member").ask("POST", `/tools/${tool.id}/try`, { arguments: { day: "Monday" } });
    expect(room.receiver.requests.at(-1)?.headers["x-tool-secret"]).toBe("another");

    for (const path of [`/tools/${tool.id}`, `/tools/${tool.id}/try`])
      expect((await room.stranger.ask("POST", path, { arguments: {} })).status).toBeOneOf([
        404, 405,
      ]);
    expect(replyOf(tools.listTools, await room.stranger.ask("GET", "/tools")).tools).toEqual([]);
    expect((await room.stranger.ask("DELETE", `/tools/${tool.id}`)).status).toBe(404);
    const gone = await as("member").ask("DELETE", `/tools/${tool.id}`);
    expect(replyOf(tools.deleteTool, gone)).toEqual({ ok: true, id: tool.id, deleted: true });
  });

  test("run for real in a written conversation, which shows their answer", async () => {
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
    room.receiver.respond = answer(200, JSON.stringify({ message }), {
      "content-type": "application/json",
    });
    const chat = replyOf(
      agents.chat,
      await as("member").ask("POST", `/agents/${room.world.agentId}/chat`, {
        message: "Find the next free appointment",
      }),
    );
    expect(chat.reply).toContain(message);
    expect(chat.events).toMatchObject([
      { type: "tool", tool: "next_free_appointment", ok: true, output: { message } },
    ]);
    expect(JSON.parse(room.receiver.requests.at(-1)?.body ?? "").caller).toMatchObject({
      test: true,
    });
    await as("member").ask("DELETE", `/tools/${made.tool.id}`);
  });

  test("that break a rule are refused with the wrong field", async () => {
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
      [
        { parameters: { type: "object", properties: { days: { type: "array" } } } },
        "valid_parameters_required",
      ],
      [{ agent_id: 999_999 }, "not_found"],
      [{ colour: "blue" }, "unknown_field"],
    ];
    for (const [change, code] of wrong) {
      const got = await as("member").ask("POST", "/tools", { ...draft(), ...change });
      expect([change, errorOf(got)]).toEqual([change, code]);
    }
    const anyOf = { parameters: { type: "object", anyOf: [{ required: ["day"] }] } };
    const refused = await as("member").ask("POST", "/tools", { ...draft(), ...anyOf });
    expect(messageOf(refused)).toContain(
      '"anyOf" is not allowed at the top level of the JSON Schema',
    );
    const made = replyOf(tools.createTool, await as("member").ask("POST", "/tools", draft()));
    expect(errorOf(await as("member").ask("POST", "/tools", draft()))).toBe("conflict");
    await as("member").ask("DELETE", `/tools/${made.tool.id}`);
  });
});

describe("the trunk", () => {
  test("is shown without its password, tested, and replaced without sending the password again", async () => {
    const { trunk: shown } = replyOf(trunk.getTrunk, await as("viewer").ask("GET", "/trunk"));
    if (!shown) throw new Error("there is no trunk");
    expect(shown).toMatchObject({ username: "clinic", status: "registered", register: true });
    expect(JSON.stringify(shown)).not.toContain("horse");
    const { test: result } = replyOf(
      trunk.testTrunk,
      await as("member").ask("POST", "/trunk/test", {}),
    );
    expect(result.options_code).toBe(200);
    const { extra_networks: _, unknown_sources: __, ...settable } = shown;
    const { status, id, last_code, reason, explanation, next_attempt_at, ...same } = settable;
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
    expect([status, last_code, reason, explanation, next_attempt_at]).toEqual([
      "registered",
      null,
      null,
      null,
      null,
    ]);
  });

  test("of another tenant is hidden; without one there is nothing to test or delete", async () => {
    expect(replyOf(trunk.getTrunk, await room.stranger.ask("GET", "/trunk"))).toEqual({
      ok: true,
      trunk: null,
    });
    expect((await room.stranger.ask("POST", "/trunk/test", {})).status).toBe(404);
    expect((await room.stranger.ask("DELETE", "/trunk")).status).toBe(404);
    const bare = { server: "127.0.0.9", username: "x", caller_id: "+37052000009" };
    const nothing = await room.stranger.ask("POST", "/trunk", bare);
    expect(errorOf(nothing)).toBe("valid_password_required");
    for (const [wrong, code] of [
      [{ server: "a b" }, "valid_server_required"],
      [{ outbound_proxy: "proxy.example.com:99999" }, "valid_outbound_proxy_required"],
      [{ username: "", password: "x" }, "valid_username_required"],
      [{ caller_id: "0037052" }, "valid_caller_id_required"],
    ] as const)
      expect(errorOf(await room.stranger.ask("POST", "/trunk", { ...bare, ...wrong }))).toBe(code);
    const peering = await room.stranger.ask("POST", "/trunk", { ...bare, register: false });
    expect([peering.status, errorOf(peering)]).toEqual([403, "forbidden"]);
    const set = {
      ...bare,
      tenant: room.strangerTenant,
      transport: "udp",
      password: null,
      realm: null,
      outbound_proxy: null,
      register: false,
      channels: null,
    } as const;
    await room.world.app.ask("trunk.set", set);
    expect(replyOf(trunk.getTrunk, await room.stranger.ask("GET", "/trunk")).trunk).toMatchObject({
      status: "not_required",
      port: 5060,
      port_stated: false,
    });
    // The form's unchanged values: an unset port stays unset, and a given one stays.
    for (const stated of [{}, { port: 5062 }]) {
      await room.stranger.ask("POST", "/trunk", { ...bare, register: false, ...stated });
      const read = await room.stranger.ask("GET", "/trunk");
      const body = await bodyOf(draftOf(replyOf(trunk.getTrunk, read).trunk));
      expect((await room.stranger.ask("POST", "/trunk", body)).status).toBe(200);
      const rows = await trunkStore(room.world.app.database.read).all();
      const row = rows.find(({ server }) => server === bare.server);
      expect(row?.port).toBe("port" in stated ? stated.port : 0);
    }
    // Sent again with its Idempotency-Key, the change returns the version of the first answer.
    const body = { ...bare, register: false };
    const once = () => room.stranger.ask("POST", "/trunk", body, { "idempotency-key": "set" });
    const versions = [await once(), await once(), await room.stranger.ask("GET", "/trunk")].map(
      ({ headers }) => [headers.get("idempotency-replayed"), headers.get("etag")],
    );
    const [, , [, version] = []] = versions;
    expect(versions).toEqual([
      [null, version],
      ["true", version],
      [null, expect.stringMatching(/^"\w+"$/)],
    ]);
    expect(errorOf(await room.stranger.ask("DELETE", "/trunk"))).toBe("forbidden");
    await room.world.app.ask("trunk.set", { ...set, password: "x", register: true });
    expect(replyOf(trunk.deleteTrunk, await room.stranger.ask("DELETE", "/trunk"))).toEqual({
      ok: true,
      deleted: true,
    });
    expect(replyOf(trunk.getTrunk, await room.stranger.ask("GET", "/trunk")).trunk).toBeNull();
  });
});

const DIALING = {
  allowed_prefixes: ["+370", "+371"],
  short_numbers: ["112", "1xxx", "*8#"],
  calls_per_minute_max: 12,
  daily_spend_max_eur: 12.34,
} as const;

test("only the operator may set countries, short numbers and dialling limits", async () => {
  const before = replyOf(
    settings.getTenantSettings,
    await as("owner").ask("GET", "/tenant-settings"),
  ).settings;
  expect(before).toMatchObject({
    allowed_prefixes: null,
    short_numbers: null,
    calls_per_minute_max: 30,
    daily_spend_max_eur: null,
    daily_spend_default_eur: 1_000_000,
  });
  for (const [field, value] of Object.entries(DIALING))
    for (const sent of [value, null, before[field as keyof typeof before]]) {
      if (field === "calls_per_minute_max" && sent === null) continue;
      const answered = await as("owner").ask("PATCH", "/tenant-settings", {
        [field]: sent,
        name: "Not changed",
      });
      expect([field, answered.status, errorOf(answered)]).toEqual([field, 403, "forbidden"]);
      expect(answered.text).toContain("Ask the operator");
    }
  const unchanged = await as("owner").ask("GET", "/tenant-settings");
  expect(replyOf(settings.getTenantSettings, unchanged).settings).toEqual(before);

  const changed = await as("operator").ask("PATCH", "/tenant-settings", DIALING);
  expect(replyOf(settings.updateTenantSettings, changed).settings).toEqual({
    ...before,
    ...DIALING,
    allowed_prefixes: [...DIALING.allowed_prefixes],
    short_numbers: [...DIALING.short_numbers],
  });
  for (const [body, code] of [
    [{ allowed_prefixes: ["370"] }, "valid_allowed_prefixes_required"],
    [{ short_numbers: ["+112"] }, "valid_short_numbers_required"],
    [{ short_numbers: [] }, "valid_short_numbers_required"],
    [{ daily_spend_max_eur: 0.001 }, "valid_daily_spend_max_eur_required"],
  ] as const)
    expect(errorOf(await as("operator").ask("PATCH", "/tenant-settings", body))).toBe(code);
  const stranger = await room.stranger.ask("GET", "/tenant-settings");
  expect(replyOf(settings.getTenantSettings, stranger).settings.allowed_prefixes).toBeNull();

  // The command line, on the same rows.
  const { ask } = room.world.app;
  const { tenantId: tenant } = room.world;
  expect(await ask("tenant.dialing", { tenant, daily_spend_max_eur: null })).toEqual({
    tenant_id: room.world.tenantId,
    ...DIALING,
    allowed_prefixes: [...DIALING.allowed_prefixes],
    daily_spend_max_eur: null,
    short_numbers: [...DIALING.short_numbers],
  });
  await ask("tenant.dialing", {
    tenant,
    allowed_prefixes: null,
    short_numbers: null,
    calls_per_minute_max: 30,
  });
  const back = await as("owner").ask("GET", "/tenant-settings");
  expect(replyOf(settings.getTenantSettings, back).settings).toEqual(before);
});

test("a tenant's settings change one by one, and invalid ones are named", async () => {
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
      disclosure: { en: "You speak with a machine." },
    }),
  );
  expect(changed.settings).toMatchObject({
    ...before,
    features: { ...before.features, callback_memory: true },
    disclosure: { ...before.disclosure, en: "You speak with a machine." },
  });
  const chat = replyOf(
    agents.chat,
    await own.ask("POST", `/agents/${room.world.agentId}/chat`, {}),
  );
  expect(chat.reply).toStartWith("You speak with a machine.");
  const back = replyOf(
    settings.updateTenantSettings,
    await own.ask("PATCH", "/tenant-settings", {
      disclosure: { en: null },
      features: { callback_memory: false },
    }),
  );
  expect(back.settings).toEqual(before);
  for (const [body, code] of [
    [{ time_zone: "Mars/Olympus" }, "valid_time_zone_required"],
    [{ time_zone: "+02:00" }, "valid_time_zone_required"],
    [{ features: { crm_bridge: true } }, "unknown_field"],
    [{ disclosure: { en: "" } }, "valid_disclosure_required"],
  ] as const)
    expect(errorOf(await own.ask("PATCH", "/tenant-settings", body))).toBe(code);
});

test("without mail, only the operator sees an invitation's link, because it sets the password of that address", async () => {
  const inviteAs = async (role: "owner" | "operator") => {
    const body = { email: `${role}@elsewhere.example`, role: "viewer" };
    const made = await as(role).ask("POST", "/team/invitations", body);
    expect(made.status).toBe(200);
    return made.json as { mailed: boolean; link: string | null };
  };
  expect(await inviteAs("owner")).toMatchObject({ mailed: false, link: null });
  expect(await inviteAs("operator")).toMatchObject({
    mailed: false,
    link: expect.stringContaining("/app/invitation#token="),
  });
});
