/** Routing of a request: by our Contact user, the called number, the source and its transport. */
import { expect, test } from "bun:test";
import { silentLog } from "../../src/core/log.ts";
import { CallRouter, type CallRouterDeps } from "../../src/sip/call-router.ts";
import { parseMessage, type SipRequest } from "../../src/sip/message/index.ts";
import type { Flow } from "../../src/sip/transport/flow.ts";
import type { SipTrunk } from "../../src/sip/trunk.ts";
import { TrunkIndex } from "../../src/sip/trunk-index.ts";
import { fakeClock } from "../support/fake-clock.ts";

const CARRIER = "192.0.2.1";
const STRANGER = "198.51.100.1";

interface Stated {
  readonly transport?: "UDP" | "TLS";
  readonly register?: boolean;
  readonly registration?: string;
  readonly extraNetworks?: readonly string[];
}

const trunk = (
  trunkId: number,
  { transport = "UDP", register = true, registration = "registered", extraNetworks }: Stated = {},
) => {
  const legs = new Set<string>();
  const settings = { trunkId, register, username: `account${trunkId}`, extraNetworks };
  const made = {
    settings,
    transport,
    legs,
    contactUser: `contact${trunkId}`,
    registration: { name: registration },
    addresses: [CARRIER],
    owns: (callId: string) => legs.has(callId),
  };
  return made as unknown as SipTrunk & typeof made;
};

function world(trunks: readonly SipTrunk[], more: Partial<CallRouterDeps> = {}) {
  const clock = fakeClock();
  const index = new TrunkIndex();
  for (const each of trunks) {
    index.add(each);
    index.moved(each);
  }
  const router = new CallRouter({
    clock,
    index,
    log: silentLog,
    newCallsPerSecond: 100,
    claims: async () => [],
    onConflict: () => undefined,
    onUnknownSource: () => undefined,
    ...more,
  });
  return { clock, index, router };
}

function request(method: string, user: string, { callId = "c", toTag = "" } = {}): SipRequest {
  const message = parseMessage(
    [
      `${method} sip:${user}@203.0.113.1 SIP/2.0`,
      "Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1",
      "From: <sip:+37060000001@192.0.2.1>;tag=f",
      `To: <sip:${user}@203.0.113.1>${toTag && `;tag=${toTag}`}`,
      `Call-ID: ${callId}`,
      `CSeq: 1 ${method}`,
      "Contact: <sip:192.0.2.1>",
      "Max-Forwards: 70",
      "Content-Length: 0",
      "\r\n",
    ].join("\r\n"),
  );
  if (message.kind !== "request") throw new Error("no request");
  return message;
}

const flow = (host = CARRIER, transport = "UDP") =>
  ({ remote: { host, port: 5060 }, transport }) as Flow;
const NUMBER = "+37061001001";
const inDialog = { toTag: "t" };

test("from unknown sources only requests within our dialogs are admitted", () => {
  const told: string[] = [];
  const onUnknownSource = (_: unknown, host: string) => void told.push(host);
  const { router } = world([trunk(1)], { onUnknownSource });
  const admits = (asked: SipRequest) =>
    [CARRIER, STRANGER].map((host) => router.admits(asked, flow(host)));
  for (const user of [NUMBER, "contact1", "contact2"])
    for (const method of ["INVITE", "OPTIONS", "CANCEL", "REGISTER"])
      expect([method, user, ...admits(request(method, user))]).toEqual([method, user, true, false]);
  for (const method of ["BYE", "INVITE", "ACK"]) {
    expect(admits(request(method, "contact1", inDialog))).toEqual([true, true]);
    expect(admits(request(method, NUMBER, inDialog))).toEqual([true, false]);
  }
  expect(told).toEqual([STRANGER]);
});

test.each(["UDP", "TCP"])("a trunk with TLS accepts nothing over %s", (transport) => {
  const own = trunk(1, { transport: "TLS" });
  const { router } = world([own]);
  own.legs.add("c");
  for (const user of [NUMBER, "contact1"])
    for (const asked of [
      request("INVITE", user),
      request("OPTIONS", user),
      request("BYE", user, inDialog),
    ]) {
      expect(router.admits(asked, flow(CARRIER, transport))).toBe(false);
      expect(router.routeOf(asked, flow(CARRIER, transport))).toBeUndefined();
      expect(router.admits(asked, flow(CARRIER, "TLS"))).toBe(true);
      expect(router.routeOf(asked, flow(CARRIER, "TLS"))).toBe(own);
      if (asked.method === "INVITE")
        expect(router.routeCall(asked, flow(CARRIER, transport))).toEqual({ rejected: 403 });
    }
});

