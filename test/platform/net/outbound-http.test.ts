import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import {
  type OutboundHttpClient,
  type OutboundHttpRequest,
  type Resolve,
  SafeHttpClient,
} from "../../../src/platform/net/outbound-http.ts";
import { OutboundHttpError } from "../../../src/platform/net/outbound-http-error.ts";
import { eventually } from "../../support/eventually.ts";
import { answer, type HttpsReceiver, httpsReceiver } from "../../support/net/https-receiver.ts";
import { type TestCa, testCa } from "../../support/net/test-ca.ts";
import { mayListenOn, testWhere } from "../../support/privileges.ts";
import { tempDir } from "../../support/temp-dir.ts";

const HOST = "127.41.0.1";
const directory = tempDir();
let ca: TestCa;
let receiver: HttpsReceiver;

/** Names of the tests' own DNS; each lookup takes the next answer of the name's list. */
const zone: Record<string, string[][]> = {};
const resolve: Resolve = (name, done) => {
  const answers = zone[name];
  const addresses = (answers && answers.length > 1 ? answers.shift() : answers?.[0]) ?? [];
  done(
    null,
    addresses.map((address) => ({ address, family: net.isIPv6(address) ? 6 : 4 })),
  );
};

beforeAll(async () => {
  ca = testCa(directory);
  receiver = await httpsReceiver(ca.issue(["DNS:hooks.test", `IP:${HOST}`]), answer(200), HOST);
  zone["hooks.test"] = [[HOST]];
  zone["other.test"] = [[HOST]];
});
afterAll(() => receiver.close());

const allowing = (...allowNetworks: string[]): OutboundHttpClient =>
  new SafeHttpClient({ allowNetworks, caPem: ca.caPem, resolve });

const post = (url: string, extra: Partial<OutboundHttpRequest> = {}): OutboundHttpRequest => ({
  method: "POST",
  url,
  headers: { "content-type": "application/json" },
  body: '{"ok":"ąčę"}',
  timeoutMs: 5000,
  responseBytesMax: 10_000,
  ...extra,
});

async function failureOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return "none";
  } catch (error) {
    if (!(error instanceof OutboundHttpError)) throw error;
    return error.failure;
  }
}

