/** The origin of a session's requests, over real HTTP, and framing of its answers. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Browser, signedInBrowser } from "../support/browser/dashboard-session.ts";
import { type ApiServer, ask, startApiServer } from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

let server: ApiServer;
let tenantId = 0;

beforeAll(async () => {
  server = await startApiServer({
    directory: tempDir(),
    settings: { trustedProxies: ["127.0.0.1"], publicUrl: "https://voice.example.com" },
  });
  tenantId = (await server.tenant()).id;
});
afterAll(() => server.stop());

/** Every combination a browser sends; `own` means our own origin. */
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

describe("origin of a request", () => {
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
      // A WebSocket opens with GET and needs the right to change.
      const socket = { upgrade: "websocket", connection: "upgrade" };
      expect(await send("GET", "/api/dashboard/team", socket)).toBe(changes ? 200 : 403);
    });

  test("a person who follows a link from another site may read", async () => {
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

  test("signing in is checked too: nobody is signed in as another person unawares", async () => {
    const answer = await new Browser(server.base).ask(
      "POST",
      "/sign-in",
      { email: "a@b.example", password: "x" },
      { origin: "https://evil.example" },
    );
    expect(answer.status).toBe(403);
  });

  test("an API key is not checked for its origin", async () => {
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

  test("a browser with an unknown host name gets a page with the lines to set, escaped", async () => {
    const get = async (host: string, headers: Record<string, string> = {}) => {
      const response = await fetch(`${server.base}/app/`, { headers: { host, ...headers } });
      return { type: response.headers.get("content-type"), text: await response.text() };
    };
    const html = { accept: "text/html,*/*;q=0.8", "accept-language": "lt" };
    const page = await get("evil.example:8080", html);
    expect(page.type).toStartWith("text/html");
    expect(page.text).toContain('<html lang="lt">');
    expect(page.text).toContain("public_url = &#34;http://evil.example:8080&#34;");
    const hostile = (await get("<img>", html)).text;
    expect(hostile).toContain("public_url = &#34;https://voice.example.com&#34;");
    expect(hostile).not.toContain("<img>");
    expect(JSON.parse((await get("evil.example")).text)).toMatchObject({ error: "forbidden" });
  });
});

test("answers to a session may not be framed, embedded, cached or sniffed", async () => {
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
