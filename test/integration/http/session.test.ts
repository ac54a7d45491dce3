/** Sessions over real HTTP: the cookie, its end, its rotation, where requests come from, tenants. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  FORMER_TOKEN_MS,
  SESSION_ABSOLUTE_MS,
  SESSION_IDLE_MS,
} from "../../../src/identity/sessions.ts";
import { sessions } from "../../../src/store/schema/identity.ts";
import { type ApiServer, ask, pick, pickId, startApiServer } from "../../support/api-server.ts";
import { Browser, signedInBrowser } from "../../support/dashboard-session.ts";
import { type FakeClock, fakeClock } from "../../support/fake-clock.ts";
import { tempDir } from "../../support/temp-dir.ts";

setDefaultTimeout(60_000);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let clock: FakeClock;
let server: ApiServer;
let tenantId = 0;

beforeAll(async () => {
  clock = fakeClock();
  server = await startApiServer({
    directory: tempDir(),
    clock,
    settings: { trustedProxies: ["127.0.0.1"], publicUrl: "https://voice.example.com" },
  });
  tenantId = (await server.tenant()).id;
});
afterAll(() => server.stop());

const isSignedIn = async (browser: Browser) => (await browser.ask("GET", "/team")).status === 200;

describe("the cookie", () => {
  test("over TLS and on loopback is __Host-, Secure, HttpOnly, SameSite=Lax, two weeks", async () => {
    const browser = new Browser(server.base);
    const reached: Record<string, string>[] = [
      {},
      { host: "voice.example.com" },
      { "x-forwarded-proto": "https" },
    ];
    for (const headers of reached) {
      const answer = await browser.ask("POST", "/sign-out", undefined, {
        "sec-fetch-site": "same-origin",
        ...headers,
      });
      expect(answer.headers.get("set-cookie")).toBe(
        "__Host-linevoice=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax",
      );
    }
    const { url } = await server.identity.setup.createSignInLink(
      (await signedInBrowser(server, { tenantId })).person.id,
    );
    const answer = await browser.ask("POST", "/sign-in/link", { token: url.split("=")[1] });
    expect(answer.headers.get("set-cookie")).toMatch(
      /^__Host-linevoice=[\w-]{43}; Path=\/; Max-Age=1209600; HttpOnly; Secure; SameSite=Lax$/,
    );
  });

  test("on plain http under an address of the network it goes without Secure and prefix", async () => {
    const answer = await new Browser(server.base).ask("POST", "/sign-out", undefined, {
      host: "192.0.2.10:8080",
      origin: "http://192.0.2.10:8080",
    });
    expect(answer.headers.get("set-cookie")).toBe(
      "linevoice_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax",
    );
  });

  test("counts under its right name only: no plain cookie opens what is reached securely", async () => {
    const browser = await signedInBrowser(server, { tenantId });
    const plain = new Browser(server.base);
    plain.cookie = `linevoice_session=${browser.token}`;
    expect(await isSignedIn(plain)).toBe(false);
    plain.cookie = `a=b; ${browser.cookie}; __Host-linevoice=${"C".repeat(43)}`;
    expect(await isSignedIn(plain)).toBe(true);
  });

  test("is stored as a hash", async () => {
    const { token } = await signedInBrowser(server, { tenantId });
    expect(token).toHaveLength(43);
    expect(JSON.stringify(await server.database.read.select().from(sessions))).not.toContain(token);
  });
});

describe("a session ends", () => {
  test("12 hours after its last use, not a moment before", async () => {
    const browser = await signedInBrowser(server, { tenantId });
    await clock.advance(SESSION_IDLE_MS - 1);
    expect(await isSignedIn(browser)).toBe(true);
    await clock.advance(SESSION_IDLE_MS - 1);
    expect(await isSignedIn(browser)).toBe(true);
    await clock.advance(SESSION_IDLE_MS);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test("14 days after it began, however busy", async () => {
    const browser = await signedInBrowser(server, { tenantId });
    for (let atMs = 0; atMs < SESSION_ABSOLUTE_MS - 6 * HOUR; atMs += 6 * HOUR) {
      await clock.advance(6 * HOUR);
      expect(await isSignedIn(browser)).toBe(true);
    }
    await clock.advance(6 * HOUR - 1);
    expect(await isSignedIn(browser)).toBe(true);
    await clock.advance(1);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test("at once when it signs out, and when it is revoked elsewhere", async () => {
    const first = await signedInBrowser(server, { tenantId });
    const { url } = await server.identity.setup.createSignInLink(first.person.id);
    const second = new Browser(server.base);
    await second.ask("POST", "/sign-in/link", { token: url.split("=")[1] });
    const listed = await first.ask("GET", "/sessions");
    const all = pick(listed, "sessions") as { id: number; current: boolean; method: string }[];
    expect(all.map(({ current }) => current).sort()).toEqual([false, true]);
    const other = all.find(({ current }) => !current)?.id ?? 0;
    expect((await first.ask("DELETE", `/sessions/${other}`)).status).toBe(200);
    expect(await isSignedIn(second)).toBe(false);
    expect((await second.fetch("GET", "/api/v1/agents")).status).toBe(401);
    expect((await first.ask("DELETE", `/sessions/${other}`)).status).toBe(404);
    const { cookie } = first;
    await first.ask("POST", "/sign-out");
    expect(first.cookie).toBeNull();
    first.cookie = cookie;
    expect(await isSignedIn(first)).toBe(false);
  });

  test("of somebody else cannot be revoked, nor seen", async () => {
    const victim = await signedInBrowser(server, { tenantId });
    const id = pickId(await victim.ask("GET", "/sessions"), "sessions.0.id");
    const other = await signedInBrowser(server, { tenantId, operator: true });
    expect((await other.ask("DELETE", `/sessions/${id}`)).status).toBe(404);
    expect(pick(await other.ask("GET", "/sessions"), "sessions")).toHaveLength(1);
    expect(await isSignedIn(victim)).toBe(true);
  });

  test("when the clock was set back it is not longer than it would have been by its last use", async () => {
    const browser = await signedInBrowser(server, { tenantId });
    clock.stepWallClock(-HOUR);
    expect(await isSignedIn(browser)).toBe(true);
    clock.stepWallClock(HOUR);
    expect(await isSignedIn(browser)).toBe(true);
  });

  test("and its row goes with the next cleaning", async () => {
    await clock.advance(SESSION_IDLE_MS + 1);
    await server.identity.clean();
    expect(await server.database.read.select().from(sessions)).toEqual([]);
  });

  test("a person has twenty at most; the oldest goes", async () => {
    const first = await signedInBrowser(server, { tenantId });
    for (let count = 1; count < 20; count++) {
      const { url } = await server.identity.setup.createSignInLink(first.person.id);
      await new Browser(server.base).ask("POST", "/sign-in/link", { token: url.split("=")[1] });
    }
    expect(await isSignedIn(first)).toBe(true);
    const { url } = await server.identity.setup.createSignInLink(first.person.id);
    await new Browser(server.base).ask("POST", "/sign-in/link", { token: url.split("=")[1] });
    expect(await isSignedIn(first)).toBe(false);
  });
});

describe("a new token", () => {
  test("comes with the next request after a role changed; the old one is good for half a minute", async () => {
    const member = await signedInBrowser(server, { tenantId, role: "member" });
    await server.identity.team.changeRole(tenantId, member.person.id, "viewer");
    const before = member.cookie;
    const late = new Browser(server.base);
    late.cookie = before;
    expect((await member.ask("POST", "/team/invitations", {})).status).toBe(403);
    expect(member.cookie).not.toBe(before);
    await clock.advance(FORMER_TOKEN_MS - 1);
    expect(await isSignedIn(late)).toBe(true);
    expect(late.cookie).toBe(before);
    await clock.advance(1);
    expect(await isSignedIn(late)).toBe(false);
    expect(await isSignedIn(member)).toBe(true);
  });

  test("is one for requests that arrive together", async () => {
    const member = await signedInBrowser(server, { tenantId, role: "member" });
    await server.identity.team.changeRole(tenantId, member.person.id, "owner");
    const together = Array.from({ length: 8 }, () => {
      const browser = new Browser(server.base);
      browser.cookie = member.cookie;
      return browser;
    });
    const answers = await Promise.all(together.map((browser) => browser.ask("GET", "/team")));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(answers.filter(({ headers }) => headers.has("set-cookie"))).toHaveLength(1);
  });

  test("comes with entering another company", async () => {
    const other = await server.tenant({ name: "Other" });
    const operator = await signedInBrowser(server, { tenantId, operator: true });
    const before = operator.cookie;
    const answer = await operator.ask("POST", "/active-tenant", { tenant_id: other.id });
    expect(pick(answer, "tenant.name")).toBe("Other");
    expect(operator.cookie).not.toBe(before);
  });
});

/** Every combination a browser sends; `own` stands for our own origin. */
const PROVENANCE: readonly (readonly [
  site: string | null,
  origin: string | null,
  changes: boolean,
  reads: boolean,
])[] = [
  ["same-origin", "own", true, true],
  ["same-origin", null, true, true],
  ["same-origin", "null", true, true],
  [null, "own", true, true],
  [null, null, false, true],
  [null, "null", false, true],
  [null, "http://127.0.0.1:1", false, true],
  [null, "https://evil.example", false, true],
  ["same-site", "own", false, false],
  ["same-site", "http://127.0.0.1:1", false, false],
  ["cross-site", "https://evil.example", false, false],
  ["cross-site", "null", false, false],
  ["cross-site", null, false, false],
  ["none", null, false, true],
  ["Same-Origin", "own", false, false],
  ["", "own", false, false],
];

