/**
 * A call whose media changes while it runs: codecs, payload types, keys, hold. Real sockets, between two of our
 * call audios, or with a bare socket that misbehaves.
 */
import { afterEach, expect, test } from "bun:test";
import type { CallAudio } from "../../../src/conversation/audio-port.ts";
import { systemClock } from "../../../src/core/clock.ts";
import type { CodecName } from "../../../src/core/codecs.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { MediaPlan, SrtpKeys } from "../../../src/core/media-plan.ts";
import { createCallAudio } from "../../../src/media/call-audio.ts";
import { createPacer } from "../../../src/media/rtp/pacer.ts";
import { looksLikeRtcp, RtpPacketView } from "../../../src/media/rtp/packet.ts";
import { createPortPool } from "../../../src/media/rtp/port-pool.ts";
import { readRtcp } from "../../../src/media/rtp/rtcp.ts";
import { SrtpInbound } from "../../../src/media/srtp/inbound.ts";
import { mkiBytes, RTP_TRAILER_BYTES_MAX } from "../../../src/media/srtp/keys.ts";
import { SrtpOutbound } from "../../../src/media/srtp/outbound.ts";
import { sine, toneShare } from "../../../src/platform/audio/tones.ts";
import { eventually } from "../../support/eventually.ts";
import { buildRtpPacket } from "../../support/media/rtp-packet.ts";

const HOST = "127.0.45.1";
const PEER = "127.0.45.2";
const STRANGER = "127.0.45.3";
const SUITE = "AES_CM_128_HMAC_SHA1_80";
const OUR_KEY = Buffer.alloc(30, 1).toString("base64");
const THEIR_KEY = Buffer.alloc(30, 2).toString("base64");
const PAYLOAD_TYPES: Readonly<Record<CodecName, number>> = { PCMU: 0, PCMA: 8, G722: 9, opus: 111 };

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
const pool = createPortPool({ first: 25_200, last: 25_799 }, systemClock);

async function openAudio(sampleRateHz: 8000 | 16000 = 8000): Promise<CallAudio> {
  const pacer = createPacer(systemClock, silentLog);
  const audio = await createCallAudio(
    { rtpHost: HOST, jitterMsMax: 200, rtpTimeoutMs: 15_000, holdTimeoutMs: 600_000, sampleRateHz },
    { ports: pool, pacer, clock: systemClock, log: silentLog },
  );
  cleanups.push(async () => {
    await audio.close();
    pacer.close();
  });
  return audio;
}

function planTo(port: number, name: CodecName, change: Partial<MediaPlan> = {}): MediaPlan {
  const payloadType = PAYLOAD_TYPES[name];
  return {
    remote: { host: HOST, port },
    codec: { name, sendPayloadType: payloadType, receivePayloadType: payloadType },
    telephoneEvent: { send: 101, receive: 101 },
    direction: "sendrecv",
    ptimeMs: 20,
    ...change,
  };
}

/** Milliseconds of tone received from now on. */
function countTone(audio: CallAudio, frequencyHz: number): () => number {
  let heardMs = 0;
  audio.onFrame((pcm) => {
    if (toneShare(pcm, frequencyHz, audio.sampleRateHz) > 0.8) heardMs += 20;
  });
  return () => heardMs;
}

/** Waits for another 300 ms of the tone. */
async function hears(heardMs: () => number, what: string): Promise<void> {
  const before = heardMs();
  await eventually(() => heardMs() - before >= 300, what, 10_000);
}

async function bareSocket(host: string) {
  const received: Uint8Array[] = [];
  const socket = await Bun.udpSocket({
    hostname: host,
    port: 0,
    socket: { data: (_socket, datagram) => void received.push(datagram.slice()), error() {} },
  });
  cleanups.push(() => socket.close());
  let sequenceNumber = 10;
  return {
    received,
    port: socket.port,
    packet(payloadType = 8, ssrc = 7): Uint8Array {
      const sequence = sequenceNumber++;
      const header = {
        marker: false,
        payloadType,
        ssrc,
        sequenceNumber: sequence,
        timestamp: sequence * 160,
      };
      return buildRtpPacket(header, new Uint8Array(160).fill(0xd5));
    },
    send: (bytes: Uint8Array, port: number) => socket.send(bytes, port, HOST),
  };
}

const CHANGES: readonly CodecName[] = ["PCMA", "G722", "PCMU", "opus", "G722", "PCMA"];

