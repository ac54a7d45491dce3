/** Service-Route of a registrar's 200 (RFC 3608): the route of a trunk's own requests. */
import { afterEach, expect, test } from "bun:test";
import type { OutgoingLeg, SipStack, Trunk, TrunkSettings } from "../../src/call/sip-port.ts";
import { e164 } from "../../src/core/e164.ts";
import { formatChallenge } from "../../src/sip/digest.ts";
import type { HeaderInit, SipRequest } from "../../src/sip/message/index.ts";
import { eventually } from "../support/eventually.ts";
import { agreeable, type SipPeer, startSipPeer } from "../support/sip/sip-peer.ts";
import { endOf, settled, startStack, trunkSettings } from "../support/sip/sip-stack.ts";

const OURS = "127.0.69.1";
const REGISTRAR = "127.0.69.2";
const EDGE = "127.0.69.3";
/** An address forbidden to trunks. */
const INSIDE = "127.0.69.4";
const RULES = { allowNetworks: [`${REGISTRAR}/32`, `${EDGE}/32`] };

let stack: SipStack | undefined;
const peers: SipPeer[] = [];
afterEach(async () => {
  await stack?.close();
  for (const peer of peers.splice(0)) peer.close();
});

async function peerAt(host: string): Promise<SipPeer> {
  const peer = await startSipPeer({ host });
  peers.push(peer);
  return peer;
}

/** `routes`: of its 200 to each REGISTER, one after the other; the last one stays. */
async function registrarWith(...routes: readonly (readonly string[])[]): Promise<SipPeer> {
  const registrar = await peerAt(REGISTRAR);
  let registers = 0;
  registrar.onRequest = (request, answer, transport) => {
    if (request.method !== "REGISTER") return agreeable(request, answer, transport);
    const route = routes[Math.min(registers++, routes.length - 1)] ?? [];
    const headers: HeaderInit = [
      ["Contact", (request.headers.get("contact") ?? "").replace(/expires=\d+/, "expires=5")],
      ...route.map((each) => ["Service-Route", each] as const),
    ];
    answer({ statusCode: 200, toTag: "registrar", headers });
  };
  return registrar;
}

async function trunkAt(registrar: SipPeer, settings: Partial<TrunkSettings> = {}): Promise<Trunk> {
  stack = await startStack(OURS, undefined, RULES);
  const trunk = stack.addTrunk(
    trunkSettings({ server: REGISTRAR, port: registrar.port, ...settings }),
  );
  expect((await settled(trunk)).name).toBe("registered");
  return trunk;
}

const place = (trunk: Trunk): OutgoingLeg =>
  trunk.place({
    to: e164("+37062222222"),
    from: e164("+37061001001"),
    media: { host: OURS, port: 40_000 },
    ringTimeoutMs: 15_000,
  });

const requestsOf = (peer: SipPeer, method: string): SipRequest[] =>
  peer.requests.filter(({ request }) => request.method === method).map(({ request }) => request);
const routesOf = (request: SipRequest | undefined) => request?.headers.all("route");

test("calls and OPTIONS follow it, in its order; REGISTER does not; a 200 without it removes it", async () => {
  const edge = await peerAt(EDGE);
  const route = [`<sip:in@${EDGE}:${edge.port};lr>`, "<sip:home.provider.test;lr;x=1>"];
  const registrar = await registrarWith(route, []);
  const trunk = await trunkAt(registrar);
  expect((await endOf(place(trunk))).kind).toBe("busy");
  await eventually(() => edge.methods().includes("ACK"), "the ACK of the refusal");
  await trunk.probe();
  await eventually(() => edge.methods().length === 5, "the ACK of the probe's refusal");
  expect(edge.methods()).toEqual(["INVITE", "ACK", "OPTIONS", "INVITE", "ACK"]);
  for (const { request } of edge.requests) expect(routesOf(request)).toEqual(route);
  expect(new Set(registrar.methods())).toEqual(new Set(["REGISTER"]));
  await eventually(() => registrar.requests.length === 2, "the second REGISTER");
  await eventually(() => trunk.registration.name === "registered", "the second 200");
  await endOf(place(trunk));
  for (const { request } of registrar.requests) expect(routesOf(request)).toEqual([]);
  expect(registrar.methods()).toContain("INVITE");
});

test("its first host may differ from the registrar: it gets credentials on a challenge", async () => {
  const edge = await peerAt(EDGE);
  const route = [`<sip:${EDGE}:${edge.port};lr>`, "<sip:home.provider.test;lr>"];
  const challenge = { realm: "edge.test", nonce: "n", opaque: null, qop: "auth" } as const;
  edge.onRequest = (request, answer) => {
    if (request.method === "ACK") return;
    if (request.method === "CANCEL") return answer({ statusCode: 200 });
    if (request.headers.has("proxy-authorization"))
      return answer({ statusCode: 180, toTag: "edge" });
    const asked = formatChallenge({ ...challenge, algorithm: "MD5", stale: false });
    answer({ statusCode: 407, toTag: "edge", headers: [["Proxy-Authenticate", asked]] });
  };
  const trunk = await trunkAt(await registrarWith(route));
  const leg = place(trunk);
  const ringing = new Promise((resolve) => leg.on("ringing", resolve));
  await ringing;
  leg.hangUp();
  await eventually(() => edge.methods().includes("CANCEL"), "the CANCEL");
  expect(edge.methods()).toEqual(["INVITE", "ACK", "INVITE", "CANCEL"]);
  for (const { request } of edge.requests) expect(routesOf(request)).toEqual(route);
});

test.each([
  ["a forbidden address", (port: number) => `<sip:${INSIDE}:${port};lr>`],
  ["a name that leads nowhere", () => "<sip:nowhere.invalid;lr>"],
])("if it begins with %s, requests go to the server with that route in them", async (_, first) => {
  const inside = await peerAt(INSIDE);
  const route = [first(inside.port), "<sip:home.provider.test;lr>"];
  const registrar = await registrarWith(route);
  const trunk = await trunkAt(registrar);
  expect((await endOf(place(trunk))).kind).toBe("busy");
  expect(routesOf(requestsOf(registrar, "INVITE")[0])).toEqual(route);
  expect(inside.requests).toEqual([]);
});

test("an outbound proxy stays the first hop, and gets the route in the request", async () => {
  const proxy = await peerAt(EDGE);
  const route = ["<sip:home.provider.test;lr>"];
  proxy.onRequest = (await registrarWith(route)).onRequest;
  const trunk = await trunkAt(proxy, { outboundProxy: `${EDGE}:${proxy.port}` });
  expect((await endOf(place(trunk))).kind).toBe("busy");
  expect(routesOf(requestsOf(proxy, "INVITE")[0])).toEqual(route);
});

test.each([
  ["a strict router", ["<sip:home.provider.test;lr>", "<sip:strict.provider.test>"]],
  ["no SIP URI", ["<tel:+37061001001>"]],
  ["more hosts than a request carries", Array.from({ length: 11 }, (_, at) => `<sip:h${at};lr>`)],
])("one with %s is ignored", async (_, route) => {
  const registrar = await registrarWith(route);
  const trunk = await trunkAt(registrar);
  expect((await endOf(place(trunk))).kind).toBe("busy");
  expect(routesOf(requestsOf(registrar, "INVITE")[0])).toEqual([]);
});
