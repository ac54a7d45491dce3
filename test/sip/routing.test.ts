/** RFC 3263 over a real DNS server and real sockets: the target of a trunk's requests, and failover. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { OutgoingLeg, SipStack, Trunk, TrunkSettings } from "../../src/call/sip-port.ts";
import { e164 } from "../../src/core/e164.ts";
import { systemRandom } from "../../src/core/random.ts";
import type { ResponseParts } from "../../src/sip/message/index.ts";
import { createDns, type SipDns } from "../../src/sip/routing/dns.ts";
import { Locator } from "../../src/sip/routing/locator.ts";
import { eventually } from "../support/eventually.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { type DnsServer, dnsServer } from "../support/net/dns-server.ts";
import { type Answer, agreeable, type SipPeer, startSipPeer } from "../support/sip/sip-peer.ts";
import { endOf, next, settled, startStack, trunkSettings } from "../support/sip/sip-stack.ts";

const OURS = "127.0.61.1";
const FIRST = "127.0.61.2";
const SECOND = "127.0.61.3";
const DOMAIN = "provider.test";
const MEDIA = { host: OURS, port: 40_000 };
const SDP = `v=0\r\no=- 1 1 IN IP4 ${SECOND}\r\ns=-\r\nc=IN IP4 ${SECOND}\r\nt=0 0\r\nm=audio 30000 RTP/AVP 8\r\n`;

const answered = (peer: SipPeer): ResponseParts => ({
  statusCode: 200,
  toTag: "far",
  headers: [
    ["Contact", `<sip:far@${peer.host}:${peer.port}>`],
    ["Content-Type", "application/sdp"],
  ],
  body: SDP,
});

let dns: DnsServer;
let stack: SipStack | undefined;
let peers: SipPeer[] = [];

beforeEach(async () => {
  dns = await dnsServer("127.0.61.53");
});
afterEach(async () => {
  await stack?.close();
  stack = undefined;
  for (const peer of peers) peer.close();
  peers = [];
  dns.close();
});

async function peerAt(...input: Parameters<typeof startSipPeer>): Promise<SipPeer> {
  const peer = await startSipPeer(...input);
  peers.push(peer);
  return peer;
}

async function trunkWith(overrides: Partial<TrunkSettings> = {}): Promise<Trunk> {
  const asked = createDns({ servers: [dns.address] });
  stack ??= await startStack(OURS, undefined, {}, { dns: asked });
  return stack.addTrunk(trunkSettings({ server: DOMAIN, port: 0, ...overrides }));
}

const place = (trunk: Trunk): OutgoingLeg =>
  trunk.place({
    to: e164("+37062222222"),
    from: e164("+37061001001"),
    media: MEDIA,
    ringTimeoutMs: 30_000,
  });

/** Both peers behind `_sip._<transport>`, the first preferred. */
function publish(transport: "udp" | "tcp", first: SipPeer, second: SipPeer): void {
  const record = (priority: number, peer: SipPeer, name: string) => ({
    priority,
    weight: 10,
    port: peer.port,
    name,
  });
  dns.zone.set(`_sip._${transport}.${DOMAIN}`, [
    { srv: [record(20, second, "b.provider.test"), record(10, first, "a.provider.test")] },
  ]);
  dns.zone.set("a.provider.test", [[first.host]]);
  dns.zone.set("b.provider.test", [[second.host]]);
}