for (const sampleRateHz of [8000, 16_000] as const) {
  test(`both sides hear each other through ${CHANGES.join(", ")}, at ${sampleRateHz} Hz`, async () => {
    const [a, b] = [await openAudio(sampleRateHz), await openAudio(sampleRateHz)];
    const [heardByA, heardByB] = [countTone(a, 900), countTone(b, 600)];
    a.play(sine(600, 30_000, sampleRateHz));
    b.play(sine(900, 30_000, sampleRateHz));
    for (const name of CHANGES) {
      a.connect(planTo(b.rtpPort, name));
      b.connect(planTo(a.rtpPort, name));
      await hears(heardByB, `b hears a through ${name}`);
      await hears(heardByA, `a hears b through ${name}`);
    }
    expect(a.statistics.codec).toBe("PCMA");
  }, 40_000);
}

test("each side uses its own payload types, also for events", async () => {
  const [a, b] = [await openAudio(), await openAudio()];
  const digits: string[] = [];
  a.onDigit((digit) => digits.push(`a${digit}`));
  b.onDigit((digit) => digits.push(`b${digit}`));
  const [heardByA, heardByB] = [countTone(a, 900), countTone(b, 600)];
  const types = (name: CodecName, send: number, receive: number, events: [number, number]) => ({
    codec: { name, sendPayloadType: send, receivePayloadType: receive },
    telephoneEvent: { send: events[0], receive: events[1] },
  });
  a.connect(planTo(b.rtpPort, "PCMA", types("PCMA", 96, 8, [97, 101])));
  b.connect(planTo(a.rtpPort, "PCMA", types("PCMA", 8, 96, [101, 97])));
  a.play(sine(600, 1000, 8000));
  b.play(sine(900, 1000, 8000));
  await hears(heardByA, "a hears b");
  await hears(heardByB, "b hears a");
  a.sendDigits("12");
  b.sendDigits("3");
  await eventually(() => digits.length === 3, "three digits");
  expect(digits.sort()).toEqual(["a3", "b1", "b2"]);
});

test("digits in a 48 kHz clock are separated and counted once", async () => {
  const [a, b] = [await openAudio(16_000), await openAudio(16_000)];
  let digits = "";
  b.onDigit((digit) => {
    digits += digit;
  });
  const telephoneEvent = { send: 110, receive: 110, clockRateHz: 48_000 };
  a.connect(planTo(b.rtpPort, "opus", { telephoneEvent }));
  b.connect(planTo(a.rtpPort, "opus", { telephoneEvent }));
  a.sendDigits("1100#");
  await eventually(() => digits.length >= 5, "five digits");
  expect(digits).toBe("1100#");
});

test("a remote party that changes to another codec of its answer is still heard", async () => {
  const [a, b] = [await openAudio(), await openAudio()];
  const heard = countTone(b, 600);
  const otherCodecs = [{ name: "G722" as const, payloadType: 9 }];
  b.connect(planTo(a.rtpPort, "PCMA", { otherCodecs }));
  a.play(sine(600, 10_000, 8000));
  a.connect(planTo(b.rtpPort, "PCMA"));
  await hears(heard, "A-law");
  a.connect(planTo(b.rtpPort, "G722"));
  await hears(heard, "G.722, unasked");
});

for (const hold of ["recvonly", "inactive"] as const) {
  test(`hold (${hold}) and resume: the stream continues with its numbers, nothing times out`, async () => {
    const [a, b] = [await openAudio(), await openAudio()];
    const heard = countTone(b, 600);
    a.play(sine(600, 20_000, 8000));
    a.connect(planTo(b.rtpPort, "PCMA"));
    b.connect(planTo(a.rtpPort, "PCMA"));
    await hears(heard, "before");
    const { packetsSent } = a.statistics;
    a.connect(planTo(b.rtpPort, "PCMA", { direction: hold }));
    const sentAtHold = a.statistics.packetsSent;
    await Bun.sleep(300);
    expect(a.statistics.packetsSent).toBe(sentAtHold);
    expect(sentAtHold).toBeGreaterThanOrEqual(packetsSent);
    a.connect(planTo(b.rtpPort, "PCMA"));
    await hears(heard, "afterwards");
    expect(b.statistics.packetsLost).toBe(0);
  });
}

test("hold by c=0.0.0.0 sends nothing, and a new address is used afterwards", async () => {
  const audio = await openAudio();
  const peer = await bareSocket(PEER);
  audio.connect(
    planTo(1, "PCMA", { remote: { host: "0.0.0.0", port: 4000 }, direction: "inactive" }),
  );
  await Bun.sleep(100);
  expect(audio.statistics.packetsSent).toBe(0);
  audio.connect(planTo(1, "PCMA", { remote: { host: PEER, port: peer.port } }));
  await eventually(() => peer.received.length > 5, "packets at the new address");
});

