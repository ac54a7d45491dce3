/** Sessions of several tenants over real HTTP: separation, audit log, limits. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { Browser, signedInBrowser } from "../support/browser/dashboard-session.ts";
import { pick, pickId } from "../support/http/api-server.ts";
import { timedServer } from "../support/http/timed-server.ts";

setDefaultTimeout(60_000);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const { clock, server } = await timedServer({
  trustedProxies: ["127.0.0.1"],
  publicUrl: "https://voice.example.com",
});
const tenantId = (await server.tenant()).id;

describe("two tenants", () => {
  test("never see each other, by id or by entering", async () => {
    const [one, two] = [await server.tenant({ name: "One" }), await server.tenant({ name: "Two" })];
    const first = await signedInBrowser(server, { tenantId: one.id });
    const second = await signedInBrowser(server, { tenantId: two.id });
    const agent = { name: "Reception", prompt: "You answer.", language: "en" };
    const made = await first.fetch("POST", "/api/v1/agents", agent);
    const id = pickId(made, "agent.id");
    expect((await second.fetch("GET", `/api/v1/agents/${id}`)).status).toBe(404);
    expect(pick(await second.fetch("GET", "/api/v1/agents"), "agents")).toEqual([]);
    const invited = await first.ask("POST", "/team/invitations", {
      email: "new@one.example",
      role: "viewer",
    });
    const invitation = pickId(invited, "invitation.id");
    expect((await second.ask("DELETE", `/team/invitations/${invitation}`)).status).toBe(404);
    const { id: person } = first.person;
    expect((await second.ask("PATCH", `/team/${person}`, { role: "viewer" })).status).toBe(404);
    expect((await second.ask("DELETE", `/team/${person}`)).status).toBe(404);
    for (const path of ["/team", "/audit"]) {
      const { text } = await second.ask("GET", path);
      expect(text).not.toContain(first.person.email);
      expect(text).not.toContain("one.example");
    }
    const entered = await second.ask("POST", "/active-tenant", { tenant_id: one.id });
    const nowhere = await second.ask("POST", "/active-tenant", { tenant_id: 999_999 });
    expect([entered.status, nowhere.status]).toEqual([404, 404]);
    expect(pick(await second.ask("GET", "/session"), "session.tenant.name")).toBe("Two");
  });

  test("an operator enters any as an owner, with an audit entry only there", async () => {
    const [one, two] = [await server.tenant({ name: "One" }), await server.tenant({ name: "Two" })];
    const operator = await signedInBrowser(server, {
      tenantId: one.id,
      role: "viewer",
      operator: true,
    });
    await operator.ask("POST", "/active-tenant", { tenant_id: two.id });
    expect(pick(await operator.ask("GET", "/session"), "session")).toMatchObject({
      tenant: { name: "Two" },
      role: "owner",
      operator: true,
      tenants: [{ name: "One", role: "viewer" }],
    });
    await operator.fetch("POST", "/api/v1/keys", { label: "by the operator" });
    const owner = await signedInBrowser(server, { tenantId: two.id });
    expect((await owner.ask("GET", "/audit")).text).toContain("createKey");
    const elsewhere = await signedInBrowser(server, { tenantId: one.id });
    expect((await elsewhere.ask("GET", "/audit")).text).not.toContain("createKey");
  });

  test("a suspended one is closed to its people and open to an operator", async () => {
    const { id } = await server.tenant();
    const owner = await signedInBrowser(server, { tenantId: id });
    const operator = await signedInBrowser(server, { tenantId: id, operator: true });
    await server.suspend(id);
    expect((await owner.fetch("GET", "/api/v1/agents")).status).toBe(403);
    expect((await owner.ask("GET", "/team")).status).toBe(403);
    expect((await owner.ask("GET", "/sessions")).status).toBe(200);
    expect((await operator.fetch("GET", "/api/v1/agents")).status).toBe(200);
  });
});

describe("the audit log", () => {
  test("has every change through a session, done or refused, but no reads", async () => {
    const { id } = await server.tenant();
    const owner = await signedInBrowser(server, { tenantId: id });
    const viewer = await signedInBrowser(server, { tenantId: id, role: "viewer" });
    await owner.fetch("POST", "/api/v1/keys", { label: "Shop", scopes: ["read"] });
    await viewer.fetch("POST", "/api/v1/keys", { label: "x" });
    await owner.fetch("DELETE", "/v1/agents/7");
    await owner.fetch("GET", "/api/v1/agents");
    await owner.ask("GET", "/team");
    const answer = await owner.ask("GET", "/audit?limit=3");
    expect(pick(answer, "entries")).toMatchObject([
      { action: "deleteAgent", target: "/agents/7", outcome: "refused", ip: "127.0.0.1" },
      { action: "createKey", target: "/keys", outcome: "refused", user_email: viewer.person.email },
      { action: "createKey", target: "/keys", outcome: "done", user_email: owner.person.email },
    ]);
    expect(answer.text).not.toMatch(/lv_live_|scopes/);
    expect(pick(answer, "total")).toBe(5);
    const second = await owner.ask("GET", "/audit?limit=3&offset=3");
    expect(pick(second, "entries")).toHaveLength(2);
  });

  test("has reads of personal data, once per quarter of an hour", async () => {
    const { id } = await server.tenant();
    const owner = await signedInBrowser(server, { tenantId: id });
    const exported = async () => {
      expect((await owner.fetch("GET", "/api/v1/contacts/export")).status).toBe(200);
      const answer = await owner.ask("GET", "/audit?limit=50");
      return (pick(answer, "entries") as { action: string }[]).filter(
        ({ action }) => action === "exportContacts",
      ).length;
    };
    expect([await exported(), await exported()]).toEqual([1, 1]);
    await clock.advance(15 * MINUTE);
    expect([await exported(), await exported()]).toEqual([2, 2]);
  });

  test("is limited in time", async () => {
    const { id } = await server.tenant();
    await signedInBrowser(server, { tenantId: id });
    // The hourly cleaning is called below: 9,600 runs would take too long.
    clock.stepWallClock(400 * 24 * HOUR);
    await server.identity.clean();
    const owner = await signedInBrowser(server, { tenantId: id });
    expect(pick(await owner.ask("GET", "/audit"), "total")).toBe(2);
    await clock.advance(11 * HOUR);
    await server.identity.clean();
    expect(pick(await owner.ask("GET", "/audit"), "total")).toBe(1);
  });
});

test("the address behind trusted proxies is logged, not a client's claim", async () => {
  const { id } = await server.tenant();
  const owner = await signedInBrowser(server, { tenantId: id });
  const chain = { "x-forwarded-for": "203.0.113.9, 198.51.100.7, 127.0.0.1" };
  await owner.fetch("POST", "/api/v1/keys", { label: "x" }, chain);
  expect(pick(await owner.ask("GET", "/audit?limit=1"), "entries.0.ip")).toBe("198.51.100.7");
});

test("a person may send 600 requests per minute, over all sessions, a stranger 120 to open routes", async () => {
  const owner = await signedInBrowser(server, { tenantId });
  const link = await server.identity.setup.createSignInLink(owner.person.id);
  const again = new Browser(server.base);
  await again.ask("POST", "/sign-in/link", { token: link.url.split("#link=")[1] });
  await clock.advance(MINUTE);
  const statuses = async (browser: Browser, count: number, path: string) => {
    const seen = new Map<number, number>();
    for (let asked = 0; asked < count; asked++) {
      const { status } = await browser.ask("GET", path);
      seen.set(status, (seen.get(status) ?? 0) + 1);
    }
    return Object.fromEntries(seen);
  };
  expect(await statuses(again, 300, "/sessions")).toEqual({ 200: 300 });
  expect(await statuses(owner, 301, "/sessions")).toEqual({ 200: 300, 429: 1 });
  const stranger = new Browser(server.base);
  expect(await statuses(stranger, 121, "/session")).toEqual({ 200: 120, 429: 1 });
  await clock.advance(MINUTE);
  expect((await owner.ask("GET", "/sessions")).status).toBe(200);
});

test("the dashboard's document is for signed-in people", async () => {
  const path = "/api/dashboard/openapi.json";
  expect((await new Browser(server.base).fetch("GET", path)).status).toBe(401);
  const owner = await signedInBrowser(server, { tenantId, role: "viewer" });
  expect(pick(await owner.fetch("GET", path), "openapi")).toBe("3.1.0");
});