test("of a TLS and a plain trunk at one address, a call without TLS goes to the plain one", () => {
  const [secure, plain] = [trunk(1, { transport: "TLS" }), trunk(2)];
  const { router } = world([secure, plain]);
  expect(router.admits(request("INVITE", NUMBER), flow())).toBe(true);
  expect(router.admits(request("INVITE", "contact1"), flow())).toBe(false);
  expect(router.routeOf(request("BYE", NUMBER, inDialog), flow())).toBe(plain);
});

test("a request within a call goes to the trunk of its Contact user or of its call", () => {
  const [one, two] = [trunk(1), trunk(2)];
  const { router } = world([one, two]);
  two.legs.add("second");
  const routed = (user: string, more = {}) =>
    router.routeOf(request("BYE", user, { ...inDialog, ...more }), flow());
  expect(routed("contact2")).toBe(two);
  expect(routed("contact1", { callId: "second" })).toBe(one);
  expect(routed(NUMBER, { callId: "second" })).toBe(two);
  expect(routed(NUMBER)).toBe(one);
});

test("after a call to our Contact user, numbers are reached one call at a time, until one is acknowledged", () => {
  const own = trunk(1);
  const { router } = world([own]);
  const call = (user: string, callId: string) =>
    router.routeCall(request("INVITE", user, { callId }), flow());
  const taken = { trunk: own, isOwn: true };
  for (const callId of ["a", "b"]) {
    own.legs.add(callId);
    expect(call(NUMBER, callId)).toEqual(taken);
  }
  expect(call("contact1", "c")).toEqual(taken);
  own.legs.add("d");
  expect(call(NUMBER, "d")).toEqual(taken);
  expect(call(NUMBER, "e")).toEqual({ rejected: 403 });
  expect(call("contact1", "f")).toEqual(taken);
  own.legs.delete("d");
  own.legs.add("g");
  expect(call(NUMBER, "g")).toEqual(taken);
  router.answered(own, "d");
  expect(call(NUMBER, "h")).toEqual({ rejected: 403 });
  router.answered(own, "g");
  for (const callId of ["i", "j"]) {
    own.legs.add(callId);
    expect(call(NUMBER, callId)).toEqual(taken);
  }
});

test("a trunk without registration is reached by number up to its cap", () => {
  const own = trunk(1, { register: false, registration: "not_required" });
  const { router } = world([own], { newCallsPerSecond: 2 });
  const call = (callId: string) => router.routeCall(request("INVITE", NUMBER, { callId }), flow());
  router.routeCall(request("INVITE", "contact1"), flow());
  own.legs.add("a").add("b").add("c");
  const taken = { trunk: own, isOwn: true };
  expect(["a", "b", "c"].map(call)).toEqual([taken, taken, taken]);
  expect(call("d")).toEqual({ rejected: 503 });
});

test.each([
  ["the only trunk at its address, registered", ["registered"], NUMBER, true],
  ["the only trunk at its address, a peering", ["not_required"], NUMBER, true],
  ["the only trunk at its address, registering", ["registering"], NUMBER, false],
  ["the only trunk at its address, refused by the carrier", ["failed"], NUMBER, false],
  ["one of two at the address, by number", ["registered", "registered"], NUMBER, false],
  ["one of two at the address, by Contact user", ["registered", "failed"], "contact1", true],
  ["refused by the carrier, by Contact user", ["failed", "registered"], "contact1", false],
] as const)("a call to a trunk that is %s", async (_, registrations, user, isOwn) => {
  const trunks = registrations.map((registration, at) => trunk(at + 1, { registration }));
  const { router } = world(trunks, { claims: async () => [1] });
  const found = await router.routeCall(request("INVITE", user), flow());
  expect(found).toEqual({ trunk: trunks[0] as SipTrunk, isOwn });
});

