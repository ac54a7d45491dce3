/** Calls that come in, request by request, from a far end that is nothing but text. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { formatUri } from "../../../src/sip/message/index.ts";
import type { IncomingLeg, SipStack } from "../../../src/sip/ports.ts";
import { eventually } from "../../support/eventually.ts";
import { OFFER, type RawCall, rawCall } from "../../support/raw-call.ts";
import { type SipPeer, startSipPeer } from "../../support/sip-peer.ts";
import { endOf, next, startStack, trunkSettings } from "../../support/sip-stack.ts";

const OURS = "127.0.62.1";
const FAR = "127.0.62.2";
const MEDIA = { host: OURS, port: 40_000 };

let stack: SipStack;
let peer: SipPeer;
let legs: IncomingLeg[] = [];
let onLeg: (leg: IncomingLeg) => void;

beforeEach(async () => {
  legs = [];
  onLeg = () => {};
  peer = await startSipPeer({ host: FAR });
  peer.onRequest = (request, answer) => {
    if (request.method !== "ACK") answer({ statusCode: 200 });
  };
  stack = await startStack(OURS);
  stack.onIncoming((leg) => {
    legs.push(leg);
    onLeg(leg);
  });
  stack.addTrunk(trunkSettings({ server: FAR, port: peer.port, register: false }));
  await Bun.sleep(20);
});
afterEach(async () => {
  await stack.close();
  peer.close();
});

const newCall = (): RawCall => rawCall(peer, stack.localAddress);
const remotePorts = (leg: IncomingLeg): number[] => {
  const ports: number[] = [];
  leg.on("media", ({ plan }) => ports.push(plan.remote.port));
  return ports;
};

async function answered(headers: Parameters<RawCall["invite"]>[0] = []) {
  const call = newCall();
  onLeg = (leg) => void leg.answer(MEDIA).catch(() => {});
  const branch = call.invite(headers);
  const ok = await call.answer(branch);
  expect(ok.statusCode).toBe(200);
  const leg = legs.at(-1);
  if (!leg) throw new Error("no leg");
  const up = next(leg, "answered");
  call.ack(1);
  await up;
  return { call, leg, contact: ok.headers.get("contact") ?? "" };
}

describe("requests that are refused before a call sees them", () => {
  test.each([
    ["an extension we do not know: 420 with its name", [["Require", "foo, 100rel"]], 420],
    [
      "a session shorter than 90 s: 422",
      [
        ["Supported", "timer"],
        ["Session-Expires", 30],
      ],
      422,
    ],
    ["Replaces of no call: 481", [["Replaces", "no;to-tag=a;from-tag=b"]], 481],
    ["Replaces without tags: 400", [["Replaces", "no"]], 400],
  ] as const)("%s", async (_, headers, code) => {
    const call = newCall();
    const refusal = await call.answer(call.invite(headers));
    expect(refusal.statusCode).toBe(code);
    if (code === 420) expect(refusal.headers.get("unsupported")).toBe("foo");
    if (code === 422) expect(refusal.headers.get("min-se")).toBe("90");
    expect(legs).toEqual([]);
  });

  test("Max-Forwards 0 is 483", async () => {
    const invite = [
      `INVITE sip:1@${OURS} SIP/2.0`,
      `Via: SIP/2.0/UDP ${FAR}:${peer.port};branch=z9hG4bKhops`,
      `From: <sip:a@x>;tag=1`,
      `To: <sip:1@${OURS}>`,
      ...["Call-ID: hops", "CSeq: 1 INVITE", `Contact: <sip:a@${FAR}>`, "Max-Forwards: 0", "", ""],
    ].join("\r\n");
    peer.send(invite, stack.localAddress);
    await eventually(() => peer.responses.some((r) => r.statusCode === 483), "483");
    expect(legs).toEqual([]);
  });

  test("the same call over two paths is one call: the second gets 482", async () => {
    const call = newCall();
    const first = call.invite();
    await eventually(() => legs.length === 1, "the call");
    const second = call.send({ method: "INVITE", body: OFFER(FAR), cseq: 1, toTag: null });
    expect((await call.answer(second)).statusCode).toBe(482);
    expect(legs).toHaveLength(1);
    legs[0]?.reject(486);
    expect((await call.answer(first)).statusCode).toBe(486);
  });

  test("requests of calls that do not exist get 481, an unknown method 405", async () => {
    for (const method of ["BYE", "UPDATE", "OPTIONS", "INFO", "PRACK"]) {
      const call = newCall();
      const branch = call.send({ method, toTag: "nobody" });
      expect([method, (await call.answer(branch, method)).statusCode]).toEqual([method, 481]);
    }
    const call = newCall();
    const refused = await call.answer(call.send({ method: "PUBLISH" }), "PUBLISH");
    expect(refused.statusCode).toBe(405);
    expect(refused.headers.all("allow")).toContain("UPDATE");
  });
});

describe("OPTIONS", () => {
  test("outside a dialog says what we can do", async () => {
    const call = newCall();
    const ok = await call.answer(call.send({ method: "OPTIONS" }), "OPTIONS");
    expect(ok.statusCode).toBe(200);
    expect(ok.headers.all("allow")).toEqual(expect.arrayContaining(["INVITE", "UPDATE", "PRACK"]));
    expect(ok.headers.all("supported")).toEqual(["100rel", "timer", "replaces"]);
  });

  test("inside a dialog is answered, and changes nothing", async () => {
    const { call, leg } = await answered();
    const ok = await call.answer(call.send({ method: "OPTIONS" }), "OPTIONS");
    expect(ok.statusCode).toBe(200);
    const ended = endOf(leg);
    expect((await call.answer(call.send({ method: "BYE" }), "BYE")).statusCode).toBe(200);
    expect(await ended).toMatchObject({ by: "caller", kind: "bye" });
  });
});

describe("a caller that requires reliable ringing", () => {
  const required = [["Require", "100rel"]] as const;

  test("gets 180 until its PRACK, and then the call", async () => {
    const call = newCall();
    onLeg = (leg) => leg.ring();
    const branch = call.invite(required);
    const ringing = await call.answer(branch, "INVITE", 180);
    expect(ringing.headers.get("require")).toBe("100rel");
    await eventually(() => call.codes(branch).filter((code) => code === 180).length > 1, "again");
    const rack = `${ringing.headers.get("rseq")} 1 INVITE`;
    const wrong = call.send({ method: "PRACK", headers: [["RAck", "7 1 INVITE"]] });
    expect((await call.answer(wrong, "PRACK")).statusCode).toBe(481);
    const prack = call.send({ method: "PRACK", headers: [["RAck", rack]] });
    expect((await call.answer(prack, "PRACK")).statusCode).toBe(200);
    const before = call.codes(branch).length;
    await Bun.sleep(1200);
    expect(call.codes(branch)).toHaveLength(before);
    const [leg] = legs;
    if (!leg) throw new Error("no leg");
    const up = next(leg, "answered");
    void leg.answer(MEDIA);
    expect((await call.answer(branch)).body).toContain("m=audio 40000");
    call.send({ method: "ACK", cseq: 1 });
    await up;
  });

  test("may be answered before the PRACK", async () => {
    const call = newCall();
    onLeg = (leg) => {
      leg.ring();
      void leg.answer(MEDIA).catch(() => {});
    };
    const branch = call.invite(required);
    expect((await call.answer(branch)).statusCode).toBe(200);
    call.ack(1);
    const [leg] = legs;
    if (!leg) throw new Error("no leg");
    await next(leg, "answered");
    const seen = call.codes(branch).filter((code) => code === 180).length;
    await Bun.sleep(1200);
    expect(call.codes(branch).filter((code) => code === 180)).toHaveLength(seen);
  });
});

describe("UPDATE", () => {
  test("without SDP confirms the call", async () => {
    const { call } = await answered();
    const ok = await call.answer(call.send({ method: "UPDATE" }), "UPDATE");
    expect([ok.statusCode, ok.body]).toEqual([200, ""]);
  });

  test("with an offer moves the media, puts it on hold and takes it back", async () => {
    const { call, leg } = await answered();
    const directions: string[] = [];
    leg.on("media", ({ plan }) => directions.push(`${plan.remote.port} ${plan.direction}`));
    for (const [port, line] of [
      [30_010, ""],
      [30_010, "a=sendonly\r\n"],
      [30_020, "a=sendrecv\r\n"],
    ] as const) {
      const branch = call.send({ method: "UPDATE", body: OFFER(FAR, port, line) });
      const ok = await call.answer(branch, "UPDATE");
      expect([ok.statusCode, ok.headers.get("content-type")]).toEqual([200, "application/sdp"]);
    }
    expect(directions).toEqual(["30010 sendrecv", "30010 recvonly", "30020 sendrecv"]);
  });

  test("with an offer that has no codec of ours is 488, and the call stands", async () => {
    const { call, leg } = await answered();
    const ports = remotePorts(leg);
    const body = OFFER(FAR, 30_010).replace("RTP/AVP 8", "RTP/AVP 18");
    const refused = await call.answer(call.send({ method: "UPDATE", body }), "UPDATE");
    expect(refused.statusCode).toBe(488);
    const fine = call.send({ method: "UPDATE", body: OFFER(FAR, 30_030) });
    expect((await call.answer(fine, "UPDATE")).statusCode).toBe(200);
    expect(ports).toEqual([30_030]);
  });

  test("older than one before it is 500; one while the call only rings may come again", async () => {
    const { call } = await answered();
    await call.answer(call.send({ method: "UPDATE", cseq: 9 }), "UPDATE");
    const old = call.send({ method: "UPDATE", cseq: 5 });
    expect((await call.answer(old, "UPDATE")).statusCode).toBe(500);
    const ringing = newCall();
    onLeg = (leg) => leg.ring();
    await ringing.answer(ringing.invite(), "INVITE", 180);
    const early = ringing.send({ method: "UPDATE", body: OFFER(FAR) });
    const refused = await ringing.answer(early, "UPDATE");
    expect(refused.statusCode).toBe(500);
    expect(refused.headers.has("retry-after")).toBe(true);
  });

  test("moves the far end's Contact too: our BYE goes there", async () => {
    const { call, leg } = await answered();
    const elsewhere = await startSipPeer({ host: "127.0.62.3" });
    const contact = `sip:raw@${elsewhere.host}:${elsewhere.port}`;
    const moved = call.send({ method: "UPDATE", contact });
    expect((await call.answer(moved, "UPDATE")).statusCode).toBe(200);
    leg.hangUp();
    await eventually(() => elsewhere.methods().includes("BYE"), "the BYE");
    expect(peer.methods()).not.toContain("BYE");
    elsewhere.close();
  });
});

describe("re-INVITE", () => {
  test("of the far end: hold three ways and back", async () => {
    const { call, leg } = await answered();
    const directions: string[] = [];
    leg.on("media", ({ plan }) => directions.push(plan.direction));
    const onHold = OFFER(FAR).replace(`c=IN IP4 ${FAR}`, "c=IN IP4 0.0.0.0");
    for (const body of [
      OFFER(FAR, 30_000, "a=sendonly\r\n"),
      OFFER(FAR, 30_000, "a=inactive\r\n"),
      onHold,
      OFFER(FAR),
    ]) {
      const branch = call.send({ method: "INVITE", body });
      const ok = await call.answer(branch);
      expect(ok.statusCode).toBe(200);
      call.ack(ok.cseq.number);
    }
    await eventually(() => directions.length === 4, "four agreements");
    expect(directions).toEqual(["recvonly", "inactive", "inactive", "sendrecv"]);
  });

  test("without an offer: ours is in the 200, theirs in the ACK", async () => {
    const { call, leg } = await answered();
    const ports = remotePorts(leg);
    const ok = await call.answer(call.send({ method: "INVITE" }));
    expect(ok.body).toContain("m=audio 40000");
    call.send({ method: "ACK", cseq: ok.cseq.number, body: OFFER(FAR, 30_040) });
    await eventually(() => ports.includes(30_040), "the new plan");
  });

  test("crossing ours gets 491, ours is sent again after theirs, and the call stands", async () => {
    await stack.close();
    stack = await startStack(OURS, undefined, { sessionExpiresSec: 4, sessionMinSec: 2 });
    stack.onIncoming((leg) => {
      legs.push(leg);
      onLeg(leg);
    });
    stack.addTrunk(trunkSettings({ server: FAR, port: peer.port, register: false }));
    await Bun.sleep(20);
    const crossing: string[] = [];
    let invites = 0;
    let call: RawCall | undefined;
    peer.onRequest = (request, answer) => {
      if (request.method !== "INVITE") {
        if (request.method !== "ACK") answer({ statusCode: 200 });
        return;
      }
      if (++invites > 1) {
        const headers = [
          ["Contact", `<sip:raw@${FAR}:${peer.port}>`],
          ["Content-Type", "application/sdp"],
          ["Session-Expires", "90;refresher=uac"],
        ] as const;
        answer({ statusCode: 200, headers, body: OFFER(FAR) });
        return;
      }
      const branch = call?.send({ method: "INVITE", body: OFFER(FAR) }) ?? "";
      call?.answer(branch).then((refusal) => {
        crossing.push(`theirs ${refusal.statusCode}`);
        call?.send({ method: "ACK", branch, cseq: refusal.cseq.number });
        answer({ statusCode: 491 });
      });
    };
    const timed = await answered([
      ["Supported", "timer"],
      ["Session-Expires", "90;refresher=uas"],
    ]);
    call = timed.call;
    stackMoves();
    await eventually(() => invites >= 2, "our second re-INVITE", 20_000);
    expect(crossing).toEqual(["theirs 491"]);
    timed.leg.hangUp();
    await eventually(() => peer.methods().includes("BYE"), "the BYE of a call that stood");
  }, 30_000);
});

/** Makes every call of the trunk ask its far end anew, as after a change of our address. */
function stackMoves(): void {
  const trunk = stack.trunk(1) as unknown as { legs: Set<{ reoffer(): void }> };
  for (const leg of trunk.legs) leg.reoffer();
}

