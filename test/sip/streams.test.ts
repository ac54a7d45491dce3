/** SIP over TCP and TLS, seen from raw sockets. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectTls, createServer as createTlsServer } from "node:tls";
import type { IncomingLeg, SipStack } from "../../src/call/sip-port.ts";
import { systemClock } from "../../src/core/clock.ts";
import { silentLog } from "../../src/core/log.ts";
import { buildRequest, type HeaderInit } from "../../src/sip/message/index.ts";
import { InboundQueue, TASKS_PER_TURN } from "../../src/sip/transport/inbound-queue.ts";
import { StreamTransport } from "../../src/sip/transport/stream.ts";
import { eventually } from "../support/eventually.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { testCa } from "../support/net/test-ca.ts";
import { settled, startStack, trunkSettings } from "../support/sip/sip-stack.ts";
import { startStreamRegistrar } from "../support/sip/stream-registrar.ts";
import { tempDir } from "../support/temp-dir.ts";

const OURS = "127.0.6.161";
const CARRIER = "127.0.6.162";
const STRANGER = "127.0.6.163";
const NUMBER = "+37061001001";

interface RawConnection {
  readonly socket: Socket;
  text(): string;
  /** Status codes received so far. */
  codes(): number[];
  readonly closed: Promise<void>;
}

async function rawConnection(host: string, port: number): Promise<RawConnection> {
  const socket = connect({ host: OURS, port, localAddress: host });
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  const codes = () => [...text.matchAll(/^SIP\/2\.0 (\d{3})/gm)].map((match) => Number(match[1]));
  return { socket, text: () => text, codes, closed };
}

let lastCall = 0;

function request(method: string, extra: HeaderInit = [], body = ""): string {
  const id = ++lastCall;
  return buildRequest({
    method,
    uri: `sip:${NUMBER}@${OURS}`,
    headers: [
      ["Via", `SIP/2.0/TCP ${CARRIER};rport;branch=z9hG4bKstream${id}`],
      ["From", `<sip:${NUMBER}@carrier.test>;tag=f${id}`],
      ["To", `<sip:${NUMBER}@${OURS}>`],
      ["Call-ID", `stream-${id}`],
      ["CSeq", `1 ${method}`],
      ["Contact", `<sip:raw@${CARRIER};transport=tcp>`],
      ["Max-Forwards", 70],
      ...extra,
    ],
    body,
  });
}

