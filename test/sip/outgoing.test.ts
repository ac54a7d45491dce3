/** Outbound calls to a remote party with scripted messages. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { OutgoingLeg, SipStack, TrunkSettings } from "../../src/call/sip-port.ts";
import { e164 } from "../../src/core/e164.ts";
import { type Challenge, formatChallenge, parseCredentials } from "../../src/sip/digest.ts";
import {
  buildRequest,
  formatUri,
  type ResponseParts,
  type SipRequest,
} from "../../src/sip/message/index.ts";
import type { SipSettings } from "../../src/sip/stack.ts";
import { eventually } from "../support/eventually.ts";
import { OFFER } from "../support/sip/raw-call.ts";
import { type Answer, agreeable, type SipPeer, startSipPeer } from "../support/sip/sip-peer.ts";
import { endOf, next, settled, startStack, trunkSettings } from "../support/sip/sip-stack.ts";

const OURS = "127.0.63.1";
const FAR = "127.0.63.2";
const MEDIA = { host: OURS, port: 40_000 };

let stack: SipStack;
let peer: SipPeer;
type Script = (request: SipRequest, answer: Answer) => void;

beforeEach(async () => {
  peer = await startSipPeer({ host: FAR });
});
afterEach(async () => {
  await stack.close();
  peer.close();
});

async function start(
  script: Script,
  settings: Partial<TrunkSettings> = {},
  more: Partial<SipSettings> = {},
): Promise<void> {
  peer.onRequest = (request, answer) => {
    if (request.method === "BYE" || request.method === "CANCEL") answer({ statusCode: 200 });
    else if (request.method !== "ACK") script(request, answer);
  };
  stack = await startStack(OURS, undefined, more);
  const register = { register: false };
  stack.addTrunk(trunkSettings({ server: FAR, port: peer.port, ...register, ...settings }));
  await Bun.sleep(20);
}

function place(ringTimeoutMs = 15_000): OutgoingLeg {
  const trunk = stack.trunk(1);
  if (!trunk) throw new Error("no trunk");
  const [to, from] = [e164("+37062222222"), e164("+37061001001")];
  return trunk.place({ to, from, media: MEDIA, ringTimeoutMs });
}

const contact = () => ["Contact", `<sip:far@${FAR}:${peer.port}>`] as const;
const withSdp = (statusCode: number, toTag = "far", port = 30_000): ResponseParts => ({
  statusCode,
  toTag,
  headers: [contact(), ["Content-Type", "application/sdp"]],
  body: OFFER(FAR, port),
});

const challenge = (realm: string, nonce: string, more: Partial<Challenge> = {}): Challenge => ({
  realm,
  nonce,
  opaque: null,
  qop: "auth",
  algorithm: "SHA-256",
  stale: false,
  ...more,
});
const asked = (statusCode: 401 | 407, ...challenges: Challenge[]): ResponseParts => ({
  statusCode,
  toTag: "challenge",
  headers: challenges.map(
    (each) =>
      [
        statusCode === 401 ? "WWW-Authenticate" : "Proxy-Authenticate",
        formatChallenge(each),
      ] as const,
  ),
});

const proofs = ({ headers }: SipRequest) =>
  (["authorization", "proxy-authorization"] as const).map((field) => {
    const proof = parseCredentials(headers.get(field) ?? "");
    return proof && `${proof.realm} ${proof.nonce} ${Number.parseInt(proof.nc, 16)}`;
  });

describe("challenges", () => {
  /** 401 first, then 407, then success. */
  const twice: Script = (request, answer) => {
    const [server, proxy] = proofs(request);
    if (!server) answer(asked(401, challenge("home", "n1")));
    else if (!proxy) answer(asked(407, challenge("edge", "n2")));
    else if (request.method === "INVITE") answer(withSdp(200));
    else agreeable(request, answer, "UDP");
  };

  test("401 and then 407 on one INVITE are both answered, with continued counts", async () => {
    await start(twice);
    await next(place(), "answered");
    const invites = peer.requests.filter(({ request }) => request.method === "INVITE");
    expect(invites.map(({ request }) => proofs(request))).toEqual([
      [undefined, undefined],
      ["home n1 1", undefined],
      ["home n1 2", "edge n2 1"],
    ]);
    expect(invites.map(({ request }) => request.cseq.number)).toEqual([1, 2, 3]);
    expect(new Set(invites.map(({ request }) => request.callId)).size).toBe(1);
  });

  test("the same on one REGISTER", async () => {
    await start(twice, { register: true });
    const trunk = stack.trunk(1);
    if (!trunk) throw new Error("no trunk");
    expect((await settled(trunk)).name).toBe("registered");
    expect(peer.methods()).toEqual(["REGISTER", "REGISTER", "REGISTER"]);
  });

  test("a stale nonce during a call is answered again, with the dialog's own count", async () => {
    let byes = 0;
    await start((request, answer) => {
      if (request.method === "INVITE") answer(withSdp(200));
    });
    const script = peer.onRequest;
    peer.onRequest = (request, answer, transport) => {
      if (request.method !== "BYE") return script(request, answer, transport);
      byes++;
      const [proof] = proofs(request);
      if (!proof) answer(asked(401, challenge("home", "old")));
      else if (proof.includes("old")) answer(asked(401, challenge("home", "new", { stale: true })));
      else answer({ statusCode: 200 });
    };
    const leg = place();
    await next(leg, "answered");
    leg.hangUp();
    await eventually(() => byes === 3, "three BYEs");
    const sent = peer.requests.filter(({ request }) => request.method === "BYE");
    expect(sent.map(({ request }) => request.cseq.number)).toEqual([2, 3, 4]);
  });

  test("of several, the strongest of our realm is answered, and those of other realms are not", async () => {
    const script: Script = (request, answer) => {
      const [server] = proofs(request);
      if (server) return answer({ statusCode: 486, toTag: "far" });
      answer(
        asked(
          401,
          challenge("other", "a"),
          challenge("ours", "b", { algorithm: "MD5" }),
          challenge("ours", "c"),
        ),
      );
    };
    await start(script, { realm: "ours" });
    expect((await endOf(place())).kind).toBe("busy");
    const invites = peer.requests.filter(({ request }) => request.method === "INVITE");
    expect(invites.map(({ request }) => proofs(request)[0])).toEqual([undefined, "ours c 1"]);
    await stack.removeTrunk(1);
    stack.addTrunk(
      trunkSettings({ server: FAR, port: peer.port, register: false, realm: "elsewhere" }),
    );
    await Bun.sleep(20);
    expect(await endOf(place())).toMatchObject({ kind: "forbidden", sipCode: 401 });
  });

  test("from a target outside the trunk are not answered", async () => {
    const stranger = await startSipPeer({ host: "127.0.63.3" });
    stranger.onRequest = (request, answer) => {
      if (request.method === "BYE") answer(asked(407, challenge("home", "n")));
    };
    await start((request, answer) => {
      const parts = withSdp(200);
      const away = ["Contact", `<sip:x@${stranger.host}:${stranger.port}>`] as const;
      if (request.method === "INVITE") answer({ ...parts, headers: [away, ...tail(parts)] });
    });
    const leg = place();
    await next(leg, "answered");
    leg.hangUp();
    await eventually(() => stranger.methods().includes("BYE"), "the BYE");
    await Bun.sleep(100);
    expect(stranger.requests.every(({ request }) => proofs(request).every((p) => !p))).toBe(true);
    stranger.close();
  });
});