describe("Replaces", () => {
  test("the call goes on with the phone that takes over; the old dialog is hung up", async () => {
    const { call, leg } = await answered();
    const ports = remotePorts(leg);
    const other = newCall();
    const name = `${call.callId};to-tag=${call.toTag};from-tag=${call.fromTag}`;
    const branch = other.invite([["Replaces", name]], OFFER(FAR, 30_050));
    const ok = await other.answer(branch);
    expect(ok.statusCode).toBe(200);
    expect(ok.body).toContain("m=audio 40000");
    other.ack(1);
    await eventually(() => peer.methods().includes("BYE"), "the BYE of the old dialog");
    expect(peer.requests.at(-1)?.request.callId).toBe(call.callId);
    expect(ports).toEqual([30_050]);
    expect(legs).toHaveLength(1);
    const ended = endOf(leg);
    leg.hangUp();
    expect(await ended).toMatchObject({ by: "us", kind: "bye" });
    const last = () => peer.requests.at(-1)?.request;
    await eventually(() => last()?.callId === other.callId, "the BYE of the new dialog");
  });

  test("the phone that took over hangs up: the call ends", async () => {
    const { call, leg } = await answered();
    const other = newCall();
    const name = `${call.callId};to-tag=${call.toTag};from-tag=${call.fromTag}`;
    await other.answer(other.invite([["Replaces", name]]));
    other.ack(1);
    await eventually(() => peer.methods().includes("BYE"), "the BYE of the old dialog");
    const ended = endOf(leg);
    other.send({ method: "BYE" });
    expect(await ended).toMatchObject({ by: "caller", kind: "bye" });
  });

  test("early-only of an answered call is 486; a take-over that fails leaves the call", async () => {
    const { call, leg } = await answered();
    const name = `${call.callId};to-tag=${call.toTag};from-tag=${call.fromTag}`;
    const early = newCall();
    const refused = await early.answer(early.invite([["Replaces", `${name};early-only`]]));
    expect(refused.statusCode).toBe(486);
    const mute = newCall();
    const offer = OFFER(FAR).replace("RTP/AVP 8", "RTP/AVP 18");
    const failed = await mute.answer(mute.invite([["Replaces", name]], offer));
    expect(failed.statusCode).toBe(488);
    const ended = endOf(leg);
    leg.hangUp();
    expect(await ended).toMatchObject({ kind: "bye" });
    await eventually(() => peer.methods().includes("BYE"), "the BYE");
    expect(peer.requests.at(-1)?.request.callId).toBe(call.callId);
  });
});