describe("the stack on TCP", () => {
  let stack: SipStack;
  let legs: IncomingLeg[] = [];
  let port: number;

  beforeAll(async () => {
    stack = await startStack(OURS);
    port = stack.localAddress.port;
    stack.onIncoming((leg) => legs.push(leg));
    const peering = { server: CARRIER, transport: "tcp", register: false } as const;
    stack.addTrunk(trunkSettings({ trunkId: 1, ...peering }));
    await Bun.sleep(20);
  });
  afterEach(() => {
    legs = [];
  });
  afterAll(() => stack.close());

  test("listens on the port of UDP and answers on the connection of the request", async () => {
    const peer = await rawConnection(CARRIER, port);
    peer.socket.write(request("OPTIONS"));
    await eventually(() => peer.codes().includes(200), "an answer to OPTIONS");
    expect(peer.text()).toContain(`received=${CARRIER}`);
    peer.socket.destroy();
  });

  test("messages are framed by their length: pipelined, with bodies, byte by byte", async () => {
    const peer = await rawConnection(CARRIER, port);
    const body = "v=0\r\n\r\nOPTIONS sip:x SIP/2.0\r\n\r\nč";
    const typed: HeaderInit = [["Content-Type", "text/plain"]];
    const messages = [request("OPTIONS", typed, body), request("OPTIONS"), request("OPTIONS")];
    peer.socket.write(messages.join("\r\n"));
    await eventually(() => peer.codes().length === 3, "three answers");
    for (const byte of Buffer.from(request("OPTIONS", typed, body))) {
      peer.socket.write(Uint8Array.of(byte));
      if (byte === 10) await Bun.sleep(0);
    }
    await eventually(() => peer.codes().length === 4, "the fourth answer");
    expect(peer.codes()).toEqual([200, 200, 200, 200]);
    peer.socket.destroy();
  });

  test("fifty pings at once are answered, and thousands end the connection", async () => {
    const peer = await rawConnection(STRANGER, port);
    peer.socket.write("\r\n\r\n".repeat(50));
    await eventually(() => peer.text().length === 100, "fifty pongs");
    peer.socket.write("\r\n\r\n".repeat(20_000));
    await peer.closed;
    expect(peer.text().length).toBeLessThan(1_000);
  });

  test("a CRLF ping is answered with a pong, and a lone CRLF is not", async () => {
    const peer = await rawConnection(CARRIER, port);
    peer.socket.write("\r\n");
    peer.socket.write(request("OPTIONS"));
    await eventually(() => peer.codes().length === 1, "the answer");
    const before = peer.text().length;
    peer.socket.write("\r\n\r\n");
    await eventually(() => peer.text().length > before, "the pong");
    expect(peer.text().slice(before)).toBe("\r\n");
    peer.socket.destroy();
  });

  const nobodysLength = request("OPTIONS").replace(/Content-Length: 0\r\n/i, "");
  test.each([
    ["has no Content-Length", nobodysLength],
    ["has two of them", request("OPTIONS").replace("\r\n\r\n", "\r\nl: 5\r\n\r\n")],
    ["has one that is no number", request("OPTIONS").replace(/(Content-Length: )0/i, "$1-1")],
    ["says it is too long", request("OPTIONS").replace(/(Content-Length: )0/i, "$140000")],
    ["never ends its head", `OPTIONS sip:x SIP/2.0\r\n${"X: y\r\n".repeat(6000)}`],
  ])("a connection whose message %s is closed", async (_, bytes) => {
    const peer = await rawConnection(CARRIER, port);
    peer.socket.write(bytes);
    await peer.closed;
    expect(peer.codes()).toEqual([]);
  });

  const first = request("OPTIONS");
  test.each([
    [
      "the rest of a body that its length did not count",
      first.replace("\r\n\r\n", "\r\n\r\na=b\r\n"),
    ],
    ["a message that does not parse", first.replace(/^CSeq.*$/m, "CSeq: x")],
    ["a head without a start line", "neither: this\r\nnor: that\r\n\r\n"],
    ["two Content-Lengths", first.replace("\r\n\r\n", "\r\nl: 5\r\n\r\n")],
    ["no Content-Length", first.replace(/Content-Length: 0\r\n/i, "")],
  ])("a request after %s in the same segment is answered", async (_, broken) => {
    const peer = await rawConnection(CARRIER, port);
    const fine = request("OPTIONS");
    const branch = /z9hG4bKstream\d+/.exec(fine)?.[0] ?? "";
    peer.socket.write(broken + fine);
    await eventually(() => peer.text().includes(`branch=${branch}`), "the answer");
    expect(peer.text().slice(0, peer.text().indexOf(branch))).toContain("SIP/2.0 200");
    peer.socket.destroy();
  });

  test("a request before unframeable bytes in the same segment is answered", async () => {
    const peer = await rawConnection(CARRIER, port);
    peer.socket.write(`${request("OPTIONS")}neither this\r\nnor that\r\n\r\n`);
    await peer.closed;
    expect(peer.codes()).toEqual([200]);
  });

  test("the first of RFC 4475's dblreq is answered", async () => {
    const peer = await rawConnection(CARRIER, port);
    const bytes = readFileSync(join(import.meta.dir, "../support/sip/torture/dblreq.dat"));
    peer.socket.write(bytes);
    await eventually(() => peer.codes().includes(405), "405 to its REGISTER");
    peer.socket.destroy();
  });

  test("lines that end with LF only are read, byte by byte and pipelined", async () => {
    const peer = await rawConnection(CARRIER, port);
    const typed: HeaderInit = [["Content-Type", "text/plain"]];
    const bare = (body = "") =>
      request("OPTIONS", body === "" ? [] : typed, body).replaceAll("\r\n", "\n");
    peer.socket.write(`${bare("two\nlines")}\n${bare()}${request("OPTIONS")}`);
    await eventually(() => peer.codes().length === 3, "three answers");
    for (const byte of Buffer.from(bare())) peer.socket.write(Uint8Array.of(byte));
    await eventually(() => peer.codes().length === 4, "the fourth answer");
    expect(peer.codes()).toEqual([200, 200, 200, 200]);
    peer.socket.destroy();
  });

  test("strangers get no answer, and few connections", async () => {
    const many = await Promise.all(Array.from({ length: 20 }, () => rawConnection(STRANGER, port)));
    let closed = 0;
    for (const peer of many) void peer.closed.then(() => closed++);
    await eventually(() => closed >= 4, "connections above the limit are closed");
    for (const peer of many) peer.socket.write(request("OPTIONS"));
    const carrier = await rawConnection(CARRIER, port);
    carrier.socket.write(request("OPTIONS"));
    await eventually(() => carrier.codes().length === 1, "the carrier is served meanwhile");
    expect(many.flatMap((peer) => peer.codes())).toEqual([]);
    for (const peer of [...many, carrier]) peer.socket.destroy();
  });

  test("a carrier has a connection for each of 100 calls; one address gets at most 128", async () => {
    const open = (count: number) =>
      Promise.all(Array.from({ length: count }, () => rawConnection(CARRIER, port)));
    const many = await open(100);
    for (const peer of many) peer.socket.write(request("OPTIONS"));
    await eventually(() => many.every((peer) => peer.codes().length === 1), "all are served");
    const more = await open(30);
    await Promise.race(more.map(({ closed }) => closed));
    for (const peer of [...many, ...more]) peer.socket.destroy();
    await Promise.all([...many, ...more].map(({ closed }) => closed));
  });

  test.each([
    ["requests", "127.0.6.164", request("OPTIONS")],
    ["responses", "127.0.6.165", request("OPTIONS").replace(/^.*/, "SIP/2.0 200 OK")],
  ])(
    "a stranger's connection with many %s is closed; a carrier's is not",
    async (_, host, text) => {
      const stranger = await rawConnection(host, port);
      stranger.socket.write(text.repeat(100));
      await stranger.closed;
      const carrier = await rawConnection(CARRIER, port);
      for (let sent = 0; sent < 100; sent++) carrier.socket.write(request("OPTIONS"));
      await eventually(() => carrier.codes().length === 100, "the carrier is answered");
      carrier.socket.destroy();
    },
  );

  test("the answer to a call with a broken connection goes over the caller's next one", async () => {
    const first = await rawConnection(CARRIER, port);
    first.socket.write(request("INVITE"));
    await eventually(() => legs.length === 1, "the call");
    first.socket.destroy();
    await first.closed;
    const second = await rawConnection(CARRIER, port);
    second.socket.write(request("OPTIONS"));
    await eventually(() => second.codes().includes(200), "the second connection is known");
    legs[0]?.reject(486);
    await eventually(() => second.codes().includes(486), "the refusal");
    second.socket.destroy();
  });
});