const tail = ({ headers = [] }: ResponseParts) => headers.slice(1);
describe("forks", () => {
  test("a second phone that answers is acknowledged and hung up; the first keeps the call", async () => {
    await start((request, answer) => {
      if (request.method !== "INVITE") return;
      answer(withSdp(200, "first"));
      answer(withSdp(200, "second", 30_010));
    });
    const leg = place();
    expect((await next(leg, "answered")).plan.remote.port).toBe(30_000);
    await eventually(() => peer.methods().includes("BYE"), "the BYE");
    const toTags = (method: string) =>
      peer.requests
        .filter(({ request }) => request.method === method)
        .map(({ request }) => request.to.parameters.get("tag"));
    expect(toTags("ACK").sort()).toEqual(["first", "second"]);
    expect(toTags("BYE")).toEqual(["second"]);
  });

  test("a thousand ringing phones are limited to 32 early dialogs and a hundred ring events", async () => {
    await start(async (request, answer) => {
      if (request.method !== "INVITE") return;
      for (let n = 0; n < 1000; n++) {
        answer(withSdp(183, `phone-${n % 500}`));
        if (n % 50 === 49) await Bun.sleep(1);
      }
      await Bun.sleep(300);
      answer(withSdp(200, "phone-7"));
    });
    const leg = place();
    let rings = 0;
    leg.on("ringing", () => rings++);
    await next(leg, "answered");
    expect(rings).toBeLessThan(200);
    const ended = endOf(leg);
    leg.hangUp();
    expect((await ended).by).toBe("us");
  });

  test("of fifty answering phones the first keeps the call; the others are hung up", async () => {
    await start((request, answer) => {
      if (request.method === "INVITE")
        for (let n = 0; n < 50; n++) answer(withSdp(200, `phone-${n}`));
    });
    const leg = place();
    await next(leg, "answered");
    const count = (method: string) => peer.methods().filter((each) => each === method).length;
    await eventually(() => count("BYE") >= 31, "the BYEs");
    await Bun.sleep(50);
    expect([count("ACK"), count("BYE")]).toEqual([32, 31]);
  });
});