/** Two of the four trunks are registered. */
test.each([
  ["nobody's", [], { rejected: 480 }, 0],
  ["one's", [2], 2, 0],
  ["one's that is not registered", [3], 3, 0],
  ["two's", [1, 2], { rejected: 480 }, 1],
  ["two's, of whom one is not registered", [2, 3], 2, 0],
  ["two's that are not registered", [3, 4], { rejected: 480 }, 1],
] as const)("a call from a shared address is %s", async (_, claimed, outcome, conflicts) => {
  const trunks = [1, 2, 3, 4].map((id) =>
    trunk(id, { registration: id <= 2 ? "registered" : "failed" }),
  );
  let told = 0;
  const { router } = world(trunks, { claims: async () => claimed, onConflict: () => void told++ });
  const found = await router.routeCall(request("INVITE", NUMBER), flow());
  const wanted =
    typeof outcome === "number" ? { trunk: trunks[outcome - 1], isOwn: false } : outcome;
  expect(found).toEqual(wanted as typeof found);
  expect(told).toBe(conflicts);
});

test("an account name counts only for a trunk whose password the carrier accepted", async () => {
  const asked: boolean[] = [];
  const trunks = [trunk(1), trunk(2, { registration: "failed" })];
  const claims: CallRouterDeps["claims"] = async (_, claiming) => {
    asked.push(...claiming.map(({ isForAccount }) => isForAccount));
    return [];
  };
  const { router } = world(trunks, { claims });
  for (const account of ["account1", "account2"])
    await router.routeCall(request("INVITE", account), flow());
  expect(asked).toEqual([true, false, false, false]);
});

test("while the owner of a call cannot be looked up, the carrier gets a retry", async () => {
  const claims = () => Promise.reject(new Error("the store is away"));
  const { router } = world([trunk(1), trunk(2)], { claims });
  expect(await router.routeCall(request("INVITE", NUMBER), flow())).toEqual({ rejected: 503 });
});

test("a trunk's extra networks are the carrier's, until it is removed", () => {
  const own = trunk(1, { extraNetworks: ["198.51.100.0/31"] });
  const { index, router } = world([own]);
  const admits = (host: string) => router.admits(request("INVITE", NUMBER), flow(host));
  expect(["198.51.100.0", STRANGER, "198.51.100.2", "::ffff:c633:6401"].map(admits)).toEqual([
    true,
    true,
    false,
    false,
  ]);
  index.remove(own);
  expect([STRANGER, CARRIER].map(admits)).toEqual([false, false]);
  expect(index.withContact("contact1")).toBeUndefined();
});

test("an address no longer used by a trunk is a stranger's", () => {
  const own = trunk(1);
  const { index, router } = world([own]);
  expect(router.admits(request("INVITE", NUMBER), flow())).toBe(true);
  Object.assign(own, { addresses: ["192.0.2.2"] });
  index.moved(own);
  const admits = (host: string) => router.admits(request("INVITE", NUMBER), flow(host));
  expect([CARRIER, "192.0.2.2"].map(admits)).toEqual([false, true]);
});

test("a trunk that leaves an address does not affect other trunks, and a new one is included", async () => {
  const [one, two] = [trunk(1), trunk(2)];
  const asked: number[] = [];
  const claims: CallRouterDeps["claims"] = async (_, claiming) => {
    asked.push(claiming.length);
    return [];
  };
  const { index, router } = world([one, two], { claims });
  const call = () => router.routeCall(request("INVITE", NUMBER), flow());
  await call();
  index.add(trunk(3, { extraNetworks: [`${CARRIER}/32`] }));
  await call();
  expect(asked).toEqual([2, 3]);
  const alone = world([one, two]);
  alone.index.remove(one);
  expect(alone.router.routeCall(request("INVITE", NUMBER), flow())).toEqual({
    trunk: two,
    isOwn: true,
  });
});

test("of strangers who use our Contact user sixteen are reported, each once", () => {
  const told: string[] = [];
  const onUnknownSource = (_: unknown, host: string) => void told.push(host);
  const { router } = world([trunk(1)], { onUnknownSource });
  const hosts = Array.from({ length: 17 }, (_, n) => `198.51.100.${n}`);
  for (const host of [...hosts, ...hosts])
    expect(router.admits(request("INVITE", "contact1"), flow(host))).toBe(false);
  expect(told).toEqual(hosts.slice(0, 16));
});
