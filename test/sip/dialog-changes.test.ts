/**
 * Changes of an established call by the remote party: UPDATE, re-INVITE, and replacement by another phone.
 */
import { describe, expect, test } from "bun:test";
import type { IncomingLeg } from "../../src/call/sip-port.ts";
import { eventually } from "../support/eventually.ts";
import { incomingLine } from "../support/sip/incoming-line.ts";
import { OFFER, type RawCall } from "../support/sip/raw-call.ts";
import { startSipPeer } from "../support/sip/sip-peer.ts";
import { endOf, next } from "../support/sip/sip-stack.ts";

const FAR = "127.0.62.5";
const line = incomingLine("127.0.62.4", FAR);

const remotePorts = (leg: IncomingLeg): number[] => {
  const ports: number[] = [];
  leg.on("media", ({ plan }) => ports.push(plan.remote.port));
  return ports;
};

describe("UPDATE", () => {
  test("without SDP confirms the call", async () => {
    const { call } = await line.answered();
    const ok = await call.answer(call.send({ method: "UPDATE" }), "UPDATE");
    expect([ok.statusCode, ok.body]).toEqual([200, ""]);
  });

  test("with an offer moves the media, puts it on hold and resumes it", async () => {
    const { call, leg } = await line.answered();
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

  test("with an offer without our codecs is 488, and the call continues", async () => {
    const { call, leg } = await line.answered();
    const ports = remotePorts(leg);
    const body = OFFER(FAR, 30_010).replace("RTP/AVP 8", "RTP/AVP 18");
    const refused = await call.answer(call.send({ method: "UPDATE", body }), "UPDATE");
    expect(refused.statusCode).toBe(488);
    const fine = call.send({ method: "UPDATE", body: OFFER(FAR, 30_030) });
    expect((await call.answer(fine, "UPDATE")).statusCode).toBe(200);
    expect(ports).toEqual([30_030]);
  });

  test("older than the previous one is 500; one during ringing may be retried", async () => {
    const { call } = await line.answered();
    await call.answer(call.send({ method: "UPDATE", cseq: 9 }), "UPDATE");
    const old = call.send({ method: "UPDATE", cseq: 5 });
    expect((await call.answer(old, "UPDATE")).statusCode).toBe(500);
    const ringing = line.newCall();
    line.onLeg = (leg) => leg.ring();
    await ringing.answer(ringing.invite(), "INVITE", 180);
    const early = ringing.send({ method: "UPDATE", body: OFFER(FAR) });
    const refused = await ringing.answer(early, "UPDATE");
    expect(refused.statusCode).toBe(500);
    expect(refused.headers.has("retry-after")).toBe(true);
  });

  test("while the call rings keeps the session timer of its INVITE", async () => {
    const call = line.newCall();
    line.onLeg = (leg) => leg.ring();
    const timed = [["Supported", "timer"] as const, ["Session-Expires", 1800] as const];
    const invite = call.invite(timed);
    await call.answer(invite, "INVITE", 180);
    expect((await call.answer(call.send({ method: "UPDATE" }), "UPDATE")).statusCode).toBe(200);
    void line.legs[0]?.answer(line.media).catch(() => {});
    const ok = await call.answer(invite);
    expect(ok.headers.get("session-expires")).toBe("1800;refresher=uac");
  });

  test("also moves the remote party's Contact: our BYE goes there", async () => {
    const { call, leg } = await line.answered();
    const elsewhere = await startSipPeer({ host: "127.0.62.3" });
    const contact = `sip:raw@${elsewhere.host}:${elsewhere.port}`;
    const moved = call.send({ method: "UPDATE", contact });
    expect((await call.answer(moved, "UPDATE")).statusCode).toBe(200);
    leg.hangUp();
    await eventually(() => elsewhere.methods().includes("BYE"), "the BYE");
    expect(line.peer.methods()).not.toContain("BYE");
    elsewhere.close();
  });
});

describe("re-INVITE", () => {
  test("of the remote party: hold in three ways and resume", async () => {
    const { call, leg } = await line.answered();
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

  test("before the call's lost ACK moves the media as well", async () => {
    const call = line.newCall();
    line.onLeg = (leg) => void leg.answer(line.media).catch(() => {});
    await call.answer(call.invite());
    const [leg] = line.legs;
    if (!leg) throw new Error("no leg");
    const ports = remotePorts(leg);
    const ok = await call.answer(call.send({ method: "INVITE", body: OFFER(FAR, 30_050) }));
    expect(ok.statusCode).toBe(200);
    const answered = next(leg, "answered");
    call.ack(1);
    call.ack(2);
    expect((await answered).plan.remote.port).toBe(30_050);
    expect(ports).toEqual([30_050]);
  });

  test("without an offer: our offer is in the 200, the answer in the ACK", async () => {
    const { call, leg } = await line.answered();
    const ports = remotePorts(leg);
    const ok = await call.answer(call.send({ method: "INVITE" }));
    expect(ok.body).toContain("m=audio 40000");
    call.send({ method: "ACK", cseq: ok.cseq.number, body: OFFER(FAR, 30_040) });
    await eventually(() => ports.includes(30_040), "the new plan");
  });

  test("that crosses ours gets 491, ours is sent again after it, and the call continues", async () => {
    await line.restart({ sessionExpiresSeconds: 4, sessionMinSeconds: 2 });
    const crossing: string[] = [];
    let invites = 0;
    let call: RawCall | undefined;
    line.peer.onRequest = (request, answer) => {
      if (request.method !== "INVITE") {
        if (request.method !== "ACK") answer({ statusCode: 200 });
        return;
      }
      if (++invites > 1) {
        const headers = [
          ["Contact", `<sip:raw@${FAR}:${line.peer.port}>`],
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
    const timed = await line.answered([
      ["Supported", "timer"],
      ["Session-Expires", "90;refresher=uas"],
    ]);
    call = timed.call;
    stackMoves();
    await eventually(() => invites >= 2, "our second re-INVITE", 20_000);
    expect(crossing).toEqual(["theirs 491"]);
    timed.leg.hangUp();
    await eventually(() => line.peer.methods().includes("BYE"), "the BYE of a call that stood");
  }, 30_000);
});

/** Makes every call of the trunk send a new offer, as after a change of our address. */
function stackMoves(): void {
  const trunk = line.stack.trunk(1) as unknown as { legs: Set<{ reoffer(): void }> };
  for (const leg of trunk.legs) leg.reoffer();
}

describe("Replaces", () => {
  test("the call continues with the replacing phone; the old dialog is hung up", async () => {
    const { call, leg } = await line.answered();
    const ports = remotePorts(leg);
    const other = line.newCall();
    const name = `${call.callId};to-tag=${call.toTag};from-tag=${call.fromTag}`;
    const branch = other.invite([["Replaces", name]], OFFER(FAR, 30_050));
    const ok = await other.answer(branch);
    expect(ok.statusCode).toBe(200);
    expect(ok.body).toContain("m=audio 40000");
    other.ack(1);
    await eventually(() => line.peer.methods().includes("BYE"), "the BYE of the old dialog");
    expect(line.peer.requests.at(-1)?.request.callId).toBe(call.callId);
    expect(ports).toEqual([30_050]);
    expect(line.legs).toHaveLength(1);
    const ended = endOf(leg);
    leg.hangUp();
    expect(await ended).toMatchObject({ by: "us", kind: "bye" });
    const last = () => line.peer.requests.at(-1)?.request;
    await eventually(() => last()?.callId === other.callId, "the BYE of the new dialog");
  });

  test("if the replacing phone hangs up, the call ends", async () => {
    const { call, leg } = await line.answered();
    const other = line.newCall();
    const name = `${call.callId};to-tag=${call.toTag};from-tag=${call.fromTag}`;
    await other.answer(other.invite([["Replaces", name]]));
    other.ack(1);
    await eventually(() => line.peer.methods().includes("BYE"), "the BYE of the old dialog");
    const ended = endOf(leg);
    other.send({ method: "BYE" });
    expect(await ended).toMatchObject({ by: "caller", kind: "bye" });
  });

  test("early-only for an answered call is 486; a failed replacement keeps the call", async () => {
    const { call, leg } = await line.answered();
    const name = `${call.callId};to-tag=${call.toTag};from-tag=${call.fromTag}`;
    const early = line.newCall();
    const refused = await early.answer(early.invite([["Replaces", `${name};early-only`]]));
    expect(refused.statusCode).toBe(486);
    const mute = line.newCall();
    const offer = OFFER(FAR).replace("RTP/AVP 8", "RTP/AVP 18");
    const failed = await mute.answer(mute.invite([["Replaces", name]], offer));
    expect(failed.statusCode).toBe(488);
    const ended = endOf(leg);
    leg.hangUp();
    expect(await ended).toMatchObject({ kind: "bye" });
    await eventually(() => line.peer.methods().includes("BYE"), "the BYE");
    expect(line.peer.requests.at(-1)?.request.callId).toBe(call.callId);
  });
});
