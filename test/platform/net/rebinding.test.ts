/**
 * The guarded client against names that lie: a real DNS server, real sockets. The system's own resolver
 * (getaddrinfo) cannot be pointed at a port, so the client is given one that asks ours over UDP;
 * everything behind the look-up is as in production.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import net from "node:net";
import {
  type OutboundHttpClient,
  SafeHttpClient,
} from "../../../src/platform/net/outbound-http.ts";
import { OutboundHttpError } from "../../../src/platform/net/outbound-http-error.ts";
import { type DnsAnswer, type DnsServer, dnsServer } from "../../support/net/dns-server.ts";
import { answer, type HttpsReceiver, httpsReceiver } from "../../support/net/https-receiver.ts";
import { testCa } from "../../support/net/test-ca.ts";
import { tempDir } from "../../support/temp-dir.ts";

/** Stands for a public address: the operator lists it. */
const PUBLIC = "127.44.0.1";
const INSIDE = "127.0.0.1";
/** Those that our receiver has a certificate for, so that only the address can refuse them. */
const NAMES = ["rebind", "later", "flip", "mixed", "kept", "closed"];

const ca = testCa(tempDir());
let dns: DnsServer;
let receiver: HttpsReceiver;
let inside: net.Server;
let reachedInside = 0;
let client: OutboundHttpClient;

beforeAll(async () => {
  dns = await dnsServer();
  const certificate = ca.issue(NAMES.map((name) => `DNS:${name}.test`));
  inside = net.createServer((socket) => {
    reachedInside++;
    socket.destroy();
  });
  // The same port on both addresses: another program may have it on one of them.
  do {
    await receiver?.close();
    receiver = await httpsReceiver(certificate, answer(200), PUBLIC);
  } while (!(await listens(inside, receiver.port)));
  client = new SafeHttpClient({
    allowNetworks: [`${PUBLIC}/32`],
    caPem: ca.caPem,
    resolve: dns.resolve,
  });
});
afterAll(async () => {
  dns.close();
  inside.close();
  await receiver.close();
});

/** False: the port is in use. */
const listens = (server: net.Server, port: number) =>
  new Promise<boolean>((done) => {
    server.once("error", () => done(false));
    server.listen(port, INSIDE, () => done(true));
  });

/** The status, or how it failed. */
async function outcomeOf(
  name: string,
  timeoutMs = 5000,
  mayReuse = false,
): Promise<number | string> {
  try {
    const response = await client.request({
      method: "POST",
      url: `https://${name}:${receiver.port}/`,
      headers: {},
      body: "{}",
      timeoutMs,
      responseBytesMax: 1000,
      mayReuse,
    });
    return response.status;
  } catch (error) {
    if (!(error instanceof OutboundHttpError)) throw error;
    return error.failure;
  }
}

describe("a name that rebinds", () => {
  test("between check and connection finds no second look-up to lie to", async () => {
    dns.zone.set("rebind.test", [[PUBLIC], [INSIDE]]);
    expect(await outcomeOf("rebind.test")).toBe(200);
    expect(dns.lookups("rebind.test")).toBe(1);
    expect(reachedInside).toBe(0);
  });

  test("between two requests is refused in the second: no connection is kept or reused", async () => {
    dns.zone.set("later.test", [[PUBLIC], [INSIDE], [PUBLIC]]);
    expect(await outcomeOf("later.test")).toBe(200);
    expect(await outcomeOf("later.test")).toBe("blocked_address");
    expect(await outcomeOf("later.test")).toBe(200);
    expect(reachedInside).toBe(0);
  });

  test("while a checked connection is kept goes on where that leads, and is judged again after it", async () => {
    dns.zone.set("kept.test", [[PUBLIC], [INSIDE]]);
    const heard = receiver.connections();
    for (let n = 0; n < 5; n++) expect(await outcomeOf("kept.test", 5000, true)).toBe(200);
    expect(receiver.connections() - heard).toBe(1);
    expect(dns.lookups("kept.test")).toBe(1);
    const giveUpAt = performance.now() + 20_000;
    let outcome: number | string = 200;
    while (outcome === 200 && performance.now() < giveUpAt) {
      await Bun.sleep(1500);
      outcome = await outcomeOf("kept.test", 5000, true);
    }
    expect(outcome).toBe("blocked_address");
    expect(reachedInside).toBe(0);
  });

  test("and closes its kept connection: the request is sent again over a new, checked one", async () => {
    dns.zone.set("closed.test", [[PUBLIC], [PUBLIC], [PUBLIC], [INSIDE]]);
    expect(await outcomeOf("closed.test", 5000, true)).toBe(200);
    receiver.respond = (_request, response) => {
      receiver.respond = answer(200);
      response.socket?.destroy(); // heard on the kept connection, and no answer
    };
    expect(await outcomeOf("closed.test", 5000, true)).toBe(200);
    expect(dns.lookups("closed.test")).toBe(2);
    expect(await outcomeOf("closed.test", 5000, true)).toBe(200);
    receiver.respond = (_request, response) => {
      receiver.respond = answer(200);
      response.socket?.destroy();
    };
    expect(await outcomeOf("closed.test", 5000, true)).toBe("blocked_address");
    expect(reachedInside).toBe(0);
  });

  test("back and forth, twenty times, never leads inside", async () => {
    const flips = Array.from({ length: 20 }, (_, index) => [index % 2 === 0 ? PUBLIC : INSIDE]);
    dns.zone.set("flip.test", flips);
    const outcomes: (number | string)[] = [];
    for (const _ of flips) outcomes.push(await outcomeOf("flip.test"));
    expect(outcomes).toEqual(flips.map(([to]) => (to === PUBLIC ? 200 : "blocked_address")));
    expect(reachedInside).toBe(0);
  });
});