describe("targets of a trunk's requests", () => {
  test("SRV: to the server of the lowest priority, at its port", async () => {
    const first = await peerAt({ host: FIRST });
    const second = await peerAt({ host: SECOND });
    publish("udp", first, second);
    expect((await settled(await trunkWith())).name).toBe("registered");
    expect(first.methods()).toEqual(["REGISTER"]);
    expect(second.methods()).toEqual([]);
  });

  test("a given port needs no SRV, an IP address no query at all", async () => {
    const first = await peerAt({ host: FIRST });
    dns.zone.set(DOMAIN, [[first.host]]);
    expect((await settled(await trunkWith({ port: first.port }))).name).toBe("registered");
    expect(dns.lookups(`_sip._udp.${DOMAIN}`, "SRV")).toBe(0);
    const direct = await trunkWith({ trunkId: 2, server: FIRST, port: first.port });
    expect((await settled(direct)).name).toBe("registered");
    expect(dns.lookups(FIRST)).toBe(0);
  });

  test("a name without SRV is looked up directly, with the default port", async () => {
    const peer = await peerAt({ host: FIRST, port: 5060 });
    dns.zone.set(DOMAIN, [[FIRST]]);
    expect((await settled(await trunkWith())).name).toBe("registered");
    expect(peer.methods()).toEqual(["REGISTER"]);
  });

  test("transport auto: NAPTR chooses, and Via and Contact have the chosen one", async () => {
    const first = await peerAt({ host: FIRST, transports: "tcp" });
    const service = { flags: "s", preference: 50 };
    dns.zone.set(DOMAIN, [
      {
        naptr: [
          { ...service, order: 20, service: "SIP+D2U", replacement: `_sip._udp.${DOMAIN}` },
          { ...service, order: 10, service: "SIP+D2T", replacement: `_sip._tcp.${DOMAIN}` },
        ],
      },
    ]);
    publish("tcp", first, first);
    expect((await settled(await trunkWith({ transport: "auto" }))).name).toBe("registered");
    const [registered] = first.requests;
    expect(registered?.request.via.transport).toBe("TCP");
    expect(registered?.request.headers.get("contact")).toContain("transport=tcp");
  });

  test("[sip] outbound_proxy gets the requests of trunks without one", async () => {
    const proxy = await peerAt({ host: FIRST });
    const own = await peerAt({ host: SECOND });
    const outboundProxy = `${proxy.host}:${proxy.port}`;
    stack = await startStack(OURS, undefined, { outboundProxy });
    const trunk = stack.addTrunk(trunkSettings({ server: DOMAIN }));
    expect((await settled(trunk)).name).toBe("registered");
    expect(proxy.methods()).toEqual(["REGISTER"]);
    const other = stack.addTrunk(
      trunkSettings({ trunkId: 2, outboundProxy: `${own.host}:${own.port}` }),
    );
    expect((await settled(other)).name).toBe("registered");
    expect(own.methods()).toEqual(["REGISTER"]);
  });

  test("every address of a trunk may call us, not only the preferred one", async () => {
    const first = await peerAt({ host: FIRST });
    const second = await peerAt({ host: SECOND });
    publish("udp", first, second);
    await trunkWith({ register: false });
    const { port } = stack?.localAddress ?? { port: 0 };
    const options = [
      `OPTIONS sip:${OURS} SIP/2.0`,
      `Via: SIP/2.0/UDP ${SECOND}:${second.port};branch=z9hG4bKsecond`,
      `From: <sip:x@${DOMAIN}>;tag=1`,
      `To: <sip:y@${DOMAIN}>`,
      ...["Call-ID: second", "CSeq: 1 OPTIONS", "Max-Forwards: 70", "Content-Length: 0", "", ""],
    ].join("\r\n");
    await eventually(() => {
      second.send(options, { host: OURS, port });
      return second.responses.some(({ statusCode }) => statusCode === 200);
    }, "an answer for the second server");
  });
});