test("a server that demands longer sessions each time is asked four times, then the call is refused", async () => {
  let asked = 0;
  await start((request, answer) => {
    if (request.method !== "INVITE") return;
    answer({ statusCode: 422, toTag: "far", headers: [["Min-SE", 1_800 + ++asked]] });
  });
  expect(await endOf(place())).toMatchObject({ by: "callee", sipCode: 422 });
  expect(asked).toBe(4);
});

describe("a remote party that rings reliably", () => {
  test("gets a PRACK for each 18x, once, and its early media is reported", async () => {
    let invite: Answer = () => {};
    const reliable = (statusCode: number, rseq: number): ResponseParts => {
      const parts = withSdp(statusCode);
      return {
        ...parts,
        headers: [...(parts.headers ?? []), ["Require", "100rel"], ["RSeq", rseq]],
      };
    };
    await start((request, answer) => {
      if (request.method === "INVITE") {
        invite = answer;
        for (let repeat = 0; repeat < 3; repeat++) answer(reliable(183, 7));
      } else if (request.method === "PRACK") {
        answer({ statusCode: 200 });
        if (request.headers.get("rack") === "7 1 INVITE") invite(reliable(180, 8));
        else invite(withSdp(200));
      }
    });
    const leg = place();
    const early: (number | undefined)[] = [];
    leg.on("ringing", ({ plan }) => early.push(plan?.remote.port));
    await next(leg, "answered");
    const racks = peer.requests
      .filter(({ request }) => request.method === "PRACK")
      .map(({ request }) => request.headers.get("rack"));
    expect(racks).toEqual(["7 1 INVITE", "8 1 INVITE"]);
    expect(early).toEqual([30_000, 30_000]);
    expect(peer.requests[0]?.request.headers.hasToken("supported", "100rel")).toBe(true);
  });
});

/** Sends a request of the called phone in the dialog of our INVITE. */
function askBack(invite: SipRequest, method: string, cseq: number, body = ""): void {
  const { headers, callId } = invite;
  const uri = /<([^>]+)>/.exec(headers.get("contact") ?? "")?.[1] ?? "";
  const text = buildRequest({
    method,
    uri,
    headers: [
      ["Via", `SIP/2.0/UDP ${FAR}:${peer.port};branch=z9hG4bK-back-${cseq}`],
      ["Max-Forwards", 70],
      ["From", `${headers.get("to")};tag=far`],
      ["To", headers.get("from") ?? ""],
      ["Call-ID", callId],
      ["CSeq", `${cseq} ${method}`],
      contact(),
      ...(body === "" ? [] : [["Content-Type", "application/sdp"] as const]),
    ],
    body,
  });
  peer.send(text, stack.localAddress);
}

const answersTo = (method: string) =>
  peer.responses.filter(({ cseq }) => cseq.method === method).map(({ statusCode }) => statusCode);

async function ringing(isReliable: boolean) {
  let invite: { request: SipRequest; answer: Answer } | undefined;
  await start((request, answer) => {
    if (request.method === "PRACK") answer({ statusCode: 200 });
    if (request.method !== "INVITE") return;
    invite = { request, answer };
    const parts = withSdp(183);
    const more = isReliable
      ? ([
          ["Require", "100rel"],
          ["RSeq", 7],
        ] as const)
      : [];
    answer({ ...parts, headers: [...(parts.headers ?? []), ...more] });
  });
  const leg = place();
  const early: (number | undefined)[] = [];
  leg.on("ringing", ({ plan }) => early.push(plan?.remote.port));
  await eventually(() => early.length === 1, "early media");
  if (!invite) throw new Error("no INVITE");
  return { leg, early, ...invite };
}

