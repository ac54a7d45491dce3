/** OPTIONS through a trunk, against a scripted remote party. */
import { afterEach, describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import type { SipStack, Trunk } from "../../src/call/sip-port.ts";
import { type ResponseParts, userOf } from "../../src/sip/message/index.ts";
import { assessTrunk, type TrunkCheck } from "../../src/sip/trunk-checks.ts";
import { eventually } from "../support/eventually.ts";
import { type Registrar, startRegistrar } from "../support/sip/registrar.ts";
import { type Answer, agreeable, type SipPeer, startSipPeer } from "../support/sip/sip-peer.ts";
import { settled, startStack, trunkSettings } from "../support/sip/sip-stack.ts";

const OURS = "127.0.6.171";
const FAR = "127.0.6.172";
const SDP = [
  "v=0",
  `o=- 1 1 IN IP4 ${FAR}`,
  "s=-",
  `c=IN IP4 ${FAR}`,
  "t=0 0",
  "m=audio 0 RTP/AVP 18 8 101",
  "a=rtpmap:101 telephone-event/8000",
  "",
].join("\r\n");

let stack: SipStack | undefined;
let far: Registrar | undefined;
let peers: SipPeer[] = [];
afterEach(async () => {
  await stack?.close();
  far?.close();
  for (const peer of peers) peer.close();
  peers = [];
});

async function trunkAt(options: ResponseParts | null, externalIp = "auto"): Promise<Trunk> {
  far = await startRegistrar({
    host: FAR,
    password: () => "pw1001",
    intercept: ({ method }) => {
      if (method === "INVITE") return { statusCode: 404 };
      return method === "OPTIONS" && options ? options : undefined;
    },
  });
  stack = await startStack(OURS, undefined, { externalIp });
  const trunk = stack.addTrunk(trunkSettings({ server: FAR, port: far.port }));
  await settled(trunk);
  return trunk;
}

async function judged(trunk: Trunk, externalIp = "auto") {
  const { settings, registration } = trunk;
  const probe = await trunk.probe();
  const checks = assessTrunk({ settings, registration, probe, codecs: ["PCMA"], externalIp });
  const verdicts = Object.fromEntries(checks.map(({ name, result }) => [name, result]));
  const check = (name: TrunkCheck["name"]) => checks.find((each) => each.name === name);
  return { probe, checks, check, verdicts };
}

test("codecs, digits, transfer and session timers are read from the remote party's response", async () => {
  const headers = [
    ["Allow", "INVITE, ACK, BYE, REFER"],
    ["Supported", "timer, 100rel"],
    ["Content-Type", "application/sdp"],
  ] as const;
  const { probe, verdicts } = await judged(await trunkAt({ statusCode: 200, headers, body: SDP }));
  expect(probe.codecs).toEqual(["G729", "PCMA", "telephone-event"]);
  expect(probe.seenAs?.host).toBe(OURS);
  expect(verdicts).toEqual({
    registration: "ok",
    servers: "ok",
    options: "ok",
    nat: "ok",
    calls: "ok",
    codecs: "ok",
    dtmf: "ok",
    hold: "ok",
    transfer: "ok",
    session_timer: "ok",
  });
});

test("properties not reported by the remote party are unknown, not guessed", async () => {
  const { verdicts } = await judged(await trunkAt({ statusCode: 200 }));
  const rest = { codecs: "unknown", dtmf: "unknown", transfer: "unknown" };
  expect(verdicts).toMatchObject({ options: "ok", ...rest, session_timer: "unknown" });
});

test("a server without OPTIONS counts as alive", async () => {
  const { check } = await judged(await trunkAt({ statusCode: 405 }));
  expect(check("options")).toMatchObject({ result: "ok" });
  expect(check("options")?.finding).toContain("405");
});

test("a wrong [sip] external_ip is detected, and the right one reported", async () => {
  const trunk = await trunkAt({ statusCode: 200 }, "192.0.2.77");
  const { check } = await judged(trunk, "192.0.2.77");
  expect(check("nat")).toMatchObject({ result: "failed" });
  expect(check("nat")?.remedy).toContain(OURS);
});

test("a challenge is answered with the trunk's credentials", async () => {
  const trunk = await trunkAt(null);
  await trunk.probe();
  const asked = far?.requests.filter(({ method }) => method === "OPTIONS") ?? [];
  expect(asked.map(({ headers }) => headers.has("authorization"))).toEqual([false, true]);
});

test("if no connection is accepted, both checks report that and nothing else is sent", async () => {
  const closed = createServer();
  const port = await new Promise<number>((resolve) =>
    closed.listen(0, FAR, () => {
      const address = closed.address();
      closed.close(() => resolve(typeof address === "object" ? (address?.port ?? 9) : 9));
    }),
  );
  stack = await startStack(OURS);
  const trunk = stack.addTrunk(trunkSettings({ server: FAR, port, transport: "tcp" }));
  await settled(trunk);
  const { check, verdicts } = await judged(trunk);
  expect(verdicts).toEqual({
    registration: "failed",
    servers: "failed",
    options: "failed",
    nat: "unknown",
  });
  expect(check("options")?.finding).toContain(`refuses connections on port ${port}`);
});

describe("a test call to an unknown user", () => {
  /** Sends the INVITE to this script; everything else is accepted. */
  const calling = async (onInvite: SipPeer["onRequest"]) => {
    const peer = await startSipPeer({ host: FAR });
    peers.push(peer);
    peer.onRequest = (request, answer, transport) => {
      if (request.method === "INVITE") onInvite(request, answer, transport);
      else if (request.method === "CANCEL" || request.method === "BYE") answer({ statusCode: 200 });
      else agreeable(request, answer, transport);
    };
    stack = await startStack(OURS);
    const trunk = stack.addTrunk(trunkSettings({ server: FAR, port: peer.port }));
    await settled(trunk);
    return { peer, ...(await judged(trunk)) };
  };

  test("goes to a user that is not a number, and a 404 means that calls are accepted", async () => {
    const { peer, check } = await calling((_, answer) => {
      const headers = [["Allow", "INVITE, ACK, BYE, REFER, UPDATE"]] as const;
      answer({ statusCode: 404, toTag: "far", headers });
    });
    expect(check("calls")).toMatchObject({ result: "ok" });
    expect(check("hold")?.finding).toContain("UPDATE");
    expect(check("transfer")).toMatchObject({ result: "ok" });
    const invite = peer.requests.find(({ request }) => request.method === "INVITE")?.request;
    const user = invite ? userOf(invite.uri) : null;
    expect(user).toMatch(/^[a-z-]+$/);
    await eventually(() => peer.methods().at(-1) === "ACK", "the ACK of the refusal");
  });

  test("is cancelled at once if it rings, and hung up at once if it is answered", async () => {
    let invite: Answer = () => {};
    const ringing = await calling((_, answer) => {
      invite = answer;
      answer({ statusCode: 180, toTag: "far" });
      setTimeout(() => invite({ statusCode: 487, toTag: "far" }), 50);
    });
    expect(ringing.peer.methods()).toContain("CANCEL");
    expect(ringing.check("calls")).toMatchObject({ result: "ok" });
    await stack?.close();
    for (const peer of peers.splice(0)) peer.close();
    const answered = await calling((_, answer) =>
      answer({ statusCode: 200, toTag: "far", body: "" }),
    );
    await eventually(() => answered.peer.methods().includes("BYE"), "the BYE");
    expect(answered.check("calls")).toMatchObject({ result: "ok" });
  });

  test.each([
    [403, "warning"],
    [488, "failed"],
    [503, "warning"],
    [484, "ok"],
  ] as const)("%d is %s, with an explanation", async (statusCode, result) => {
    const { check } = await calling((_, answer) => answer({ statusCode, toTag: "far" }));
    expect(check("calls")).toMatchObject({ result });
    expect((check("calls")?.remedy !== null) === (result !== "ok")).toBe(true);
  });
});
