/**
 * Requests that no client library sends: other spellings of a path, two hosts, no host. In every spelling, a
 * request passes the gate or gets nothing.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { signedInBrowser } from "../support/browser/dashboard-session.ts";
import { type ApiServer, startApiServer } from "../support/http/api-server.ts";
import { testCa } from "../support/net/test-ca.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(30_000);

let server: ApiServer;
let cookie = "";

beforeAll(async () => {
  server = await startApiServer({ directory: tempDir() });
  const { id } = await server.tenant();
  cookie = (await signedInBrowser(server, { tenantId: id })).cookie ?? "";
});
afterAll(() => server.stop());

interface RawAnswer {
  readonly status: number;
  /** The original spelling. */
  readonly head: string;
  /** In lower case. */
  readonly text: string;
}

function send(lines: readonly string[], secure?: ApiServer): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const { port } = (secure ?? server).server.address;
    const write = () => socket.write(`${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n`);
    const socket = secure
      ? connectTls({ host: "127.0.0.1", port, rejectUnauthorized: false }, write)
      : connect(port, "127.0.0.1", write);
    let text = "";
    socket.on("data", (data) => {
      text += data;
    });
    socket.on("error", reject);
    socket.on("close", () =>
      resolve({
        status: Number(text.split(" ")[1]),
        head: text.slice(0, text.indexOf("\r\n\r\n")),
        text: text.toLowerCase(),
      }),
    );
  });
}

const PATHS = [
  "/api/dashboard/session",
  "/api/%64ashboard/session",
  "/%61pi/dashboard/session",
  "//api/dashboard/session",
  "/api//dashboard/session",
  "/api/dashboard//session",
  "/api/dashboard/session/",
  "/api/dashboard/%73ession",
  "/api/dashboard/../dashboard/session",
  "/api/v1/../dashboard/session",
  "/api/v1/%2e%2e/dashboard/session",
  "/x/../api/dashboard/session",
  "/API/Dashboard/Session",
  "/api/dashboard/session;a=b",
  "/api/dashboard%2fsession",
  "/api/dashboard/session#x",
  "http://evil.example/api/dashboard/session",
];

test("answer headers have the spelling of the documents", async () => {
  const { key } = await server.tenant();
  const host = "Host: 127.0.0.1";
  const none = await send(["POST /api/v1/ping HTTP/1.1", host]);
  const wrong = await send(["GET /api/v1/tenant HTTP/1.1", host]);
  const right = await send(["GET /api/v1/tenant HTTP/1.1", host, `Authorization: Bearer ${key}`]);
  expect(none.head).toContain("\r\nAllow: GET");
  expect(wrong.head).toContain("\r\nWWW-Authenticate: Bearer");
  for (const name of ["X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"])
    expect(right.head).toContain(`\r\n${name}: `);
});

for (const path of PATHS)
  test(`${path} returns the signed-in person only through the gate`, async () => {
    const foreign = await send([
      `GET ${path} HTTP/1.1`,
      "Host: evil.example",
      `Cookie: ${cookie}`,
      "Sec-Fetch-Site: cross-site",
    ]);
    expect(foreign.text).not.toContain("person");
    expect(foreign.status).not.toBe(200);
    const ours = await send([`GET ${path} HTTP/1.1`, "Host: 127.0.0.1", `Cookie: ${cookie}`]);
    if (ours.status === 200)
      expect(ours.text).toContain("cross-origin-resource-policy: same-origin");
    else expect([401, 404]).toContain(ours.status);
    const post = await send([
      `POST ${path.replace("session", "sign-out")} HTTP/1.1`,
      "Host: 127.0.0.1",
      `Cookie: ${cookie}`,
      "Content-Length: 0",
    ]);
    expect([401, 403, 404]).toContain(post.status);
  });

test.each(["HTTP", "TLS"])(
  "over %s a host of one to three letters changes no path: gate and router read the same",
  async (over) => {
    const tls = over === "TLS" ? testCa(tempDir()).issue(["DNS:pbx"]) : null;
    const secure = tls
      ? await startApiServer({ directory: tempDir(), settings: { tls } })
      : undefined;
    for (const host of ["a", "ab", "pbx"]) {
      const at = async (path: string) =>
        (await send([`GET ${path} HTTP/1.1`, `Host: ${host}`], secure)).status;
      const found = await Promise.all(["/healthz", "/v1/ping", "/docs/"].map(at));
      expect([host, found]).toEqual([host, [200, 200, 200]]);
      for (const before of ["a", "ab", "abc"])
        expect([host, before, await at(`/${before}/healthz`)]).toEqual([host, before, 404]);
    }
    await secure?.stop();
  },
);

test("two hosts, none, or an invalid name get nothing", async () => {
  for (const hosts of [
    ["Host: 127.0.0.1", "Host: evil.example"],
    ["Host: evil.example", "Host: 127.0.0.1"],
    [],
    ["Host: 127.0.0.1 evil.example"],
    ["Host: 127.0.0.1@evil.example"],
    ["Host: evil.example#127.0.0.1"],
  ]) {
    const answer = await send([
      "GET /api/dashboard/session HTTP/1.1",
      ...hosts,
      `Cookie: ${cookie}`,
    ]);
    expect([hosts, [400, 403, 404].includes(answer.status)]).toEqual([hosts, true]);
    expect(answer.text).not.toContain("person");
  }
});

test("a body with two lengths is refused, or read as one: no part of it becomes a second request", async () => {
  const smuggled = "GET /api/dashboard/session HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
  for (const lengths of [
    ["Content-Length: 4", `Content-Length: ${4 + smuggled.length}`],
    ["Content-Length: 4", "Transfer-Encoding: chunked"],
    ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"],
    ["Transfer-Encoding: xchunked"],
  ]) {
    const { text } = await send([
      "POST /api/dashboard/sign-out HTTP/1.1",
      "Host: 127.0.0.1",
      "Origin: null",
      ...lengths,
      "",
      `0\r\n\r\n${smuggled}`,
    ]);
    expect(text.split("http/1.1 ").length - 1).toBeLessThanOrEqual(1);
    expect(text).not.toContain("http/1.1 200");
  }
});