describe("CANCEL", () => {
  test("while it rings: 200 for it, 487 for the call", async () => {
    const call = newCall();
    onLeg = (leg) => leg.ring();
    const branch = call.invite();
    await call.answer(branch, "INVITE", 180);
    const [leg] = legs;
    if (!leg) throw new Error("no leg");
    const ended = endOf(leg);
    call.send({ method: "CANCEL", branch, toTag: null });
    expect((await call.answer(branch, "CANCEL")).statusCode).toBe(200);
    expect((await call.answer(branch)).statusCode).toBe(487);
    expect(await ended).toMatchObject({ by: "caller", kind: "cancelled" });
  });

  test("that crosses our 200 changes nothing: the call stands until BYE", async () => {
    const call = newCall();
    onLeg = (leg) => void leg.answer(MEDIA).catch(() => {});
    const branch = call.invite();
    await call.answer(branch);
    call.send({ method: "CANCEL", branch, toTag: null });
    expect((await call.answer(branch, "CANCEL")).statusCode).toBe(200);
    call.ack(1);
    const [leg] = legs;
    if (!leg) throw new Error("no leg");
    await next(leg, "answered");
    const ended = endOf(leg);
    await call.answer(call.send({ method: "BYE" }), "BYE");
    expect((await ended).kind).toBe("bye");
  });

  test("of nothing is 481", async () => {
    const call = newCall();
    const branch = call.send({ method: "CANCEL", cseq: 1, toTag: null });
    expect((await call.answer(branch, "CANCEL")).statusCode).toBe(481);
  });
});

test("a caller of RFC 2543 without Contact is hung up on at its From, by the way it recorded", async () => {
  const call = newCall();
  onLeg = (leg) => void leg.answer(MEDIA).catch(() => {});
  const route = ["Record-Route", `<sip:${FAR}:${peer.port};lr>`] as const;
  const branch = call.send({
    ...{ method: "INVITE", branch: "1717", contact: null, headers: [route], body: OFFER(FAR) },
    toTag: null,
  });
  expect((await call.answer(branch)).statusCode).toBe(200);
  const [leg] = legs;
  if (!leg) throw new Error("no leg");
  const up = next(leg, "answered");
  call.ack(1);
  await up;
  leg.hangUp();
  await eventually(() => peer.methods().includes("BYE"), "the BYE");
  const bye = peer.requests.at(-1)?.request;
  expect(bye && formatUri(bye.uri)).toBe("sip:+37069999999@caller.test");
});
