/** Our re-INVITE in an established call changes none of its properties. */
import { expect, test } from "bun:test";
import { e164 } from "../../src/core/e164.ts";
import type { SipRequest } from "../../src/sip/message/index.ts";
import { eventually } from "../support/eventually.ts";
import { incomingLine } from "../support/sip/incoming-line.ts";
import { OFFER } from "../support/sip/raw-call.ts";
import { next } from "../support/sip/sip-stack.ts";

const FAR = "127.0.64.2";
const line = incomingLine("127.0.64.1", FAR);
const KEY = "WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz";
const CRYPTO = `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}\r\n`;
/** A remote party with one codec that refuses other profiles than its first. */
const sdp = (profile: string, crypto: string) =>
  OFFER(FAR, 30_000, crypto).replace("RTP/AVP 8", `${profile} 8 101`);

const mediaLine = (request: SipRequest): string =>
  /^m=audio \d+ (.*)$/m.exec(request.body)?.[1]?.trim() ?? "";

/** Answers our re-INVITE as the remote party would, and resolves with it. */
function onReinvite(answerBody: string): Promise<SipRequest> {
  const { promise, resolve } = Promise.withResolvers<SipRequest>();
  line.peer.onRequest = (request, answer) => {
    if (request.method === "ACK") return;
    if (request.method !== "INVITE") return answer({ statusCode: 200 });
    resolve(request);
    const headers = [
      ["Contact", `<sip:raw@${FAR}:${line.peer.port}>`],
      ["Content-Type", "application/sdp"],
    ] as const;
    answer({ statusCode: 200, toTag: "far", headers, body: answerBody });
  };
  return promise;
}

function refreshAll(): void {
  const trunk = line.stack.trunk(1) as unknown as { legs: Set<{ reoffer(): void }> };
  for (const leg of trunk.legs) leg.reoffer();
}

test.each([
  ["RTP/SAVP", CRYPTO, true],
  ["RTP/SAVPF", CRYPTO, true],
  ["RTP/AVP", CRYPTO, true],
  ["RTP/AVP", "", false],
])("an inbound call with %s %s keeps profile, codec and keys", async (profile, crypto, keyed) => {
  await line.restart({ srtp: "optional", codecs: ["G722", "PCMU", "PCMA"] });
  line.onLeg = (leg) => void leg.answer(line.media).catch(() => {});
  const call = line.newCall();
  const ok = await call.answer(call.invite([], sdp(profile, crypto)));
  expect(ok.body.includes("a=crypto")).toBe(keyed);
  const [leg] = line.legs;
  if (!leg) throw new Error("no leg");
  const up = next(leg, "answered");
  call.ack(1);
  await up;
  const reinvited = onReinvite(sdp(profile, crypto));
  const media = next(leg, "media");
  refreshAll();
  const request = await reinvited;
  expect(mediaLine(request)).toStartWith(`${profile} 8 `);
  expect(request.body.includes("a=crypto")).toBe(keyed);
  const key = /inline:(\S+)/.exec(ok.body)?.[1];
  if (key !== undefined) expect(request.body).toContain(key);
  expect((await media).plan).toMatchObject({ codec: { name: "PCMA" } });
});

test.each([
  ["RTP/AVP", "", false],
  ["RTP/AVP", CRYPTO, true],
])("an outbound call answered with %s %s keeps them too", async (profile, crypto, keyed) => {
  await line.restart({ srtp: "optional", codecs: ["G722", "PCMU", "PCMA"] });
  const first = onReinvite(sdp(profile, crypto));
  const [to, from] = [e164("+37062222222"), e164("+37061001001")];
  const leg = line.stack.trunk(1)?.place({ to, from, media: line.media, ringTimeoutMs: 10_000 });
  if (!leg) throw new Error("no trunk");
  await next(leg, "answered");
  expect((await first).body).toContain("a=crypto");
  const reinvited = onReinvite(sdp(profile, crypto));
  refreshAll();
  const request = await reinvited;
  expect(mediaLine(request)).toStartWith(`${profile} 8 `);
  expect(request.body.includes("a=crypto")).toBe(keyed);
  await eventually(
    () => line.peer.methods().filter((method) => method === "ACK").length === 2,
    "ACKs",
  );
});

test("unexpected SDP in an ACK changes neither the call nor our next offer", async () => {
  line.onLeg = (leg) => void leg.answer(line.media).catch(() => {});
  const call = line.newCall();
  const ok = await call.answer(call.invite());
  const [leg] = line.legs;
  if (!leg) throw new Error("no leg");
  const up = next(leg, "answered");
  call.send({ method: "ACK", cseq: ok.cseq.number, body: OFFER(FAR, 30_000, "a=sendonly\r\n") });
  await up;
  const reinvited = onReinvite(OFFER(FAR, 30_010));
  const media = next(leg, "media");
  refreshAll();
  expect(mediaLine(await reinvited)).toBe("RTP/AVP 8 0 101");
  expect((await media).plan).toMatchObject({ remote: { port: 30_010 }, direction: "sendrecv" });
});