test("a proxy that is a strict router gets ACK and BYE with its own URI", async () => {
  const proxy = `sip:edge@${FAR}:${peer.port}`;
  await start((_, answer) => {
    const parts = withSdp(200);
    const routes = [["Record-Route", `<sip:10.2.2.2;lr>, <${proxy}>`]] as const;
    answer({ ...parts, headers: [...(parts.headers ?? []), ...routes] });
  });
  const leg = place();
  await next(leg, "answered");
  leg.hangUp();
  await eventually(() => peer.methods().includes("BYE"), "the BYE");
  for (const { request } of peer.requests.slice(1)) {
    expect(formatUri(request.uri)).toBe(proxy);
    const target = `<sip:far@${FAR}:${peer.port}>`;
    expect(request.headers.all("route")).toEqual(["<sip:10.2.2.2;lr>", target]);
  }
  expect(peer.methods()).toEqual(["INVITE", "ACK", "BYE"]);
});

describe("a callee that sends requests before it answers", () => {
  test.each([
    ["INVITE", 491],
    ["BYE", 200],
  ] as const)("%s is %d, and the call can be answered and ended", async (method, code) => {
    const { leg, request, answer } = await ringing(false);
    askBack(request, method, 50, method === "INVITE" ? OFFER(FAR, 30_050) : "");
    await eventually(() => answersTo(method).length === 1, "an answer");
    expect(answersTo(method)).toEqual([code]);
    const answered = next(leg, "answered");
    answer(withSdp(200));
    expect((await answered).plan.remote.port).toBe(30_000);
    const end = endOf(leg);
    leg.hangUp();
    expect(await end).toMatchObject({ by: "us", kind: "bye" });
    await eventually(() => peer.methods().includes("BYE"), "our BYE");
  });
});

/** The same answer with that user in its Contact. */
const at = (user: string, parts: ResponseParts): ResponseParts => ({
  ...parts,
  headers: [
    ["Contact", `<sip:${user}@${FAR}:${peer.port}>`],
    ...(parts.headers ?? []).filter(([name]) => name !== "Contact"),
  ],
});

/** Every request except the first, with the first five characters of its target user. */
const targets = () =>
  peer.requests
    .map(({ request }) => `${request.method} ${formatUri(request.uri).slice(4, 9)}`)
    .slice(1);

test("a callee with another Contact in its answer than in its ringing gets ACK and BYE there", async () => {
  await start((_, answer) => {
    answer(at("early", { statusCode: 180, toTag: "far" }));
    answer(at("later", withSdp(200)));
  });
  const leg = place();
  await next(leg, "answered");
  leg.hangUp();
  await eventually(() => peer.methods().includes("BYE"), "the BYE");
  expect(targets()).toEqual(["ACK later", "BYE later"]);
});

describe("an UPDATE with an offer while it rings", () => {
  test("moves early media and the call, if our offer was answered reliably", async () => {
    const { leg, early, request, answer } = await ringing(true);
    askBack(request, "UPDATE", 50, OFFER(FAR, 30_050));
    await eventually(() => answersTo("UPDATE").length === 1, "an answer");
    expect(answersTo("UPDATE")).toEqual([200]);
    expect(peer.responses.at(-1)?.body).toContain(`m=audio ${MEDIA.port} `);
    expect(early).toEqual([30_000, 30_050]);
    const answered = next(leg, "answered");
    answer({ statusCode: 200, toTag: "far", headers: [contact()] });
    expect((await answered).plan.remote.port).toBe(30_050);
  });

  test("is 491 if our offer has no answer yet, and the call continues", async () => {
    const { leg, request, answer } = await ringing(false);
    askBack(request, "UPDATE", 50, OFFER(FAR, 30_050));
    await eventually(() => answersTo("UPDATE").length === 1, "an answer");
    expect(answersTo("UPDATE")).toEqual([491]);
    const answered = next(leg, "answered");
    answer(withSdp(200));
    expect((await answered).plan.remote.port).toBe(30_000);
  });
});