describe("a trunk's connection", () => {
  let stack: SipStack | undefined;
  afterEach(() => stack?.close());

  const register = async (port: number, overrides = {}) => {
    stack = await startStack(OURS);
    const where = { server: CARRIER, port, transport: "tcp" } as const;
    return stack.addTrunk(trunkSettings({ ...where, ...overrides }));
  };

  test("is reopened at once after a loss, and the binding has the listening port", async () => {
    const registrar = await startStreamRegistrar(CARRIER);
    const trunk = await register(registrar.port);
    expect((await settled(trunk)).name).toBe("registered");
    registrar.hangUp();
    await eventually(() => registrar.requests.length === 2, "a second REGISTER");
    const [first, second] = registrar.requests;
    const contact = second?.request.headers.get("contact");
    expect(contact).toContain(`:${stack?.localAddress.port};transport=tcp`);
    expect(contact?.replace(/;expires=\d+/, "")).toBe(
      first?.request.headers.get("contact")?.replace(/;expires=\d+/, "") ?? "",
    );
    await registrar.close();
  });

  test("to a registrar that hangs up after every answer causes no storm", async () => {
    const registrar = await startStreamRegistrar(CARRIER, {
      onAnswered: (socket) => socket.destroy(),
    });
    await register(registrar.port);
    await Bun.sleep(1200);
    expect(registrar.requests.length).toBeLessThanOrEqual(3);
    await registrar.close();
  });

  test("carries the calls of several trunks at the same server", async () => {
    const registrar = await startStreamRegistrar(CARRIER);
    const first = await register(registrar.port);
    const other = { trunkId: 2, username: "1002", server: CARRIER, port: registrar.port };
    const second = stack?.addTrunk(trunkSettings({ ...other, transport: "tcp" }));
    await Promise.all([settled(first), second && settled(second)]);
    expect(new Set(registrar.requests.map(({ socket }) => socket)).size).toBe(1);
    await registrar.close();
  });

  test("refused after the handshake because of a missing client certificate reports that", async () => {
    const ca = testCa(tempDir());
    const wants = { requestCert: true, rejectUnauthorized: true, minVersion: "TLSv1.3" } as const;
    const server = createTlsServer({ ...ca.issue([`IP:${CARRIER}`]), ...wants });
    server.on("tlsClientError", () => {});
    await new Promise<void>((resolve) => server.listen(5062, CARRIER, () => resolve()));
    stack = await startStack(OURS, silentLog, { tlsCa: ca.caPem });
    const status = await settled(
      stack.addTrunk(trunkSettings({ server: CARRIER, port: 5062, transport: "tls" })),
    );
    if (status.name !== "failed") throw new Error(`the trunk is ${status.name}`);
    expect(status.explanation).toContain("a client certificate");
    server.close();
  });

  test("to a closed port, or to a plain-text server with TLS, fails with an explanation", async () => {
    const plain = createServer((socket) => {
      socket.on("error", () => {});
      socket.write("SIP/2.0 400 Bad Request\r\n\r\n");
    });
    await new Promise<void>((resolve) => plain.listen(5061, CARRIER, () => resolve()));
    const refused = await settled(await register(9));
    if (refused.name !== "failed") throw new Error(`the trunk is ${refused.name}`);
    expect(refused.explanation).toContain("refuses connections on port 9");
    const trunk = stack?.addTrunk(
      trunkSettings({ trunkId: 2, server: CARRIER, port: 5061, transport: "tls" }),
    );
    const status = trunk && (await settled(trunk));
    if (status?.name !== "failed") throw new Error(`the trunk is ${status?.name}`);
    expect(status.explanation).toContain("does not support TLS on port 5061");
    plain.close();
  });
});

