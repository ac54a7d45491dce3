/** Limited API keys (decisions 12): scopes on every route, expiry, networks, and keys that create keys. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { allContracts } from "../../src/app/server/contracts.ts";
import { KEY_SCOPES, type KeyScope } from "../../src/features/key/key-limits.ts";
import { requiredScope } from "../../src/http/contract.ts";
import { openApiDocument } from "../../src/http/openapi.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { type Fixtures, makeFixtures, ownPath, validBody } from "../support/http/api-fixtures.ts";
import {
  type ApiServer,
  type ApiTenant,
  ask,
  pick,
  pickId,
  pickText,
  startApiServer,
} from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

let server: ApiServer;
let own: ApiTenant;
let mine: Fixtures;

beforeAll(async () => {
  server = await startApiServer({
    directory: tempDir(),
    settings: { trustedProxies: ["127.0.0.1"] },
  });
  own = await server.tenant();
  await server.credit(own.id, 50);
  mine = await makeFixtures(server, own, "mine", "+37051111111");
});
afterAll(() => server.stop());

async function keyWith(limits: Record<string, unknown>, maker: ApiTenant = own) {
  const made = await ask(server, maker, "POST", "/keys", { label: "limited", ...limits });
  return {
    made,
    tenant: { id: own.id, key: made.status === 200 ? pickText(made, "key.secret") : "" },
  };
}

const keyed = allContracts().filter(({ open }) => !open);

/** The required scopes of routes, listed a second time, so that a change is noticed here. */
const CALLS = [
  "actOnCampaign",
  "cancelSchedule",
  "createCall",
  "createCampaign",
  "hangUpCall",
  "previewCampaign",
  "transferCall",
];

