/** Accepted RTP sources of a call, with a remote party behind NAT: its SDP has a private address. */
import { expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import { e164 } from "../../src/core/e164.ts";
import { silentLog } from "../../src/core/log.ts";
import type { MediaPlan } from "../../src/core/media-plan.ts";
import { createCallAudio } from "../../src/media/call-audio.ts";
import { createPacer } from "../../src/media/rtp/pacer.ts";
import { createPortPool } from "../../src/media/rtp/port-pool.ts";
import { eventually } from "../support/eventually.ts";
import { buildRtpPacket } from "../support/media/rtp-packet.ts";
import { incomingLine } from "../support/sip/incoming-line.ts";
import { OFFER } from "../support/sip/raw-call.ts";
import { next } from "../support/sip/sip-stack.ts";

const FAR = "127.0.64.2";
const STRANGER = "127.0.64.3";
const BEHIND_NAT = "10.9.8.7";
const line = incomingLine("127.0.64.1", FAR);

test("a call's plan has the source of its signalling, inbound and outbound, and again after a re-INVITE", async () => {
  const call = line.newCall();
  const plans: MediaPlan[] = [];
  line.onLeg = (leg) => {
    leg.on("media", ({ plan }) => plans.push(plan));
    leg.answer(line.media).then(
      ({ plan }) => plans.push(plan),
      () => {},
    );
  };
  await call.answer(call.invite([], OFFER(BEHIND_NAT)));
  call.ack(1);
  await eventually(() => plans.length === 1, "the call stands");
  await call.answer(call.invite([], OFFER(BEHIND_NAT, 31_000)));
  call.ack(2);
  await eventually(() => plans.length === 2, "the second plan");
  expect(plans.map(({ remote, signallingHost }) => [remote.port, signallingHost])).toEqual([
    [30_000, FAR],
    [31_000, FAR],
  ]);

  line.peer.onRequest = (request, answer) =>
    request.method === "INVITE" &&
    answer({
      statusCode: 200,
      toTag: "far",
      body: OFFER(BEHIND_NAT),
      headers: [
        ["Contact", `<sip:far@${FAR}:${line.peer.port}>`],
        ["Content-Type", "application/sdp"],
      ],
    });
  const placed = line.stack.trunk(1)?.place({
    to: e164("+37062222222"),
    from: e164("+37061001001"),
    media: line.media,
    ringTimeoutMs: 15_000,
  });
  if (!placed) throw new Error("no trunk");
  const { plan } = await next(placed, "answered");
  expect([plan.remote.host, plan.signallingHost]).toEqual([BEHIND_NAT, FAR]);
});

async function rtpFrom(host: string, ssrc: number) {
  let heard = 0;
  const socket = await Bun.udpSocket({
    hostname: host,
    port: 0,
    socket: { data: () => void heard++, error() {} },
  });
  let sequenceNumber = 0;
  return {
    heard: () => heard,
    send(port: number, packets: number) {
      for (let count = 0; count < packets; count++) {
        const timestamp = ++sequenceNumber * 160;
        const header = { marker: false, payloadType: 8, sequenceNumber, timestamp, ssrc };
        socket.send(buildRtpPacket(header, new Uint8Array(160).fill(0xd5)), port, "127.0.64.1");
      }
    },
    close: () => socket.close(),
  };
}

test("a stranger with the first four packets loses the call to the remote party behind NAT", async () => {
  const call = line.newCall();
  line.onLeg = (leg) => void leg.answer(line.media).catch(() => {});
  const answered = call.answer(call.invite([], OFFER(BEHIND_NAT)));
  await answered;
  const leg = line.legs.at(-1);
  if (!leg) throw new Error("no leg");
  const up = next(leg, "answered");
  call.ack(1);
  const { plan } = await up;

  const pacer = createPacer(systemClock, silentLog);
  const audio = await createCallAudio(
    { rtpHost: "127.0.64.1", jitterMsMax: 200, rtpTimeoutMs: 15_000, holdTimeoutMs: 600_000 },
    {
      ports: createPortPool({ first: 23_000, last: 23_099 }, systemClock),
      pacer,
      clock: systemClock,
      log: silentLog,
    },
  );
  const [stranger, caller] = [await rtpFrom(STRANGER, 66), await rtpFrom(FAR, 7)];
  try {
    audio.connect(plan);
    stranger.send(audio.rtpPort, 20);
    await eventually(() => stranger.heard() > 0, "the stranger is learnt");
    caller.send(audio.rtpPort, 4);
    await eventually(() => caller.heard() > 5, "the far end is heard and hears");
    const before = stranger.heard();
    stranger.send(audio.rtpPort, 20);
    const heard = caller.heard();
    await eventually(() => caller.heard() > heard + 5, "it stays the far end's");
    expect(stranger.heard()).toBe(before);
  } finally {
    await audio.close();
    pacer.close();
    stranger.close();
    caller.close();
  }
});
