/** What the client makes of answers on the wire: which it takes, and after which a connection serves another request. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import net, { type AddressInfo } from "node:net";
import tls from "node:tls";
import { HttpConnection } from "../../../src/platform/net/http-connection.ts";
import { KeptConnections } from "../../../src/platform/net/kept-connections.ts";
import { SafeHttpClient } from "../../../src/platform/net/outbound-http.ts";
import { OutboundHttpError } from "../../../src/platform/net/outbound-http-error.ts";
import { eventually } from "../../support/eventually.ts";
import { testCa } from "../../support/net/test-ca.ts";
import { tempDir } from "../../support/temp-dir.ts";

const HOST = "127.41.0.4";
const ca = testCa(tempDir());
const IPV6 = "::1";

/** The pieces sent for each received request, and whether the connection is closed afterwards. */
let script: { readonly pieces: readonly string[]; readonly close?: boolean };
let requests: string[] = [];
const open = new Set<tls.TLSSocket>();
let connections = 0;
let answered = 0;
const server = tls.createServer(ca.issue([`IP:${HOST}`, `IP:${IPV6}`]), (socket) => {
  connections++;
  open.add(socket);
  socket.on("close", () => open.delete(socket));
  socket.on("error", () => {});
  socket.on("data", async (sent: Buffer) => {
    requests.push(sent.toString("latin1"));
    const { pieces, close } = script;
    for (const piece of pieces) {
      socket.write(piece);
      await Bun.sleep(5);
    }
    answered++;
    if (close) socket.end();
  });
});
let client: SafeHttpClient;
let port = 0;

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, HOST, done));
  port = (server.address() as AddressInfo).port;
});
beforeEach(() => {
  client = new SafeHttpClient({ allowNetworks: [`${HOST}/32`, `${IPV6}/128`], caPem: ca.caPem });
  connections = 0;
  answered = 0;
  requests = [];
});
afterAll(() => {
  server.close();
});

/** The status and body, or how it failed. */
async function ask(statusOnly = false, host = HOST, at = port): Promise<string> {
  try {
    const { status, body } = await client.request({
      method: "POST",
      url: `https://${host}:${at}/in`,
      headers: { "x-a": "b" },
      body: "{}",
      timeoutMs: 2000,
      responseBytesMax: 20,
      mayReuse: true,
      statusOnly,
    });
    return `${status} ${body}`;
  } catch (error) {
    if (!(error instanceof OutboundHttpError)) throw error;
    return error.failure;
  }
}

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
const CHUNKED = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

describe("an answer after which the connection serves the next request", () => {
  test.each([
    ["with a length", [OK], "200 ok"],
    ["byte by byte", [...OK], "200 ok"],
    [
      "with a body of the limit",
      [`HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n${"a".repeat(20)}`],
      `200 ${"a".repeat(20)}`,
    ],
    ["without a body", ["HTTP/1.1 204 No Content\r\n\r\n"], "204 "],
    ["in chunks", [CHUNKED, "2\r\nok\r\n", "1;x=y\r\n!\r\n0\r\n\r\n"], "200 ok!"],
    ["in chunks with trailers", [`${CHUNKED}2\r\nok\r\n0\r\nx-sum: 1\r\n\r\n`], "200 ok"],
    [
      "after interim answers",
      ["HTTP/1.1 100 Continue\r\n\r\n", `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${OK}`],
      "200 ok",
    ],
    [
      "that is a redirect",
      ["HTTP/1.1 302 Found\r\nlocation: /b\r\ncontent-length: 0\r\n\r\n"],
      "302 ",
    ],
    [
      "with a hundred headers",
      [`HTTP/1.1 200 OK\r\n${"x-many: 1\r\n".repeat(100)}content-length: 2\r\n\r\nok`],
      "200 ok",
    ],
  ] as const)("%s", async (_, pieces, outcome) => {
    script = { pieces };
    for (let n = 0; n < 3; n++) expect(await ask()).toBe(outcome);
    expect(connections).toBe(1);
    const lines = [`Host: ${HOST}:${port}`, "Content-Length: 2", "Accept-Encoding: identity"];
    expect(requests[2]).toBe(
      `POST /in HTTP/1.1\r\nx-a: b\r\n${lines.join("\r\n")}\r\nConnection: keep-alive\r\n\r\n{}`,
    );
  });
});