describe("each route accepts its scope only", () => {
  test("reading needs read, calls need calls, all else manage", () => {
    const of = (scope: KeyScope) =>
      keyed.filter((contract) => requiredScope(contract) === scope).map((c) => c.operationId);
    expect(of("calls").sort()).toEqual(CALLS);
    expect(
      keyed.filter(({ method }) => method === "GET").every((c) => requiredScope(c) === "read"),
    ).toBe(true);
    expect(of("read").length + of("calls").length + of("manage").length).toBe(keyed.length);
    expect(of("manage")).toContain("createKey");
  });

  test.each(KEY_SCOPES.map((scope) => [scope]))("with a key of %s alone", async (scope) => {
    const { tenant } = await keyWith({ scopes: [scope] });
    const wrong: unknown[] = [];
    for (const contract of keyed) {
      const { method, operationId } = contract;
      // Requests that would delete the fixtures use no id: only their refusal counts.
      const path =
        method === "DELETE" ? `${contract.path.replace(/\{\w+\}/g, "0")}` : ownPath(contract, mine);
      const body = validBody(contract, mine);
      // A limited key must give the limits of the key that it creates.
      const sent = operationId === "createKey" ? { ...(body as object), scopes: [scope] } : body;
      const answer = await ask(server, tenant, method, path, sent);
      const refused = answer.status === 403 && pick(answer, "error") === "insufficient_scope";
      if (refused === (requiredScope(contract) === scope)) wrong.push([operationId, answer.text]);
      if (refused) {
        const message = pickText(answer, "message");
        if (!message.includes(`\`${requiredScope(contract)}\``)) wrong.push([operationId, message]);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("the document names each operation's scope", () => {
    const { paths } = openApiDocument(allContracts(), "0") as {
      paths: Record<
        string,
        Record<string, { security: unknown; responses: Record<string, { description: string }> }>
      >;
    };
    for (const contract of keyed) {
      const operation = paths[contract.path]?.[contract.method.toLowerCase()];
      const scope = requiredScope(contract);
      expect(operation?.security).toEqual([{ bearer: [scope] }, { apiKey: [scope] }]);
      expect(operation?.responses[403]?.description).toContain("insufficient_scope");
    }
  });
});

test("a key without limits has all rights, and shows that it has no limits", async () => {
  const { made, tenant } = await keyWith({});
  expect(made.json).toMatchObject({ key: { scopes: null, expires_at: null, networks: null } });
  expect((await ask(server, tenant, "POST", "/agents", { name: "a", prompt: "p" })).status).toBe(
    200,
  );
});

test("a limited key is listed with its limits, and without its secret", async () => {
  const limits = {
    scopes: ["read", "calls"],
    expires_at: "2030-01-31T00:00:00+00:00",
    networks: ["192.0.2.0/24", "2001:db8::/32"],
  };
  const { made } = await keyWith(limits);
  expect(made.json).toMatchObject({ key: limits });
  const id = pickId(made, "key.id");
  const listed = await ask(server, own, "GET", "/keys");
  const keys = pick(listed, "keys") as { id: number }[];
  expect(keys.find((key) => key.id === id)).toMatchObject(limits);
  expect(listed.text).not.toContain(pickText(made, "key.secret"));
});

test("a limited key does not see another key's answer with the same Idempotency-Key", async () => {
  const repeated = { "idempotency-key": "ci" };
  const make = (by: ApiTenant) => ask(server, by, "POST", "/keys", { label: "ci" }, repeated);
  const made = await make(own);
  expect((await make(own)).text).toBe(made.text);
  const { tenant: limited } = await keyWith({ scopes: ["manage"] });
  const again = await make(limited);
  expect([again.status, pick(again, "error")]).toEqual([409, "conflict"]);
});

test("a one-time secret is replayed to its own key only, an ordinary answer to all", async () => {
  const repeated = { "idempotency-key": "once" };
  const { tenant: second } = await keyWith({});
  const hook = { url: "https://example.com/hook", events: ["call.ended"] };
  for (const [path, body] of [
    ["/keys", { label: "once" }],
    ["/webhooks", hook],
    ["/webhook-secret/regenerate", {}],
  ] as const) {
    const headers = { "idempotency-key": `once ${path}` };
    const made = await ask(server, own, "POST", path, body, headers);
    expect(made.status).toBeLessThan(300);
    expect((await ask(server, own, "POST", path, body, headers)).text).toBe(made.text);
    expect((await ask(server, second, "POST", path, body, headers)).status).toBe(409);
  }
  const agent = { name: "a", prompt: "p" };
  const made = await ask(server, own, "POST", "/agents", agent, repeated);
  expect((await ask(server, second, "POST", "/agents", agent, repeated)).text).toBe(made.text);
});

test("a limited key revokes itself and weaker ones, none with more rights", async () => {
  const limits = { scopes: ["read", "manage"], networks: ["127.0.0.0/8"] };
  const { tenant: limited, made: itself } = await keyWith(limits);
  const { made: weaker } = await keyWith({ ...limits, scopes: ["read"] });
  const { made: unlimited } = await keyWith({});
  const { made: wider } = await keyWith({ ...limits, scopes: ["read", "calls", "manage"] });
  const { made: elsewhere } = await keyWith({ ...limits, networks: ["192.0.2.0/24"] });
  const revoke = async (made: Parameters<typeof pickId>[0]) => {
    const path = `/keys?id=${pickId(made, "key.id")}`;
    const answer = await ask(server, limited, "DELETE", path);
    return [answer.status, answer.status === 200 ? "" : pick(answer, "error")];
  };
  for (const stronger of [unlimited, wider, elsewhere])
    expect(await revoke(stronger)).toEqual([403, "insufficient_scope"]);
  expect(await revoke(weaker)).toEqual([200, ""]);
  expect(await revoke(itself)).toEqual([200, ""]);
});

describe("refused limits", () => {
  test.each([
    [{ scopes: [] }, "valid_scopes_required"],
    [{ scopes: ["admin"] }, "valid_scopes_required"],
    [{ expires_at: "2020-01-01T00:00:00Z" }, "valid_expires_at_required"],
    [{ expires_at: "2099-01-01T00:00:00Z" }, "valid_expires_at_required"],
    [{ expires_at: "2027-01-01" }, "valid_expires_at_required"],
    [{ networks: [] }, "valid_networks_required"],
    [{ networks: ["10.0.0.0/33"] }, "valid_networks_required"],
    [{ networks: ["clinic.example"] }, "valid_networks_required"],
    [{ networks: Array.from({ length: 21 }, (_, n) => `192.0.2.${n}`) }, "valid_networks_required"],
  ])("%j", async (limits, error) => {
    const { made } = await keyWith(limits);
    expect([made.status, pick(made, "error")]).toEqual([400, error]);
  });

  test("20 networks are accepted", async () => {
    const { made } = await keyWith({
      networks: Array.from({ length: 20 }, (_, n) => `192.0.2.${n}`),
    });
    expect(made.status).toBe(200);
  });
});

test("from another network a key gets the answer of an unknown key, byte for byte", async () => {
  const { tenant } = await keyWith({ networks: ["192.0.2.0/24"] });
  const from = (key: string, address: string) =>
    ask(server, { id: own.id, key }, "GET", "/tenant", undefined, {
      "x-forwarded-for": address,
      "x-request-id": "r",
    });
  expect((await from(tenant.key, "192.0.2.77")).status).toBe(200);
  const elsewhere = await from(tenant.key, "198.51.100.1");
  const unknown = await from(`lv_live_${"0".repeat(64)}`, "198.51.100.1");
  expect([elsewhere.status, elsewhere.text]).toEqual([401, unknown.text]);
  // Directly from the proxy's address, which is not in the networks either.
  expect((await ask(server, tenant, "GET", "/tenant")).status).toBe(401);
});

describe("a key creates no key with more rights than itself", () => {
  const later = "2030-06-01T00:00:00Z";
  const limits = {
    scopes: ["manage", "read"],
    expires_at: "2030-05-01T00:00:00Z",
    networks: ["127.0.0.1"],
  };
  test.each([
    ["more scopes", { ...limits, scopes: ["calls"] }, 403],
    ["all scopes", { ...limits, scopes: undefined }, 403],
    ["a later end", { ...limits, expires_at: later }, 403],
    ["no end", { ...limits, expires_at: undefined }, 403],
    ["another network", { ...limits, networks: ["0.0.0.0/0"] }, 403],
    ["every network", { ...limits, networks: undefined }, 403],
    ["less", { ...limits, scopes: ["read"] }, 200],
    ["the same", limits, 200],
  ])("%s", async (_, asked, status) => {
    const maker = await keyWith(limits);
    const { made } = await keyWith(asked, maker.tenant);
    expect([made.status, pick(made, "error")]).toEqual([
      status,
      status === 200 ? undefined : "insufficient_scope",
    ]);
  });
});

test("an expired key gets the answer of an unknown key, from that second on, cached or not", async () => {
  const clock = fakeClock();
  const world = await startApiServer({ directory: tempDir(), clock });
  try {
    const tenant = await world.tenant();
    const expires_at = new Date(clock.now() + 60_000).toISOString();
    const made = await ask(world, tenant, "POST", "/keys", { label: "short", expires_at });
    const short = { id: tenant.id, key: pickText(made, "key.secret") };
    const status = async () => (await ask(world, short, "GET", "/tenant")).status;
    await clock.advance(59_999);
    expect(await status()).toBe(200);
    await clock.advance(1);
    expect(await status()).toBe(401);
  } finally {
    await world.stop();
  }
});
