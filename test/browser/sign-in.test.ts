/**
 * Behaviour that only a browser determines: stored cookies, the origin of requests, and passkeys
 * from Chromium's authenticator. Every page here is the appliance's.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { buildDashboard } from "../../scripts/build-dashboard.ts";
import { silentLog } from "../../src/core/log.ts";
import { sessions } from "../../src/store/schema/index.ts";
import { chromiumPath, launchChromium } from "../support/browser/chromium.ts";
import { person } from "../support/browser/dashboard-session.ts";
import { type ApiServer, startApiServer } from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

const PASSWORD = "keturi žodžiai be ryšio";
const EMAIL = "rasa@clinic.example";

/** Without Chromium these tests are skipped. */
const hasChromium = chromiumPath() !== null;
const inChromium = describe.skipIf(!hasChromium);

let server: ApiServer;
let browser: Browser;
let stranger: Bun.Server<undefined>;
let tenantId = 0;
/** Paths of requests that the server rejected because of their origin. */
const refused: unknown[] = [];

beforeAll(async () => {
  if (!hasChromium) return;
  await buildDashboard();
  server = await startApiServer({
    directory: tempDir(),
    settings: { publicUrl: "http://voice.test" },
    log: {
      ...silentLog,
      warn: (event, fields) => {
        if (event === "session.foreign_request_refused") refused.push(fields?.path);
      },
    },
  });
  tenantId = (await server.tenant()).id;
  const { id } = await person(server, { tenantId, email: EMAIL });
  const { link } = await server.identity.setup.resetLink(EMAIL, false);
  await server.identity.account.resetPassword(link.url.split("=")[1] ?? "", PASSWORD);
  expect(id).toBeGreaterThan(0);
  stranger = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () =>
      new Response("<!doctype html>stranger", { headers: { "content-type": "text/html" } }),
  });
  browser = await launchChromium(["--host-resolver-rules=MAP *.test 127.0.0.1"]);
});

afterAll(async () => {
  if (!hasChromium) return;
  await browser.close();
  await stranger.stop(true);
  await server.stop();
});

/** A small test page under this name, whose policy allows requests to its own origin. */
async function open(context: BrowserContext, host: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`http://${host}:${server.server.address.port}/docs/start.js`);
  return page;
}

interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

const send = (page: Page, method: string, path: string, body?: unknown): Promise<Reply> =>
  page.evaluate(
    `(async () => {
      const response = await fetch(${JSON.stringify(path)}, {
        method: ${JSON.stringify(method)},
        ${body === undefined ? "" : `headers: { "content-type": "application/json" }, body: ${JSON.stringify(JSON.stringify(body))},`}
      });
      return { status: response.status, body: await response.json() };
    })()`,
  );

const api = (page: Page, method: string, path: string, body?: unknown) =>
  send(page, method, `/api/dashboard${path}`, body);

const signIn = (page: Page) => api(page, "POST", "/sign-in", { email: EMAIL, password: PASSWORD });

async function fresh(host: string): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext();
  return { context, page: await open(context, host) };
}

async function signedInEmail(page: Page): Promise<unknown> {
  const { body } = await api(page, "GET", "/session");
  const session = body.session as { user: { email: string } } | null;
  return session?.user.email ?? null;
}

inChromium("the cookie", () => {
  for (const host of ["127.0.0.1", "localhost"])
    test(`__Host-linevoice is stored on http://${host}, is hidden from scripts, and gives access to REST v1`, async () => {
      const { context, page } = await fresh(host);
      expect((await signIn(page)).status).toBe(200);
      const [cookie, ...others] = await context.cookies();
      expect(others).toEqual([]);
      expect(cookie).toMatchObject({
        name: "__Host-linevoice",
        path: "/",
        secure: true,
        httpOnly: true,
        sameSite: "Lax",
      });
      expect(await page.evaluate("document.cookie")).toBe("");
      expect(await signedInEmail(page)).toBe(EMAIL);
      expect((await send(page, "GET", "/api/v1/agents")).status).toBe(200);
      await api(page, "POST", "/sign-out");
      expect(await context.cookies()).toEqual([]);
      expect(await signedInEmail(page)).toBeNull();
      await context.close();
    });

  test("is named linevoice_session on plain http under another name", async () => {
    const { context, page } = await fresh("voice.test");
    expect((await signIn(page)).status).toBe(200);
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ name: "linevoice_session", secure: false, httpOnly: true });
    expect(await signedInEmail(page)).toBe(EMAIL);
    await context.close();
  });

  test("gives no access under an unknown host name (DNS rebinding)", async () => {
    const { context, page } = await fresh("rebound.test");
    expect(await api(page, "GET", "/session")).toMatchObject({
      status: 403,
      body: { error: "forbidden" },
    });
    expect((await signIn(page)).status).toBe(403);
    await context.close();
  });
});