describe("the guarded client", () => {
  test("posts to an allowed host with a verified certificate", async () => {
    receiver.respond = answer(200, "thanks");
    const client = allowing(`${HOST}/32`);
    for (const host of ["hooks.test", HOST]) {
      const response = await client.request(post(`https://${host}:${receiver.port}/in?a=1`));
      expect(response.status).toBe(200);
      expect(response.body.toString()).toBe("thanks");
      const sent = receiver.requests.at(-1);
      expect(sent).toMatchObject({ path: "/in?a=1", method: "POST", body: '{"ok":"ąčę"}' });
      expect(sent?.headers.host).toBe(`${host}:${receiver.port}`);
      expect(sent?.headers["content-length"]).toBe("15");
    }
  });

  test("of a name's addresses the first eight are tried", async () => {
    receiver.respond = answer(200);
    const closed = Array.from({ length: 1000 }, (_, n) => `127.41.${1 + (n >> 8)}.${n & 255}`);
    const client = allowing("127.41.0.0/16");
    const request = post(`https://hooks.test:${receiver.port}/`);
    try {
      zone["hooks.test"] = [[...closed.slice(0, 7), HOST]];
      expect((await client.request(request)).status).toBe(200);
      zone["hooks.test"] = [
        [...closed.slice(0, 8), HOST],
        [...closed, HOST],
      ];
      expect(await failureOf(client.request(request))).toBe("connection_failed");
      expect(await failureOf(client.request(request))).toBe("connection_failed");
    } finally {
      zone["hooks.test"] = [[HOST]];
    }
  });

  test.each([
    () => `https://hooks.test:${receiver.port}/`,
    () => `https://${HOST}:${receiver.port}/`,
    () => `https://2133393409:${receiver.port}/`, // 127.41.0.1 as one number
    () => `https://0x7f290001:${receiver.port}/`,
    () => `https://0177.051.0.1:${receiver.port}/`,
    () => `https://127.2686977:${receiver.port}/`,
    () => `https://[::ffff:${HOST}]:${receiver.port}/`,
    () => `https://[64:ff9b::7f29:1]:${receiver.port}/`,
    () => `https://[::1]:${receiver.port}/`,
    () => `https://169.254.169.254/latest/meta-data`,
    () => "https://10.0.0.1/",
  ])("does not open a connection to an address that is not allowed (%#)", async (url) => {
    const before = receiver.requests.length;
    expect(await failureOf(allowing().request(post(url())))).toBe("blocked_address");
    expect(receiver.requests.length).toBe(before);
  });

  test("says the same of every forbidden address, so that names are not a way to ask about them", async () => {
    const said = new Set<string>();
    for (const address of ["127.0.0.1", "10.0.0.1", "169.254.169.254", "100.64.0.1", "::1"]) {
      zone["inside.test"] = [[address]];
      await allowing()
        .request(post("https://inside.test/"))
        .catch((error: Error) => said.add(error.message));
    }
    expect([...said]).toEqual(["the address is not allowed"]);
  });

  test("the system's own resolver is guarded too: localhost is blocked", async () => {
    const client = new SafeHttpClient({ allowNetworks: [] });
    const url = `https://localhost:${receiver.port}/`;
    expect(await failureOf(client.request(post(url)))).toBe("blocked_address");
  });

  test("a name that rebinds between two requests is judged again each time", async () => {
    zone["rebind.test"] = [[HOST], ["127.0.0.1"]];
    const client = allowing(`${HOST}/32`);
    const url = `https://rebind.test:${receiver.port}/`;
    expect(await failureOf(client.request(post(url)))).toBe("certificate"); // it did connect
    expect(await failureOf(client.request(post(url)))).toBe("blocked_address");
  });

  test("of a mixed answer only the allowed address is connected to", async () => {
    zone["hooks.test"] = [["10.0.0.1", "169.254.169.254", HOST, "::1"]];
    const response = await allowing(`${HOST}/32`).request(
      post(`https://hooks.test:${receiver.port}/`),
    );
    zone["hooks.test"] = [[HOST]];
    expect(response.status).toBe(200);
  });

  test("a certificate for another name, or by nobody known, is refused before anything is sent", async () => {
    const before = receiver.requests.length;
    const client = allowing(`${HOST}/32`);
    const other = `https://other.test:${receiver.port}/`;
    expect(await failureOf(client.request(post(other)))).toBe("certificate");
    const trusting = new SafeHttpClient({ allowNetworks: [HOST], resolve });
    const known = `https://hooks.test:${receiver.port}/`;
    expect(await failureOf(trusting.request(post(known)))).toBe("certificate");
    expect(receiver.requests.length).toBe(before);
  });

  test("a redirect is an answer, not followed", async () => {
    receiver.respond = answer(302, "", { location: `https://hooks.test:${receiver.port}/next` });
    const before = receiver.requests.length;
    const url = `https://hooks.test:${receiver.port}/`;
    expect((await allowing(HOST).request(post(url))).status).toBe(302);
    expect(receiver.requests.length).toBe(before + 1);
    receiver.respond = answer(200);
  });

  test("an unknown name, a closed port and a URL with a password fail in words", async () => {
    const client = allowing("127.0.0.0/8");
    expect(await failureOf(client.request(post("https://nowhere.test/")))).toBe("name_not_found");
    zone["closed.test"] = [["127.41.0.2"]];
    expect(await failureOf(client.request(post("https://closed.test:1/")))).toBe(
      "connection_failed",
    );
    const withUser = `https://u:p@hooks.test:${receiver.port}/`;
    expect(await failureOf(client.request(post(withUser)))).toBe("invalid_url");
  });

  test("a port without TLS fails in words, not with a code alone", async () => {
    const plain = http.createServer().listen(0, HOST);
    await eventually(async () => plain.listening, "the plain server listens");
    const { port } = plain.address() as AddressInfo;
    await expect(allowing(HOST).request(post(`https://${HOST}:${port}/`))).rejects.toMatchObject({
      failure: "connection_failed",
      message: expect.stringMatching(/^no TLS connection: is this an HTTPS port\? \(ERR_SSL_/),
    });
    plain.close();
  });

  test("a receiver that is silent, drips or never shakes hands runs into the time limit", async () => {
    const client = allowing("127.0.0.0/8");
    const request = post(`https://hooks.test:${receiver.port}/`, { timeoutMs: 150 });
    receiver.respond = () => {};
    expect(await failureOf(client.request(request))).toBe("timeout");
    receiver.respond = (_request, response) => {
      response.writeHead(200);
      response.write("x");
    };
    expect(await failureOf(client.request(request))).toBe("timeout");
    receiver.respond = answer(200);
    const mute = net.createServer(() => {});
    await new Promise<void>((done) => mute.listen(0, HOST, done));
    const muteUrl = `https://hooks.test:${(mute.address() as AddressInfo).port}/`;
    expect(await failureOf(client.request({ ...request, url: muteUrl }))).toBe("timeout");
    mute.close();
  });

  test("an answer above the cap fails, or is dropped where only the status counts", async () => {
    let closed = 0;
    receiver.respond = (_request, response) => {
      const flood = setInterval(() => response.write(Buffer.alloc(65_536)), 1);
      response.on("close", () => {
        clearInterval(flood);
        closed++;
      });
      response.writeHead(200);
    };
    const client = allowing(HOST);
    const url = `https://hooks.test:${receiver.port}/`;
    expect(await failureOf(client.request(post(url)))).toBe("too_large");
    const cut = await client.request(post(url, { statusOnly: true }));
    expect(cut).toMatchObject({ status: 200 });
    expect(cut.body.length).toBe(0);
    await eventually(() => closed === 2, "both connections were dropped");
    receiver.respond = answer(200);
  });

  test("where only the status counts, a body that never ends or breaks off changes nothing", async () => {
    const client = allowing(HOST);
    const url = `https://hooks.test:${receiver.port}/`;
    for (const mayReuse of [false, true]) {
      let closed = false;
      receiver.respond = (_request, response) => {
        response.on("close", () => {
          closed = true;
        });
        response.writeHead(202);
        response.write("working on it");
      };
      const given = { statusOnly: true, timeoutMs: 400, mayReuse } as const;
      expect((await client.request(post(url, given))).status).toBe(202);
      await eventually(() => closed, "the connection is dropped at the time limit");
      receiver.respond = (_request, response) => {
        response.writeHead(201, { "content-length": "100" });
        response.write("half");
        response.socket?.destroySoon();
      };
      expect((await client.request(post(url, given))).status).toBe(201);
    }
    receiver.respond = answer(200);
  });

  test("a decompression bomb is stopped at the cap, honest compression is read", async () => {
    const client = allowing(HOST);
    const url = `https://hooks.test:${receiver.port}/`;
    const compressed = (text: string | Buffer) => (_: unknown, response: http.ServerResponse) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(gzipSync(text));
    };
    receiver.respond = compressed(Buffer.alloc(5_000_000));
    expect(await failureOf(client.request(post(url)))).toBe("too_large");
    receiver.respond = compressed("hello");
    expect((await client.request(post(url))).body.toString()).toBe("hello");
    receiver.respond = answer(200, "not gzip", { "content-encoding": "gzip" });
    expect(await failureOf(client.request(post(url)))).toBe("bad_response");
    receiver.respond = answer(200);
  });

  test("what breaks off or is no HTTP is a bad answer", async () => {
    receiver.respond = (_request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half");
      setTimeout(() => response.socket?.destroy(), 20);
    };
    const url = `https://hooks.test:${receiver.port}/`;
    const failure = await failureOf(allowing(HOST).request(post(url)));
    expect(["bad_response", "connection_failed"]).toContain(failure);
    receiver.respond = answer(200);
  });

  test("it can be abandoned before and while it runs", async () => {
    receiver.respond = () => {};
    const url = `https://hooks.test:${receiver.port}/`;
    const before = new AbortController();
    before.abort();
    const client = allowing(HOST);
    expect(await failureOf(client.request(post(url, { signal: before.signal })))).toBe("aborted");
    const during = new AbortController();
    const seen = receiver.requests.length;
    const request = failureOf(client.request(post(url, { signal: during.signal })));
    await eventually(() => receiver.requests.length > seen, "the request arrived");
    during.abort();
    expect(await request).toBe("aborted");
    receiver.respond = answer(200);
  });

  test("an abort ends every request that shares its signal and goes on, and no other", async () => {
    receiver.respond = answer(200);
    const url = `https://hooks.test:${receiver.port}/`;
    const client = allowing(HOST);
    const [shared, own] = [new AbortController(), new AbortController()];
    const done = await client.request(post(url, { signal: shared.signal }));
    expect(done.status).toBe(200);
    const answers: (() => void)[] = [];
    receiver.respond = (_request, response) => answers.push(() => response.end());
    const stopped = [1, 2, 3].map(() => client.request(post(url, { signal: shared.signal })));
    const outcomes = Promise.all(stopped.map(failureOf));
    const other = client.request(post(url, { signal: own.signal }));
    await eventually(() => answers.length === 4, "all arrived");
    shared.abort();
    expect(await outcomes).toEqual(["aborted", "aborted", "aborted"]);
    for (const end of answers) end();
    expect((await other).status).toBe(200);
    expect(await failureOf(client.request(post(url, { signal: shared.signal })))).toBe("aborted");
    receiver.respond = answer(200);
  });

  test("plain http goes to networks the operator lists and nowhere else", async () => {
    const server = http.createServer((_request, response) => response.end("plain"));
    await new Promise<void>((done) => server.listen(0, HOST, done));
    const { port } = server.address() as AddressInfo;
    const listed = await allowing(HOST).request(post(`http://hooks.test:${port}/`));
    expect(listed.body.toString()).toBe("plain");
    zone["public.test"] = [["8.8.8.8"]];
    expect(await failureOf(allowing(HOST).request(post("http://public.test/")))).toBe(
      "blocked_address",
    );
    expect(await failureOf(allowing(HOST).request(post("http://8.8.8.8/")))).toBe(
      "blocked_address",
    );
    server.close();
    server.closeAllConnections();
  });
});

const DEFAULT_PORTS = "127.41.0.3";
testWhere(mayListenOn(DEFAULT_PORTS, [80, 443]), "listening on ports 80 and 443")(
  "an address without a port is asked at port 443, or 80 without TLS",
  async () => {
    zone["default.test"] = [[DEFAULT_PORTS]];
    const secured = await httpsReceiver(
      ca.issue(["DNS:default.test"]),
      answer(200, "443"),
      DEFAULT_PORTS,
      443,
    );
    const plain = http.createServer((_request, response) => response.end("80"));
    await new Promise<void>((done) => plain.listen(80, DEFAULT_PORTS, done));
    const bodyOf = async (url: string) =>
      (await allowing(DEFAULT_PORTS).request(post(url))).body.toString();
    expect(await bodyOf("https://default.test/")).toBe("443");
    expect(await bodyOf("http://default.test/")).toBe("80");
    plain.close();
    plain.closeAllConnections();
    await secured.close();
  },
);