describe("failover between servers", () => {
  const twoServers = async (onFirst: (answer: Answer) => void) => {
    const first = await peerAt({ host: FIRST });
    const second = await peerAt({ host: SECOND });
    publish("udp", first, second);
    first.onRequest = (request, answer) => {
      if (request.method !== "ACK") onFirst(answer);
    };
    return { first, second };
  };

  test("after 503 INVITE, REGISTER and OPTIONS go to the next server, and the first is avoided for a while", async () => {
    const { first, second } = await twoServers((answer) => answer({ statusCode: 503, toTag: "a" }));
    const trunk = await trunkWith();
    expect((await settled(trunk)).name).toBe("registered");
    expect(first.methods()).toEqual(["REGISTER"]);
    expect(await endOf(place(trunk))).toMatchObject({ kind: "busy", sipCode: 486 });
    expect((await trunk.probe()).sipCode).toBe(200);
    expect(first.methods()).toEqual(["REGISTER"]);
    expect(second.methods().filter((method) => method !== "ACK")).toEqual([
      // The probe's own test call is the last.
      ...["REGISTER", "INVITE", "OPTIONS", "INVITE"],
    ]);
  });

  test("an INVITE refused with 503 is acknowledged there, and one call rings at the next server", async () => {
    const { first, second } = await twoServers((answer) => answer({ statusCode: 503, toTag: "a" }));
    const trunk = await trunkWith({ register: false });
    second.onRequest = (request, answer) => {
      if (request.method === "INVITE") answer(answered(second));
      else if (request.method !== "ACK") answer({ statusCode: 200 });
    };
    const leg = place(trunk);
    await next(leg, "answered");
    await eventually(() => first.methods().join() === "INVITE,ACK", "the ACK of the refusal");
    await eventually(() => second.methods().join() === "INVITE,ACK", "the ACK of the answer");
    const [ours, theirs] = [first, second].map(({ requests }) => requests[0]?.request);
    expect(theirs?.callId).toBe(ours?.callId ?? "");
    expect(theirs?.via.parameters.get("branch")).not.toBe(ours?.via.parameters.get("branch"));
    leg.hangUp();
    await eventually(() => second.methods().includes("BYE"), "the BYE");
  });

  test("hung up during failover: CANCEL goes to the server with the call", async () => {
    const { first, second } = await twoServers((answer) => answer({ statusCode: 503, toTag: "a" }));
    const trunk = await trunkWith({ register: false });
    let refuse: Answer = () => {};
    second.onRequest = (request, answer) => {
      if (request.method === "INVITE") {
        refuse = answer;
        const contact = ["Contact", `<sip:far@${SECOND}>`] as const;
        answer({ statusCode: 180, toTag: "far", headers: [contact] });
      } else if (request.method === "CANCEL") {
        answer({ statusCode: 200, toTag: "far" });
        refuse({ statusCode: 487, toTag: "far" });
      }
    };
    const leg = place(trunk);
    await next(leg, "ringing");
    const end = endOf(leg);
    leg.hangUp();
    expect(await end).toMatchObject({ kind: "cancelled", sipCode: 487 });
    await eventually(() => second.methods().join() === "INVITE,CANCEL,ACK", "the ACK of the 487");
    expect(first.methods()).toEqual(["INVITE", "ACK"]);
  });

  test("silence moves INVITE and REGISTER on; a late answer of the first rings no second phone", async () => {
    const late: Answer[] = [];
    const { first, second } = await twoServers((answer) => late.push(answer));
    const registered = await trunkWith();
    const calling = await trunkWith({ trunkId: 2, register: false });
    const leg = place(calling);
    second.onRequest = (request, answer) => {
      if (request.method === "INVITE") answer(answered(second));
      else agreeable(request, answer, "UDP");
    };
    await next(leg, "answered");
    expect((await settled(registered)).name).toBe("registered");
    const invites = first.methods().filter((method) => method === "INVITE").length;
    expect(invites).toBeGreaterThan(3);
    for (const answer of late) answer(answered(first));
    await eventually(() => first.methods().includes("BYE"), "the second call is hung up");
    expect(first.methods().filter((method) => method === "BYE")).toHaveLength(1);
    expect(second.methods()).not.toContain("BYE");
  }, 30_000);

  test("a refused connection moves it on at once", async () => {
    const first = await peerAt({ host: FIRST, transports: "tcp" });
    const second = await peerAt({ host: SECOND, transports: "tcp" });
    publish("tcp", first, second);
    first.close();
    expect((await settled(await trunkWith({ transport: "tcp" }))).name).toBe("registered");
    expect(second.methods()).toEqual(["REGISTER"]);
  });

  test("a refused datagram moves REGISTER and INVITE on at once", async () => {
    const { first, second } = await twoServers(() => {});
    first.close();
    expect((await settled(await trunkWith())).name).toBe("registered");
    expect(second.methods()).toEqual(["REGISTER"]);
    // A stack that has not met the dead server yet.
    await stack?.close();
    stack = undefined;
    const calling = await trunkWith({ trunkId: 2, register: false });
    expect(await endOf(place(calling))).toMatchObject({ kind: "busy", sipCode: 486 });
  }, 10_000);

  test("so does a server that is unreachable from here", async () => {
    const second = await peerAt({ host: SECOND });
    // From a loopback address no packet leaves the machine.
    publish("udp", { ...second, host: "192.0.2.1" }, second);
    const trunk = await trunkWith({ setByOperator: true });
    expect((await settled(trunk)).name).toBe("registered");
    expect(second.methods()).toEqual(["REGISTER"]);
  }, 10_000);

  test("a slow server keeps its call while another one refuses datagrams", async () => {
    const late: Answer[] = [];
    const { second } = await twoServers((answer) => late.push(answer));
    const trunk = await trunkWith({ register: false });
    const gone = await peerAt({ host: FIRST });
    gone.close();
    const leg = place(trunk);
    await eventually(() => late.length > 0, "the INVITE");
    const { host, port } = gone;
    await trunkWith({ trunkId: 2, server: host, port });
    await eventually(() => late.length > 2, "two repeats of the INVITE");
    const end = endOf(leg);
    late[0]?.({ statusCode: 486, toTag: "far" });
    expect(await end).toMatchObject({ kind: "busy", sipCode: 486 });
    expect(second.methods()).toEqual([]);
  });

  test("a call answered by a server (100 or more) stays there when datagrams are refused", async () => {
    const { first, second } = await twoServers((answer) => answer({ statusCode: 100 }));
    const trunk = await trunkWith({ register: false });
    const leg = place(trunk);
    await eventually(() => first.methods().includes("INVITE"), "the INVITE");
    const { host, port } = first;
    first.close();
    const other = await trunkWith({ trunkId: 2, server: host, port });
    await Bun.sleep(1200);
    expect([other.registration.name, second.methods()]).toEqual(["registering", []]);
    const back = await peerAt({ host, port });
    leg.hangUp();
    await eventually(() => back.methods().includes("CANCEL"), "the CANCEL");
  });

  test("a name with several addresses and no SRV: each is tried, over UDP and over TCP", async () => {
    const second = await peerAt({ host: SECOND, transports: "both" });
    dns.zone.set(DOMAIN, [[FIRST, SECOND]]);
    const { port } = second;
    const trunks = [
      await trunkWith({ port, transport: "tcp" }),
      await trunkWith({ trunkId: 2, port, transport: "udp" }),
    ];
    for (const trunk of trunks) expect((await settled(trunk)).name).toBe("registered");
    expect(second.requests.map(({ transport }) => transport).sort()).toEqual(["TCP", "UDP"]);
  }, 30_000);

  test("no server left: the call ends, with an explanation", async () => {
    await twoServers((answer) => answer({ statusCode: 503, toTag: "a" }));
    const trunk = await trunkWith({ register: false, server: "nowhere.test" });
    const end = await endOf(place(trunk));
    expect(end.kind).toBe("transport_failed");
    expect(trunk.registration.name).toBe("not_required");
    expect((await trunk.probe()).problem).toContain("nowhere.test");
  });
});