inChromium("another page of the same site, on another port", () => {
  test("sends the cookie, but can neither change nor read anything with it", async () => {
    const { context, page } = await fresh("127.0.0.1");
    await signIn(page);
    const evil = await context.newPage();
    await evil.goto(`http://127.0.0.1:${stranger.port}/`);
    const attack = (path: string, method: string) =>
      evil.evaluate(
        `fetch(${JSON.stringify(server.base + path)}, { method: ${JSON.stringify(method)}, mode: "no-cors", credentials: "include" })
          .then((response) => response.type, () => "blocked")`,
      );
    await attack("/api/dashboard/sign-out", "POST");
    expect(await signedInEmail(page)).toBe(EMAIL);
    // Not only unreadable (CORS) but rejected, so that no data reaches the other page's process.
    refused.length = 0;
    expect(await attack("/api/v1/agents", "GET")).toBe("blocked");
    expect(await attack("/api/dashboard/team", "GET")).toBe("blocked");
    expect(refused).toEqual(["/api/v1/agents", "/api/dashboard/team"]);
    await context.close();
  });

  test("cannot post a form there", async () => {
    const { context, page } = await fresh("127.0.0.1");
    await signIn(page);
    const evil = await context.newPage();
    await evil.goto(`http://127.0.0.1:${stranger.port}/`);
    const [answer] = await Promise.all([
      evil.waitForResponse((response) => response.url().endsWith("/sign-out")),
      evil.evaluate(
        `(() => {
          const form = document.createElement("form");
          form.method = "post";
          form.action = ${JSON.stringify(`${server.base}/api/dashboard/sign-out`)};
          document.body.append(form);
          form.submit();
        })()`,
      ),
    ]);
    expect(answer.status()).toBe(403);
    expect(await signedInEmail(page)).toBe(EMAIL);
    await context.close();
  });
});

/** Runs a WebAuthn ceremony in the page with the options as JSON; returns the response as JSON. */
const ceremony = (page: Page, kind: "create" | "get", options: unknown): Promise<unknown> =>
  page.evaluate(
    `(async () => {
      const json = ${JSON.stringify(options)};
      const publicKey = PublicKeyCredential.${kind === "create" ? "parseCreationOptionsFromJSON" : "parseRequestOptionsFromJSON"}(json);
      const credential = await navigator.credentials.${kind}({ publicKey });
      return credential.toJSON();
    })()`,
  );