describe("ends", () => {
  test("nobody answers in the ring time: CANCEL, no_answer", async () => {
    let invite: Answer = () => {};
    await start((_, answer) => {
      invite = answer;
      answer({ statusCode: 180, toTag: "far", headers: [contact()] });
    });
    const script = peer.onRequest;
    peer.onRequest = (request, answer, transport) => {
      script(request, answer, transport);
      if (request.method === "CANCEL") invite({ statusCode: 487, toTag: "far" });
    };
    expect(await endOf(place(300))).toMatchObject({ by: "us", kind: "no_answer", sipCode: 487 });
    expect(peer.methods()).toContain("CANCEL");
  });

  test("a session that the remote party does not refresh ends with BYE", async () => {
    await start(
      (request, answer) => {
        const parts = withSdp(200);
        const timer = [
          ["Require", "timer"] as const,
          ["Session-Expires", "3;refresher=uas"] as const,
        ];
        if (request.method === "INVITE")
          answer({ ...parts, headers: [...(parts.headers ?? []), ...timer] });
      },
      {},
      { sessionExpiresSeconds: 3, sessionMinSeconds: 2 },
    );
    const leg = place();
    const ended = endOf(leg);
    await next(leg, "answered");
    const end = await ended;
    expect(end).toMatchObject({ by: "us", kind: "session_expired", fault: "carrier" });
    expect(end.explanation.length).toBeGreaterThan(20);
    await eventually(() => peer.methods().includes("BYE"), "the BYE");
  });

  test("a session that we refresh continues until the remote party has forgotten the call", async () => {
    let refreshes = 0;
    await start(
      (request, answer) => {
        const parts = withSdp(200);
        const timer = [["Session-Expires", "4;refresher=uac"] as const];
        if (request.method !== "INVITE") return;
        const first = request.to.parameters.get("tag") === undefined;
        if (first || ++refreshes < 2)
          answer({ ...parts, headers: [...(parts.headers ?? []), ...timer] });
        else answer({ statusCode: 481 });
      },
      {},
      { sessionExpiresSeconds: 4, sessionMinSeconds: 2 },
    );
    const leg = place();
    const ended = endOf(leg);
    await next(leg, "answered");
    expect((await ended).kind).toBe("session_expired");
    expect(refreshes).toBe(2);
  }, 20_000);

  test("our unanswered re-INVITE does not end the call", async () => {
    let invites = 0;
    await start((request, answer) => {
      if (request.method === "INVITE") answer(++invites === 2 ? { statusCode: 408 } : withSdp(200));
    });
    const leg = place();
    const ended = endOf(leg);
    await next(leg, "answered");
    const trunk = stack.trunk(1) as unknown as { legs: Set<{ reoffer(): void }> };
    for (const each of trunk.legs) each.reoffer();
    await eventually(() => invites === 2, "the second INVITE");
    expect(await Promise.race([ended, Bun.sleep(200).then(() => "lives")])).toBe("lives");
  });

  test.each([
    ["no SDP", ""],
    ["port 0", OFFER(FAR, 0)],
    ["a codec that nobody offered", OFFER(FAR).replace("RTP/AVP 8", "RTP/AVP 18")],
  ])("our re-INVITE accepted with %s keeps the earlier session", async (_, body) => {
    let invites = 0;
    await start((request, answer) => {
      if (request.method !== "INVITE") return;
      answer({ ...withSdp(200), ...(++invites === 2 && { body }) });
    });
    const leg = place();
    await next(leg, "answered");
    const ports: number[] = [];
    leg.on("media", ({ plan }) => ports.push(plan.remote.port));
    const acks = () => peer.methods().filter((method) => method === "ACK").length;
    for (const count of [2, 3]) {
      const trunk = stack.trunk(1) as unknown as { legs: Set<{ reoffer(): void }> };
      for (const each of trunk.legs) each.reoffer();
      await eventually(() => acks() === count, "the ACK");
    }
    expect(peer.methods()).not.toContain("BYE");
    expect(ports).toEqual([30_000]);
  });

  test("a redirected re-INVITE counts as refused, and others follow", async () => {
    let invites = 0;
    await start((request, answer) => {
      if (request.method === "INVITE") answer(++invites === 2 ? { statusCode: 302 } : withSdp(200));
    });
    const leg = place();
    await next(leg, "answered");
    const media = next(leg, "media");
    for (const count of [2, 3]) {
      const trunk = stack.trunk(1) as unknown as { legs: Set<{ reoffer(): void }> };
      for (const each of trunk.legs) each.reoffer();
      await eventually(() => invites === count, "the INVITE");
    }
    expect((await media).plan.remote.port).toBe(30_000);
  });

  test("our re-INVITE refused with 491 is sent again after 2.1 to 4 s", async () => {
    const invites: number[] = [];
    await start((request, answer) => {
      if (request.method !== "INVITE") return;
      invites.push(performance.now());
      answer(invites.length === 2 ? { statusCode: 491 } : withSdp(200));
    });
    const leg = place();
    await next(leg, "answered");
    const trunk = stack.trunk(1) as unknown as { legs: Set<{ reoffer(): void }> };
    for (const each of trunk.legs) each.reoffer();
    await eventually(() => invites.length === 3, "the third INVITE");
    expect((invites[2] ?? 0) - (invites[1] ?? 0)).toBeGreaterThan(2000);
  });
});