describe("an answer after which the connection is closed", () => {
  test.each([
    [
      "that says so",
      ["HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok"],
      "200 ok",
      false,
    ],
    ["of HTTP/1.0", ["HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok"], "200 ok", false],
    ["whose end is the connection's", ["HTTP/1.1 200 OK\r\n\r\no", "k"], "200 ok", true],
    ["followed by another one", [OK + OK.replace("200", "500")], "200 ok", false],
    ["followed by the beginning of another one", [`${OK}HTTP/1.1 5`], "200 ok", false],
    [
      "that changes the protocol",
      ["HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nxyz"],
      "101 ",
      false,
    ],
    [
      "above the limit",
      [`HTTP/1.1 200 OK\r\ncontent-length: 21\r\n\r\n${"a".repeat(21)}`],
      "too_large",
      false,
    ],
    ["that breaks off", ["HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nok"], "bad_response", true],
    ["that is none", [], "connection_failed", true],
    [
      "of two lengths",
      ["HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok!"],
      "bad_response",
      false,
    ],
    [
      "with a length and in chunks",
      [`${CHUNKED.replace("\r\n\r\n", "\r\ncontent-length: 2\r\n\r\n")}0\r\n\r\n`],
      "bad_response",
      false,
    ],
    ["of another protocol", ["220 mail.test ESMTP\r\n"], "bad_response", false],
  ] as const)("%s", async (_, pieces, outcome, close) => {
    script = { pieces, close };
    for (let n = 1; n <= 2; n++) {
      expect(await ask()).toBe(outcome);
      expect(connections).toBe(n);
    }
    await eventually(() => open.size === 0, "both connections were closed");
  });
});

test("where only the status counts, the rest is read all the same before the next request", async () => {
  script = { pieces: [CHUNKED, "1\r\na\r\n", "1\r\nb\r\n0\r\n\r\n"] };
  expect(await ask(true)).toBe("200 ");
  expect(await ask(true)).toBe("200 ");
  expect(connections).toBe(2); // the first was still being read
  await eventually(() => answered === 2, "both answers were written");
  await Bun.sleep(100); // and read
  expect(await ask(true)).toBe("200 ");
  expect(connections).toBe(2);
});

test("bytes that arrive before a request are not its response", async () => {
  script = { pieces: [OK] };
  expect(await ask()).toBe("200 ok");
  for (const socket of open) socket.write(OK.replace("200", "500"));
  await eventually(() => open.size === 0, "the connection was closed");
  expect(await ask()).toBe("200 ok");
  expect(connections).toBe(2);
});

test("a connection is kept for a second, and for its own host and port alone", async () => {
  const second = tls.createServer(ca.issue([`IP:${IPV6}`]), (socket) => {
    connections++;
    socket.on("data", () => socket.write(OK));
    socket.on("error", () => {});
  });
  await new Promise<void>((done) => second.listen(0, IPV6, done));
  script = { pieces: [OK] };
  const at = (second.address() as AddressInfo).port;
  for (let n = 0; n < 2; n++) {
    expect(await ask()).toBe("200 ok");
    expect(await ask(false, `[${IPV6}]`, at)).toBe("200 ok");
  }
  expect(connections).toBe(2);
  await eventually(() => open.size === 0, "the connection was closed");
  expect(await ask()).toBe("200 ok");
  expect(connections).toBe(3);
  second.close();
});

test("a closed connection is forgotten, whichever side closed it", async () => {
  for (const closes of [true, false]) {
    const plain = net.createServer((socket) => closes && setTimeout(() => socket.end(), 20));
    await new Promise<void>((done) => plain.listen(0, HOST, done));
    const socket = net.connect((plain.address() as AddressInfo).port, HOST);
    const kept = new KeptConnections();
    kept.keep("a:443", new HttpConnection(socket, "connect"));
    expect(kept.hosts).toBe(1);
    await eventually(() => kept.hosts === 0, "the closed connection was let go");
    expect(socket.destroyed).toBe(true);
    plain.close();
  }
});

test("a header that would end its line is refused before anything is sent", async () => {
  const lines = [
    ["x-a", "b\r\nx-c: d"],
    ["x-a: b\r\nx-c", "d"],
    ["x-a", "\u{1F4DE}"],
    ["x-a", "b\u0100"],
    ["x-a", "b\u007f"],
    ["x-a", "b\u001f"],
    ["x a", "b"],
    ["", "b"],
  ] as const;
  for (const [name, value] of lines) {
    const headers = { [name]: value };
    const sent = client.request({
      method: "POST",
      url: `https://${HOST}:${port}/`,
      headers,
      body: "",
      timeoutMs: 2000,
      responseBytesMax: 20,
    });
    await expect(sent).rejects.toMatchObject({ failure: "bad_response" });
  }
  expect(connections).toBe(0);
});

test("a header takes the whole of ISO 8859-1, a body is UTF-8", async () => {
  script = { pieces: [OK] };
  const headers = { "!#$%&'*+-.^_`|~09azAZ": "\t ~\u0080\u00ff", "x-none": "" };
  const { status } = await client.request({
    method: "POST",
    url: `https://${HOST}:${port}/`,
    headers,
    body: "ž\u{1F4DE}\ud800",
    timeoutMs: 2000,
    responseBytesMax: 20,
  });
  expect(status).toBe(200);
  const heard = Buffer.from(requests.join(""), "latin1");
  expect(heard.toString("latin1")).toBe(
    [
      ...["POST / HTTP/1.1", "!#$%&'*+-.^_`|~09azAZ: \t ~\u0080\u00ff", "x-none: "],
      ...[`Host: ${HOST}:${port}`, "Content-Length: 9", "Accept-Encoding: identity"],
      ...["Connection: close", "", Buffer.from("ž\u{1F4DE}\ufffd").toString("latin1")],
    ].join("\r\n"),
  );
});