async function withAuthenticator(context: BrowserContext, page: Page): Promise<void> {
  const cdp = await context.newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

inChromium("passkeys, with a real authenticator", () => {
  test("are registered and listed, sign in once per ceremony, and are removed", async () => {
    const { context, page } = await fresh("localhost");
    await withAuthenticator(context, page);
    await signIn(page);
    const begun = await api(page, "POST", "/passkeys/options");
    expect(begun.status).toBe(200);
    const response = await ceremony(page, "create", begun.body.options);
    const made = await api(page, "POST", "/passkeys", { name: "Office laptop", response });
    expect(made).toMatchObject({ status: 200, body: { passkey: { name: "Office laptop" } } });
    const again = await api(page, "POST", "/passkeys", { name: "Copy", response });
    expect(again).toMatchObject({ status: 400, body: { error: "valid_response_required" } });
    const { id } = made.body.passkey as { id: number };

    await api(page, "POST", "/sign-out");
    expect(await signedInEmail(page)).toBeNull();
    const wanted = await api(page, "POST", "/sign-in/passkey/options");
    const answer = await ceremony(page, "get", wanted.body.options);
    expect(await api(page, "POST", "/sign-in/passkey", { response: answer })).toMatchObject({
      status: 200,
      body: { next: "done" },
    });
    expect(await signedInEmail(page)).toBe(EMAIL);
    const replayed = await api(page, "POST", "/sign-in/passkey", { response: answer });
    expect(replayed).toMatchObject({ status: 401, body: { error: "unauthorized" } });

    const listed = await api(page, "GET", "/passkeys");
    expect(listed.body.passkeys).toMatchObject([{ id, name: "Office laptop" }]);
    expect(JSON.stringify(listed.body)).not.toContain('"last_used_at":null');
    expect((await api(page, "DELETE", `/passkeys/${id}`)).status).toBe(200);
    await api(page, "POST", "/sign-out");
    const later = await api(page, "POST", "/sign-in/passkey/options");
    const orphan = await ceremony(page, "get", later.body.options);
    expect((await api(page, "POST", "/sign-in/passkey", { response: orphan })).status).toBe(401);
    await context.close();
  });

  test("confirm a recent sign-in in place, if the account has one", async () => {
    const { context, page } = await fresh("localhost");
    await withAuthenticator(context, page);
    await signIn(page);
    const { port } = server.server.address;
    const dialog = page.getByRole("dialog");
    const askedToConfirm = async () => {
      await server.database.tx((queries) =>
        queries.update(sessions).set({ createdAt: Date.now() - 16 * 60_000, confirmedAt: null }),
      );
      await page.goto(`http://localhost:${port}/app/calls`);
      await page.getByRole("link", { name: "CSV" }).click();
      await dialog.getByText("Confirm that it is you").waitFor();
    };
    const isRecent = async () => {
      const { body } = await api(page, "GET", "/session");
      return Date.parse((body.session as { recent_until: string }).recent_until) > Date.now();
    };
    const byPasskey = dialog.getByRole("button", { name: "Use a passkey" });

    await askedToConfirm();
    expect(await byPasskey.count()).toBe(0);
    expect(await isRecent()).toBe(false);
    await dialog.getByLabel("Password").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Confirm" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await isRecent()).toBe(true);

    const begun = await api(page, "POST", "/passkeys/options");
    const response = await ceremony(page, "create", begun.body.options);
    const made = await api(page, "POST", "/passkeys", { name: "Office laptop", response });
    await askedToConfirm();
    await byPasskey.click();
    await dialog.waitFor({ state: "detached" });
    expect(await isRecent()).toBe(true);
    await api(page, "DELETE", `/passkeys/${(made.body.passkey as { id: number }).id}`);
    await context.close();
  });

  test("a ceremony of one person neither registers a key for another nor signs anybody in", async () => {
    const other = await person(server, { tenantId, email: "other@clinic.example" });
    const { context, page } = await fresh("localhost");
    await withAuthenticator(context, page);
    await signIn(page);
    const begun = await api(page, "POST", "/passkeys/options");
    const response = await ceremony(page, "create", begun.body.options);
    await api(page, "POST", "/sign-out");
    const { url } = await server.identity.setup.createSignInLink(other.id);
    await api(page, "POST", "/sign-in/link", { token: url.split("=")[1] });
    expect(await signedInEmail(page)).toBe(other.email);
    expect((await api(page, "POST", "/passkeys", { name: "x", response })).status).toBe(400);
    expect((await api(page, "POST", "/sign-in/passkey", { response })).status).toBe(401);
    await context.close();
  });

  test("are rejected on an IP address, with a remedy", async () => {
    const { context, page } = await fresh("127.0.0.1");
    await signIn(page);
    const { port } = server.server.address;
    const begun = await api(page, "POST", "/passkeys/options");
    expect(begun).toMatchObject({ status: 409, body: { error: "conflict" } });
    expect(begun.body.message).toContain(`http://localhost:${port}`);
    await context.close();
  });
});