describe("a stream", () => {
  const open = (clock = fakeClock(), tlsCa: string | null = null) => {
    const heard: string[] = [];
    const intake = new InboundQueue(systemClock);
    const transport = new StreamTransport({
      clock,
      turn: (host) => intake.turn(host),
      log: silentLog,
      localHost: OURS,
      isTrusted: (host) => host === CARRIER,
      isBanned: () => false,
      tlsCa,
      onMessage: (bytes) => heard.push(Buffer.from(bytes).toString()),
      onKeepAlive: () => {},
      onSent: () => {},
    });
    return { clock, transport, heard };
  };

  test.each([
    [1, 1000],
    [60, 20],
  ])(
    "%i with %i messages each at once give others their turn in between",
    async (connections, messages) => {
      const { transport, heard } = open();
      const port = 40_611 + connections;
      await transport.listen({ host: OURS, port });
      const peers = await Promise.all(
        Array.from({ length: connections }, () => rawConnection(CARRIER, port)),
      );
      const sent = peers.map(() => Array.from({ length: messages }, () => request("OPTIONS")));
      let most = 0;
      let before = 0;
      let isOver = false;
      const turn = () => {
        most = Math.max(most, heard.length - before);
        before = heard.length;
        if (!isOver) setImmediate(turn);
      };
      setImmediate(turn);
      for (const [at, peer] of peers.entries()) peer.socket.end((sent[at] ?? []).join(""));
      await eventually(() => heard.length === connections * messages, "all messages");
      isOver = true;
      for (const each of sent) expect(heard.filter((text) => each.includes(text))).toEqual(each);
      expect(most).toBeLessThanOrEqual(2 * TASKS_PER_TURN);
      for (const peer of peers) await peer.closed;
      await transport.close();
    },
  );

  test("of TLS counts for its source before its handshake, and takes no slot of another source", async () => {
    const { transport } = open();
    const ca = testCa(tempDir());
    const bind = { host: OURS, port: 40_614 };
    await transport.listenTls({ bind, ...ca.issue([`IP:${OURS}`]) });
    const silent = await Promise.all(
      Array.from({ length: 20 }, () => rawConnection(STRANGER, bind.port)),
    );
    let closed = 0;
    for (const peer of silent) void peer.closed.then(() => closed++);
    await eventually(() => closed >= 4, "connections above the limit are closed");
    const from = { ...bind, localAddress: CARRIER, ca: ca.caPem };
    const carrier = connectTls(from);
    await new Promise<void>((resolve) => carrier.once("secureConnect", () => resolve()));
    expect(closed).toBe(4);
    for (const { socket } of silent) socket.destroy();
    carrier.destroy();
    await transport.close();
  });

  test("of a trunk's peer is accepted, however many strangers are connected", async () => {
    const { transport } = open();
    const bind = { host: OURS, port: 40_615 };
    await transport.listen(bind);
    const strangers = await Promise.all(
      Array.from({ length: 520 }, (_, index) =>
        rawConnection(`127.0.6.${1 + (index % 40)}`, bind.port),
      ),
    );
    let closed = 0;
    for (const peer of strangers) void peer.closed.then(() => closed++);
    await eventually(() => closed === 8, "strangers above the limit are closed");
    const carrier = await rawConnection(CARRIER, bind.port);
    carrier.socket.write("\r\n\r\n");
    await eventually(() => carrier.text() === "\r\n", "the answer to a ping");
    for (const { socket } of [...strangers, carrier]) socket.destroy();
    await transport.close();
  });

  test("with a message unfinished after 10 s is closed, however slowly the bytes arrive", async () => {
    const { clock, transport } = open();
    await transport.listen({ host: OURS, port: 40_611 });
    const peer = await rawConnection(CARRIER, 40_611);
    let closed = false;
    void peer.closed.then(() => {
      closed = true;
    });
    for (const letter of "OPTIONS s") {
      peer.socket.write(letter);
      await Bun.sleep(5);
      await clock.advance(1000);
    }
    expect(closed).toBe(false);
    await clock.advance(2000);
    await peer.closed;
    await transport.close();
  });

  test("whose peer stops answering pings is closed", async () => {
    let pongs = true;
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", () => {
        if (pongs) socket.write("\r\n");
      });
    });
    await new Promise<void>((resolve) => server.listen(40_612, CARRIER, () => resolve()));
    const { clock, transport } = open();
    const remote = { host: CARRIER, port: 40_612 };
    const flow = await transport.connectionTo({ transport: "TCP", remote, serverName: CARRIER });
    flow.ping();
    await Bun.sleep(30);
    await clock.advance(15_000);
    expect(flow.isOpen).toBe(true);
    pongs = false;
    flow.ping();
    await Bun.sleep(30);
    await clock.advance(10_001);
    expect(flow.isOpen).toBe(false);
    await transport.close();
    server.close();
  });

  test.each([
    ["whose certificate is not for servers", "clientAuth", {}, "cannot be used (INVALID_PURPOSE)"],
    [
      "that wants a certificate of ours",
      undefined,
      { requestCert: true, rejectUnauthorized: true, maxVersion: "TLSv1.2" },
      "a client certificate",
    ],
  ] as const)("to a TLS server %s fails with that explanation", async (_, usage, options, said) => {
    const ca = testCa(tempDir());
    const { transport } = open(fakeClock(), ca.caPem);
    const server = createTlsServer({ ...ca.issue([`IP:${CARRIER}`], usage), ...options });
    server.on("tlsClientError", () => {});
    await new Promise<void>((resolve) => server.listen(40_616, CARRIER, () => resolve()));
    const remote = { host: CARRIER, port: 40_616 };
    const tried = transport.connectionTo({ transport: "TLS", remote, serverName: CARRIER });
    expect(await tried.catch((error) => error.explanation)).toContain(said);
    await transport.close();
    server.close();
  });

  test("over TLS never goes below 1.2", async () => {
    const ca = testCa(tempDir());
    const { transport } = open(fakeClock(), ca.caPem);
    const versions = { minVersion: "TLSv1", maxVersion: "TLSv1.1" } as const;
    const server = createTlsServer({ ...ca.issue([`IP:${CARRIER}`]), ...versions });
    server.on("tlsClientError", () => {});
    await new Promise<void>((resolve) => server.listen(40_613, CARRIER, () => resolve()));
    const remote = { host: CARRIER, port: 40_613 };
    const tried = transport.connectionTo({ transport: "TLS", remote, serverName: CARRIER });
    expect(await tried.catch((error) => error.explanation)).toContain("not support TLS 1.2");
    await transport.close();
    server.close();
  });
});