describe("DNS results", () => {
  const located = async (asked: SipDns) => {
    const clock = fakeClock();
    const locator = new Locator({ clock, random: systemRandom, reaches: () => true, dns: asked });
    const find = async () => {
      const targets = await locator.find({ host: DOMAIN, port: 5070, transport: "UDP" });
      return targets.map(({ remote }) => remote.host);
    };
    return { clock, find };
  };

  test.each([
    ["below 30 s counts as 30 s", 1, 29, 31],
    ["holds as long as it says", 120, 119, 121],
    ["above 5 min counts as 5 min", 60_000, 299, 301],
  ])("a TTL %s", async (_, ttl, holdsSec, overSec) => {
    const answers = [FIRST, SECOND];
    const none = async () => [];
    // The resolver behind node:dns caches by the real clock, so it is not used here.
    const { clock, find } = await located({
      naptr: none,
      srv: none,
      addresses: async () => ({ addresses: [answers.shift() ?? ""], ttlSeconds: ttl }),
    });
    expect(await find()).toEqual([FIRST]);
    await clock.advance(holdsSec * 1000);
    expect(await find()).toEqual([FIRST]);
    await clock.advance((overSec - holdsSec) * 1000);
    expect(await find()).toEqual([SECOND]);
  });

  test("the TTL of addresses comes through the resolver", async () => {
    dns.ttl = 77;
    dns.zone.set(DOMAIN, [[FIRST]]);
    const asked = createDns({ servers: [dns.address] });
    expect(await asked.addresses(DOMAIN)).toEqual({ addresses: [FIRST], ttlSeconds: 77 });
  });

  test("stay valid while DNS fails", async () => {
    dns.zone.set(DOMAIN, [[FIRST], "server failure"]);
    const { clock, find } = await located(createDns({ servers: [dns.address] }));
    expect(await find()).toEqual([FIRST]);
    await clock.advance(40_000);
    expect(await find()).toEqual([FIRST]);
  });
});