describe("a remote party that allows UPDATE", () => {
  const allowing = (parts: ResponseParts): ResponseParts => ({
    ...parts,
    headers: [
      ...(parts.headers ?? []),
      ...[["Allow", "INVITE, ACK, BYE, UPDATE"] as const, ["Require", "timer"] as const],
      ["Session-Expires", "4;refresher=uac"],
    ],
  });
  const timed = { sessionExpiresSeconds: 4, sessionMinSeconds: 2 };
  const sent = () => peer.methods().filter((method) => method !== "ACK");

  test("has its session refreshed by one, and our new address offered by re-INVITE", async () => {
    await start((_, answer) => answer(allowing(withSdp(200))), {}, timed);
    const leg = place();
    await next(leg, "answered");
    await eventually(() => sent().includes("UPDATE"), "the refresh");
    const update = peer.requests.find(({ request }) => request.method === "UPDATE")?.request;
    expect(update?.body).toBe("");
    expect(update?.headers.get("session-expires")).toBe("4;refresher=uac");
    const trunk = stack.trunk(1) as unknown as { legs: Set<{ reoffer(): void }> };
    for (const each of trunk.legs) each.reoffer();
    await eventually(() => sent().filter((each) => each === "INVITE").length === 2, "the offer");
    expect(peer.requests.at(-1)?.request.body || peer.requests.at(-2)?.request.body).toContain(
      "m=audio 40000",
    );
  });

  test("is asked at its latest target, from its answers to our UPDATE and re-INVITE", async () => {
    let answers = 0;
    await start(
      (request, answer) => {
        const isOffer = request.method === "INVITE";
        answer(at(`user${++answers}`, allowing(isOffer ? withSdp(200) : { statusCode: 200 })));
      },
      {},
      timed,
    );
    const leg = place();
    await next(leg, "answered");
    const trunk = stack.trunk(1) as unknown as { legs: Set<{ reoffer(): void }> };
    for (const each of trunk.legs) each.reoffer();
    await eventually(() => targets().includes("UPDATE user2"), "the refresh", 10_000);
    await Bun.sleep(50);
    leg.hangUp();
    await eventually(() => peer.methods().includes("BYE"), "the BYE");
    expect(targets()).toEqual([
      "ACK user1",
      "INVITE user1",
      "ACK user2",
      "UPDATE user2",
      "BYE user3",
    ]);
  }, 20_000);

  test("that no longer knows the call ends it", async () => {
    await start(
      (request, answer) => {
        if (request.method === "INVITE") answer(allowing(withSdp(200)));
        else answer({ statusCode: 481 });
      },
      {},
      timed,
    );
    expect((await endOf(place())).kind).toBe("session_expired");
    await eventually(() => sent().join() === "INVITE,UPDATE,BYE", "the BYE");
  });

  test("challenges it, and is answered with the dialog's own count", async () => {
    await start(
      (request, answer) => {
        if (request.method === "INVITE") answer(allowing(withSdp(200)));
        else if (proofs(request)[0]) answer(allowing({ statusCode: 200 }));
        else answer(asked(401, challenge("home", "n1")));
      },
      {},
      timed,
    );
    const leg = place();
    await next(leg, "answered");
    await eventually(() => sent().filter((each) => each === "UPDATE").length === 2, "two UPDATEs");
    const updates = peer.requests.filter(({ request }) => request.method === "UPDATE");
    expect(updates.map(({ request }) => request.cseq.number)).toEqual([2, 3]);
    leg.hangUp();
    await eventually(() => sent().includes("BYE"), "the BYE");
    expect(peer.requests.at(-1)?.request.cseq.number).toBe(4);
  });
});