describe("where a request comes from", () => {
  for (const [site, origin, changes, reads] of PROVENANCE)
    test(`Sec-Fetch-Site ${site ?? "absent"}, Origin ${origin ?? "absent"}: changes ${changes}, reads ${reads}`, async () => {
      const { cookie } = await signedInBrowser(server, { tenantId });
      const send = (method: string, path: string, extra: Record<string, string> = {}) =>
        fetch(server.base + path, {
          method,
          headers: {
            cookie: cookie ?? "",
            ...(site === null ? {} : { "sec-fetch-site": site }),
            ...(origin === null ? {} : { origin: origin === "own" ? server.base : origin }),
            ...extra,
          },
        }).then(({ status }) => status);
      expect(await send("DELETE", "/api/v1/agents/999")).toBe(changes ? 404 : 403);
      expect(await send("DELETE", "/api/dashboard/sessions/999999")).toBe(changes ? 404 : 403);
      expect(await send("GET", "/api/v1/agents")).toBe(reads ? 200 : 403);
      expect(await send("GET", "/api/dashboard/team")).toBe(reads ? 200 : 403);
      // A WebSocket opens with GET and every right.
      const socket = { upgrade: "websocket", connection: "upgrade" };
      expect(await send("GET", "/api/dashboard/team", socket)).toBe(changes ? 200 : 403);
    });

  test("somebody who follows a link from elsewhere reads", async () => {
    const browser = await signedInBrowser(server, { tenantId });
    const navigation = {
      "sec-fetch-site": "cross-site",
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "document",
    };
    expect((await browser.ask("GET", "/team", undefined, navigation)).status).toBe(200);
    const frame = { ...navigation, "sec-fetch-dest": "iframe" };
    expect((await browser.ask("GET", "/team", undefined, frame)).status).toBe(403);
  });

  test("signing in is no exception: nobody is signed in as somebody else unawares", async () => {
    const answer = await new Browser(server.base).ask(
      "POST",
      "/sign-in",
      { email: "a@b.example", password: "x" },
      { origin: "https://evil.example" },
    );
    expect(answer.status).toBe(403);
  });

  test("an API key needs none of it", async () => {
    const tenant = await server.tenant();
    const foreign = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
    expect((await ask(server, tenant, "GET", "/agents", undefined, foreign)).status).toBe(200);
  });

  for (const [host, known] of [
    ["127.0.0.1", true],
    ["localhost:8080", true],
    ["app.localhost", true],
    ["[::1]:8080", true],
    ["192.0.2.1", true],
    ["voice.example.com", true],
    ["voice.example.com:8443", true],
    ["evil.example", false],
    ["voice.example.com.evil.example", false],
    ["127.0.0.1.evil.example", false],
    ["127.1", false],
  ] as const)
    test(`the host ${host} is ${known ? "ours" : "refused, pages too (DNS rebinding)"}`, async () => {
      const get = async (path: string) =>
        (await fetch(server.base + path, { headers: { host }, redirect: "manual" })).status;
      expect((await get("/api/dashboard/session")) === 403).toBe(!known);
      expect((await get("/app/")) === 403).toBe(!known);
      expect((await get("/")) === 403).toBe(!known);
      expect(await get("/api/v1/ping")).toBe(200);
    });
});

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

  test("an operator enters any as an owner, and leaves its trace there alone", async () => {
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
  test("has every change through a session, done or refused, and no reading", async () => {
    const { id } = await server.tenant();
    const owner = await signedInBrowser(server, { tenantId: id });
    const viewer = await signedInBrowser(server, { tenantId: id, role: "viewer" });
    await owner.fetch("POST", "/api/v1/keys", { label: "secret label" });
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
    expect(answer.text).not.toContain("secret label");
    expect(pick(answer, "total")).toBe(5);
    const second = await owner.ask("GET", "/audit?limit=3&offset=3");
    expect(pick(second, "entries")).toHaveLength(2);
  });

  test("is bounded in time", async () => {
    const { id } = await server.tenant();
    await signedInBrowser(server, { tenantId: id });
    await clock.advance(400 * 24 * HOUR);
    await server.identity.clean();
    const owner = await signedInBrowser(server, { tenantId: id });
    expect(pick(await owner.ask("GET", "/audit"), "total")).toBe(2);
    await clock.advance(11 * HOUR);
    await server.identity.clean();
    expect(pick(await owner.ask("GET", "/audit"), "total")).toBe(1);
  });
});