const INTERNAL: readonly (readonly [string, DnsAnswer])[] = [
  ["loopback", [INSIDE]],
  ["IPv6 loopback", ["::1"]],
  ["mapped loopback", [`::ffff:${INSIDE}`]],
  ["NAT64 of loopback", [`64:ff9b::${INSIDE}`]],
  ["v4-compatible loopback", [`::${INSIDE}`]],
  ["private", ["10.0.0.1"]],
  ["metadata", ["169.254.169.254"]],
  ["IPv6 metadata", ["fd00:ec2::254"]],
  ["unspecified, which connects to this machine", ["0.0.0.0", "::"]],
  ["both families of the inside", [INSIDE, "::1"]],
  ["an alias of the inside", { alias: "localhost", to: [INSIDE] }],
];

describe("an answer", () => {
  test.each([...INTERNAL])("of %s is refused", async (what, zoneAnswer) => {
    const name = `${what.replace(/[^a-z0-9]/gi, "-").toLowerCase()}.test`;
    dns.zone.set(name, [zoneAnswer]);
    expect(await outcomeOf(name)).toBe("blocked_address");
    expect(dns.lookups(name)).toBe(1);
    expect(reachedInside).toBe(0);
  });

  test("that mixes inside and outside only ever leads outside, in whatever order", async () => {
    const mixed = [
      [INSIDE, PUBLIC],
      [PUBLIC, INSIDE],
      ["::1", "fe80::1", PUBLIC],
      [`::ffff:${INSIDE}`, PUBLIC, "10.0.0.1"],
    ];
    dns.zone.set("mixed.test", mixed);
    for (const _ of mixed) expect(await outcomeOf("mixed.test")).toBe(200);
    expect(reachedInside).toBe(0);
  });

  test("that mixes in a closed port outside does not fall back inside", async () => {
    dns.zone.set("fallback.test", [["127.44.0.2", INSIDE]]);
    const wider = new SafeHttpClient({
      allowNetworks: ["127.44.0.2/32"],
      caPem: ca.caPem,
      resolve: dns.resolve,
    });
    const request = wider.request({
      method: "POST",
      url: `https://fallback.test:${receiver.port}/`,
      headers: {},
      body: "{}",
      timeoutMs: 5000,
      responseBytesMax: 100,
    });
    await expect(request).rejects.toMatchObject({ failure: "connection_failed" });
    expect(reachedInside).toBe(0);
  });

  test.each([
    ["no such name", "name_not_found"],
    ["server failure", "name_not_found"],
    ["silence", "timeout"],
    ["junk", "name_not_found"],
  ] as const)("of %s fails in words", async (how, failure) => {
    const name = `${how.replaceAll(" ", "-")}.test`;
    dns.zone.set(name, [how]);
    expect(await outcomeOf(name, 500)).toBe(failure);
  });

  test("is asked for again for each name's odd spelling: case and a final dot change nothing", async () => {
    dns.zone.set("spelled.test", [[INSIDE]]);
    for (const spelling of ["SPELLED.test", "spelled.test.", "sPeLLeD.TEST"])
      expect(await outcomeOf(spelling)).toBe("blocked_address");
    expect(reachedInside).toBe(0);
  });
});
