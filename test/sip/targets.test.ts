/** Allowed targets of a trunk: the address rules of webhooks also apply to a tenant's SIP addresses. */
import { afterEach, describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import type { SipStack, TrunkProbe, TrunkSettings } from "../../src/call/sip-port.ts";
import { e164 } from "../../src/core/e164.ts";
import { createDns } from "../../src/sip/routing/dns.ts";
import { eventually } from "../support/eventually.ts";
import { type DnsServer, dnsServer } from "../support/net/dns-server.ts";
import { OFFER } from "../support/sip/raw-call.ts";
import { agreeable, type SipPeer, startSipPeer } from "../support/sip/sip-peer.ts";
import { endOf, next, settled, startStack, trunkSettings } from "../support/sip/sip-stack.ts";

const OURS = "127.0.66.1";
const ALLOWED = "127.0.66.2";
const INSIDE = "127.0.66.3";
const ELSEWHERE_INSIDE = "127.0.66.4";
/** Only the carrier's address is allowed. */
const RULES = { allowNetworks: [`${ALLOWED}/32`] };

let stack: SipStack | undefined;
let dns: DnsServer | undefined;
const peers: SipPeer[] = [];
afterEach(async () => {
  await stack?.close();
  dns?.close();
  stack = undefined;
  for (const peer of peers.splice(0)) peer.close();
});

async function peerAt(host: string, transports: "udp" | "tcp" | "both" = "udp"): Promise<SipPeer> {
  const peer = await startSipPeer({ host, transports });
  peers.push(peer);
  return peer;
}

async function trunkWith(settings: Partial<TrunkSettings>, names?: DnsServer) {
  const asked = names && { dns: createDns({ servers: [names.address] }) };
  stack = await startStack(OURS, undefined, RULES, asked);
  return stack.addTrunk(trunkSettings(settings));
}

async function probeOf(settings: Partial<TrunkSettings>): Promise<TrunkProbe> {
  const trunk = await trunkWith({ register: false, ...settings });
  const probe = await trunk.probe();
  await stack?.close();
  return probe;
}

describe("an address forbidden to trunks", () => {
  test("reveals nothing about its ports: open, closed and filtered ones look the same", async () => {
    const open = await peerAt(INSIDE, "tcp");
    const filtered = createServer();
    filtered.maxConnections = 0;
    await new Promise<void>((done) => filtered.listen(0, INSIDE, done));
    const address = filtered.address();
    const filteredPort = typeof address === "object" && address ? address.port : 0;
    const probes: TrunkProbe[] = [];
    for (const port of [open.port, 9, filteredPort])
      probes.push(await probeOf({ server: INSIDE, port, transport: "tcp" }));
    filtered.close();
    // Everything except our own port, which changes each time.
    const said = probes.map(({ local: _, advertised: __, ...rest }) => rest);
    expect(said[0]).toMatchObject({ servers: [], sipCode: null, remote: null });
    expect(said[0]?.problem).toContain("[sip] allow_networks");
    for (const each of said) expect(each).toEqual(said[0] ?? each);
    expect(open.requests).toEqual([]);
  });

  test("is not registered at, and cannot call us", async () => {
    const inside = await peerAt(INSIDE);
    for (const settings of [
      { server: INSIDE, port: inside.port },
      { outboundProxy: `${INSIDE}:${inside.port}` },
    ]) {
      const trunk = await trunkWith(settings);
      expect(await settled(trunk)).toMatchObject({
        name: "failed",
        explanation: expect.stringContaining("Trunks cannot use the address"),
      });
      inside.send(`OPTIONS sip:${OURS} SIP/2.0\r\n\r\n`, stack?.localAddress ?? inside);
      await Bun.sleep(20);
      expect(inside.requests).toEqual([]);
      expect(inside.responses).toEqual([]);
      await stack?.close();
    }
  });

  test("is left out if a name resolves to it and others", async () => {
    const [inside, allowed] = [await peerAt(INSIDE), await peerAt(ALLOWED)];
    dns = await dnsServer("127.0.66.53");
    dns.zone.set("_sip._udp.provider.test", [
      {
        srv: [
          { priority: 10, weight: 1, port: inside.port, name: "a.provider.test" },
          { priority: 20, weight: 1, port: allowed.port, name: "b.provider.test" },
        ],
      },
    ]);
    dns.zone.set("a.provider.test", [[INSIDE]]);
    dns.zone.set("b.provider.test", [[ALLOWED]]);
    const trunk = await trunkWith({ port: 0 }, dns);
    expect((await settled(trunk)).name).toBe("registered");
    expect(allowed.methods()).toEqual(["REGISTER"]);
    expect(inside.methods()).toEqual([]);
  });
});

test("a SIP URI is called through the trunk's own server, whatever its host", async () => {
  const [inside, allowed] = [await peerAt(INSIDE), await peerAt(ALLOWED)];
  const trunk = await trunkWith({ server: ALLOWED, port: allowed.port, register: false });
  const leg = trunk.place({
    to: `sip:desk@${INSIDE}:${inside.port}`,
    from: e164("+37061001001"),
    media: { host: OURS, port: 40_000 },
    ringTimeoutMs: 5_000,
  });
  expect((await endOf(leg)).kind).toBe("busy");
  await eventually(() => allowed.methods().join() === "INVITE,ACK", "the ACK of the refusal");
  const [invite] = allowed.requests;
  expect(invite?.request.uri).toMatchObject({ user: "desk", host: INSIDE, port: inside.port });
  expect(inside.requests).toEqual([]);
});

/** Checks that a call over a server there, with that Contact at its far end, is hung up. */
async function hangUpOf(
  serverHost: string,
  contactOf: (insidePort: number) => string,
  settings: Partial<TrunkSettings> = {},
): Promise<{ readonly server: readonly string[]; readonly inside: readonly string[] }> {
  const [inside, server] = [await peerAt(INSIDE), await peerAt(serverHost)];
  inside.onRequest = agreeable;
  server.onRequest = (request, answer, transport) => {
    if (request.method !== "INVITE") return agreeable(request, answer, transport);
    answer({
      statusCode: 200,
      toTag: "far",
      headers: [
        ["Contact", `<${contactOf(inside.port)}>`],
        ["Content-Type", "application/sdp"],
      ],
      body: OFFER(ALLOWED),
    });
  };
  const trunk = await trunkWith({
    server: serverHost,
    port: server.port,
    register: false,
    ...settings,
  });
  const leg = trunk.place({
    to: e164("+37062222222"),
    from: e164("+37061001001"),
    media: { host: OURS, port: 40_000 },
    ringTimeoutMs: 5_000,
  });
  await next(leg, "answered");
  leg.hangUp();
  const methods = () => [...server.methods(), ...inside.methods()];
  await eventually(() => methods().includes("BYE"), "the BYE");
  return { server: server.methods(), inside: inside.methods() };
}

const BY_THE_SERVER = { server: ["INVITE", "ACK", "BYE"], inside: [] };

async function isHungUpByTheServer(contactOf: (insidePort: number) => string): Promise<void> {
  expect(await hangUpOf(ALLOWED, contactOf)).toEqual(BY_THE_SERVER);
}

test("a phone behind NAT with a private Contact is reached over a public server", async () => {
  const contactOf = (port: number) => `sip:far@${INSIDE}:${port}`;
  expect(await hangUpOf(ALLOWED, contactOf, { setByOperator: true })).toEqual(BY_THE_SERVER);
});

test("in the operator's own network a private Contact is reached directly", async () => {
  const contactOf = (port: number) => `sip:far@${INSIDE}:${port}`;
  const hungUp = await hangUpOf(ELSEWHERE_INSIDE, contactOf, { setByOperator: true });
  expect(hungUp).toEqual({ server: ["INVITE"], inside: ["ACK", "BYE"] });
});

test("a remote party with a forbidden Contact is reached over the server", () =>
  isHungUpByTheServer((port) => `sip:far@${INSIDE}:${port}`));

test.each(["sip:far@[2001:db8::1]:5060", "sip:far@sbc.invalid", "tel:+37062222222"])(
  "so is one with %s, which cannot be reached from here",
  (contact) => isHungUpByTheServer(() => contact),
);