test("the address behind trusted proxies is noted, not what a client claims", async () => {
  const { id } = await server.tenant();
  const owner = await signedInBrowser(server, { tenantId: id });
  const chain = { "x-forwarded-for": "203.0.113.9, 198.51.100.7, 127.0.0.1" };
  await owner.fetch("POST", "/api/v1/keys", { label: "x" }, chain);
  expect(pick(await owner.ask("GET", "/audit?limit=1"), "entries.0.ip")).toBe("198.51.100.7");
});

test("answers to a session may not be framed, embedded, kept or sniffed", async () => {
  const owner = await signedInBrowser(server, { tenantId });
  for (const path of ["/api/dashboard/session", "/api/dashboard/nothing", "/api/v1/agents"]) {
    const { headers } = await owner.fetch("GET", path);
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "cross-origin-resource-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
    expect(headers.get("vary")).toContain("Cookie");
  }
});

test("a session may ask 600 times a minute, a stranger 120 times for what is open", async () => {
  const owner = await signedInBrowser(server, { tenantId });
  await clock.advance(MINUTE);
  const statuses = async (browser: Browser, count: number, path: string) => {
    const seen = new Map<number, number>();
    for (let asked = 0; asked < count; asked++) {
      const { status } = await browser.ask("GET", path);
      seen.set(status, (seen.get(status) ?? 0) + 1);
    }
    return Object.fromEntries(seen);
  };
  expect(await statuses(owner, 601, "/sessions")).toEqual({ 200: 600, 429: 1 });
  const stranger = new Browser(server.base);
  expect(await statuses(stranger, 121, "/session")).toEqual({ 200: 120, 429: 1 });
  await clock.advance(MINUTE);
  expect((await owner.ask("GET", "/sessions")).status).toBe(200);
});

test("the dashboard's document is for people who are signed in", async () => {
  const path = "/api/dashboard/openapi.json";
  expect((await new Browser(server.base).fetch("GET", path)).status).toBe(401);
  const owner = await signedInBrowser(server, { tenantId, role: "viewer" });
  expect(pick(await owner.fetch("GET", path), "openapi")).toBe("3.1.0");
});
