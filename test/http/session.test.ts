/** Sessions over real HTTP: the cookie, its end, its rotation. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  FORMER_TOKEN_MS,
  SESSION_ABSOLUTE_MS,
  SESSION_IDLE_MS,
} from "../../src/features/identity/sessions.ts";
import { sessions } from "../../src/store/schema/identity.ts";
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

  test("on plain http under a network address has neither Secure nor the prefix", async () => {
    const answer = await new Browser(server.base).ask("POST", "/sign-out", undefined, {
      host: "192.0.2.10:8080",
      origin: "http://192.0.2.10:8080",
    });
    expect(answer.headers.get("set-cookie")).toBe(
      "linevoice_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax",
    );
  });

  test("counts only with its right name: no plain cookie works on a secure connection", async () => {
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

  test("at once on sign-out, and when it is revoked elsewhere", async () => {
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

  test("but another person can neither revoke nor see it", async () => {
    const victim = await signedInBrowser(server, { tenantId });
    const id = pickId(await victim.ask("GET", "/sessions"), "sessions.0.id");
    const other = await signedInBrowser(server, { tenantId, operator: true });
    expect((await other.ask("DELETE", `/sessions/${id}`)).status).toBe(404);
    expect(pick(await other.ask("GET", "/sessions"), "sessions")).toHaveLength(1);
    expect(await isSignedIn(victim)).toBe(true);
  });

  test("no later than its last use allows, after the clock was set back", async () => {
    const browser = await signedInBrowser(server, { tenantId });
    clock.stepWallClock(-HOUR);
    expect(await isSignedIn(browser)).toBe(true);
    clock.stepWallClock(HOUR);
    expect(await isSignedIn(browser)).toBe(true);
  });

  test("and its row is deleted by the next cleaning", async () => {
    await clock.advance(SESSION_IDLE_MS + 1);
    await server.identity.clean();
    expect(await server.database.read.select().from(sessions)).toEqual([]);
  });

  test("a person has at most twenty; the oldest is removed", async () => {
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
  test("comes with the next request after a change of role; the old one is valid for half a minute", async () => {
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

  test("is the same for simultaneous requests", async () => {
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