test("with rtcp-mux RTCP is sent and read on the RTP port", async () => {
  const audio = await openAudio();
  const peer = await bareSocket(PEER);
  audio.connect(planTo(1, "PCMA", { remote: { host: PEER, port: peer.port }, rtcpMux: true }));
  await eventually(() => peer.received.some(looksLikeRtcp), "RTCP on the RTP port", 10_000);
  await audio.close();
  const saidGoodbye = () => peer.received.some((datagram) => readRtcp(datagram)?.goodbye === true);
  await eventually(saidGoodbye, "BYE on the RTP port");
}, 15_000);

test("RTCP goes to the port in the SDP", async () => {
  const audio = await openAudio();
  const [rtp, rtcp] = [await bareSocket(PEER), await bareSocket(PEER)];
  audio.connect(planTo(1, "PCMA", { remote: { host: PEER, port: rtp.port }, rtcpPort: rtcp.port }));
  await eventually(() => rtcp.received.some(looksLikeRtcp), "RTCP at its own port", 10_000);
  expect(rtp.received.some(looksLikeRtcp)).toBe(false);
}, 15_000);

function keys(sendKey: string, receiveKey: string): SrtpKeys {
  return { suite: SUITE, sendKey, receiveKey };
}

test.each([
  ["no MKI", undefined],
  ["an MKI of 4 octets", "e1f97a0d"],
  ["an MKI of 128 octets", "ab".repeat(128)],
])(
  "SRTP with %s: plain, forged and replayed packets have no effect and are not heard",
  async (_, mki) => {
    const audio = await openAudio();
    const [peer, stranger] = [await bareSocket(PEER), await bareSocket(STRANGER)];
    audio.connect(
      planTo(1, "PCMA", {
        remote: { host: "127.0.45.9", port: 4000 },
        srtp: { ...keys(OUR_KEY, THEIR_KEY), ...(mki && { sendMki: mki, receiveMki: mki }) },
      }),
    );
    for (let index = 0; index < 10; index++) {
      stranger.send(stranger.packet(), audio.rtpPort);
      stranger.send(Buffer.concat([stranger.packet(), new Uint8Array(10)]), audio.rtpPort);
    }
    await Bun.sleep(200);
    expect(stranger.received).toHaveLength(0);
    expect(audio.statistics.packetsReceived).toBe(0);
    const theirs = new SrtpOutbound(SUITE, THEIR_KEY);
    theirs.mki = mkiBytes(mki);
    const sent: Uint8Array[] = [];
    for (let index = 0; index < 5; index++) {
      const datagram = new Uint8Array(172 + RTP_TRAILER_BYTES_MAX);
      const plain = peer.packet();
      datagram.set(plain);
      sent.push(datagram.slice(0, theirs.protectRtp(datagram, plain.length)));
    }
    for (const packet of sent) peer.send(packet, audio.rtpPort);
    await eventually(() => peer.received.length > 5, "the stream has found its source");
    const received = audio.statistics.packetsReceived;
    for (const packet of sent) stranger.send(packet, audio.rtpPort);
    await Bun.sleep(200);
    expect(stranger.received).toHaveLength(0);
    expect(audio.statistics.packetsReceived).toBe(received);
    const ours = new SrtpInbound(SUITE, OUR_KEY);
    ours.mki = mkiBytes(mki);
    const view = new RtpPacketView();
    const opened = peer.received
      .filter((datagram) => !looksLikeRtcp(datagram))
      .map((datagram) => {
        const packet = ours.unprotectRtp(datagram);
        return packet !== null && view.read(packet) && view.payloadBytes === 160;
      });
    expect(opened.every(Boolean)).toBe(true);
  },
);

test("SRTP continues through hold, a change of codec and a new remote key", async () => {
  const [a, b] = [await openAudio(), await openAudio()];
  const heard = countTone(b, 600);
  a.play(sine(600, 30_000, 8000));
  const connect = (name: CodecName, aKey: string, change: Partial<MediaPlan> = {}) => {
    b.connect(planTo(a.rtpPort, name, { srtp: keys(THEIR_KEY, aKey) }));
    a.connect(planTo(b.rtpPort, name, { srtp: keys(aKey, THEIR_KEY), ...change }));
  };
  connect("PCMA", OUR_KEY);
  await hears(heard, "at first");
  connect("PCMA", OUR_KEY, { direction: "recvonly" });
  await Bun.sleep(100);
  connect("G722", OUR_KEY);
  await hears(heard, "after hold, in G.722");
  connect("G722", Buffer.alloc(30, 8).toString("base64"));
  await hears(heard, "with a new key");
});
