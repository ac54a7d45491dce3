import { expect, test } from "bun:test";
import type { CodecName } from "../../../src/core/codecs.ts";
import { seededRandom } from "../../../src/core/random.ts";
import { estimateMos } from "../../../src/media/rtp/quality.ts";
import { RtpReceiver } from "../../../src/media/rtp/receiver.ts";
import { decodeG711, encodeG711, type G711Law } from "../../../src/platform/audio/g711.ts";
import { sine, toneShare } from "../../../src/platform/audio/tones.ts";
import { buildRtpPacket } from "../../support/media/rtp-packet.ts";

const SDP = { host: "192.0.2.1", port: 4000 };

function toneReceiver() {
  const receiver = new RtpReceiver({ jitterMsMax: 200, onDigit: () => {} });
  receiver.configure({ codec: "PCMA", payloadType: 8, telephoneEventType: 101 });
  receiver.source.signal(SDP);
  const tone = sine(500, 20, 8000);
  const payload = new Uint8Array(160);
  encodeG711("PCMA", tone, payload);
  let nowMs = 0;
  const frame = new Int16Array(160);
  return {
    receiver,
    /** One tick: first the packet, then the played frame. */
    tick(packet: {
      ssrc: number;
      sequenceNumber: number;
      timestamp: number;
      payloadType?: number;
    }) {
      nowMs += 20;
      const header = { marker: false, payloadType: 8, ...packet };
      receiver.receive(buildRtpPacket(header, payload), SDP.host, SDP.port, nowMs);
      receiver.takeFrame(frame, nowMs);
      return toneShare(frame, 500, 8000);
    },
  };
}

test("a new SSRC is accepted at its second packet, a single stray one never", () => {
  const { receiver, tick } = toneReceiver();
  for (let index = 0; index < 20; index++) {
    tick({ ssrc: 1, sequenceNumber: index, timestamp: index * 160 });
  }
  tick({ ssrc: 77, sequenceNumber: 900, timestamp: 5 });
  expect(receiver.ssrc).toBe(1);
  const shares: number[] = [];
  for (let index = 0; index < 20; index++) {
    shares.push(tick({ ssrc: 2, sequenceNumber: 60_000 + index, timestamp: 9e8 + index * 160 }));
  }
  expect(receiver.ssrc).toBe(2);
  expect(shares.slice(8).every((share) => share > 0.9)).toBe(true);
  expect(receiver.reception.packetsLost).toBe(0);
});

test("keys under a separate SSRC are taken once each, and the audio between them is heard", () => {
  const digits: string[] = [];
  const receiver = new RtpReceiver({ jitterMsMax: 200, onDigit: (digit) => digits.push(digit) });
  receiver.configure({ codec: "PCMA", payloadType: 8, telephoneEventType: 101 });
  receiver.source.signal(SDP);
  const packet = (header: Parameters<typeof buildRtpPacket>[0], payload: Uint8Array) =>
    receiver.receive(buildRtpPacket(header, payload), SDP.host, SDP.port, 20);
  const audio = { marker: false, payloadType: 8, ssrc: 1 };
  packet({ ...audio, sequenceNumber: 0, timestamp: 0 }, new Uint8Array(160));
  for (let index = 0; index < 24; index++) {
    const [press, step] = [Math.floor(index / 8), index % 8];
    packet(
      {
        marker: step === 0,
        payloadType: 101,
        ssrc: 2,
        sequenceNumber: 900 + index,
        timestamp: 77 + press * 3000,
      },
      Uint8Array.of(press + 6, step > 4 ? 0x8a : 0x0a, 3, (step + 1) * 10),
    );
    const sequenceNumber = index + 1;
    packet({ ...audio, sequenceNumber, timestamp: sequenceNumber * 160 }, new Uint8Array(160));
  }
  expect(digits.join("")).toBe("678");
  expect([receiver.ssrc, receiver.reception.packetsReceived]).toEqual([1, 25]);
});

test("a key pressed while a new SSRC takes over is taken once", () => {
  const digits: string[] = [];
  const receiver = new RtpReceiver({ jitterMsMax: 200, onDigit: (digit) => digits.push(digit) });
  receiver.configure({ codec: "PCMA", payloadType: 8, telephoneEventType: 101 });
  receiver.source.signal(SDP);
  for (let index = 0; index < 12; index++) {
    const isEvent = index > 2 && index % 2 === 1;
    const header = { marker: false, sequenceNumber: index, timestamp: isEvent ? 480 : index * 160 };
    const [payloadType, ssrc] = [isEvent ? 101 : 8, index > 2 ? 2 : 1];
    const payload = isEvent ? Uint8Array.of(5, 10, 3, index) : new Uint8Array(160);
    const datagram = buildRtpPacket({ ...header, payloadType, ssrc }, payload);
    receiver.receive(datagram, SDP.host, SDP.port, index * 20);
  }
  expect([digits.join(""), receiver.ssrc]).toEqual(["5", 2]);
});

test("audio and keys are also accepted with the remote party's own payload types", () => {
  const digits: string[] = [];
  const receiver = new RtpReceiver({ jitterMsMax: 200, onDigit: (digit) => digits.push(digit) });
  receiver.configure({
    codec: "opus",
    payloadType: 111,
    telephoneEventType: 101,
    remoteTypes: { codec: 96, telephoneEvent: 97 },
  });
  receiver.source.signal(SDP);
  const taken = [111, 96, 101, 97, 98].map((payloadType, sequenceNumber) => {
    const header = { marker: false, ssrc: 1, sequenceNumber, timestamp: 960, payloadType };
    const isEvent = payloadType === 101 || payloadType === 97;
    const payload = isEvent ? Uint8Array.of(sequenceNumber, 10, 3, 0) : Uint8Array.of(8, 0);
    return receiver.receive(buildRtpPacket(header, payload), SDP.host, SDP.port, 20);
  });
  expect(taken).toEqual([true, true, true, true, false]);
  expect(digits.join("")).toBe("2");
});

test("unknown payload types are not heard", () => {
  const { receiver, tick } = toneReceiver();
  for (let index = 0; index < 10; index++) {
    tick({ ssrc: 1, sequenceNumber: index, timestamp: index * 160, payloadType: 96 });
  }
  expect(receiver.reception.packetsReceived).toBe(0);
});

test("unknown payload types keep the call alive if they come from the remote address (RFC 6263)", () => {
  const { receiver, tick } = toneReceiver();
  const foreign = { marker: false, ssrc: 1, sequenceNumber: 1, timestamp: 0, payloadType: 126 };
  receiver.receive(buildRtpPacket(foreign, new Uint8Array(1)), "192.0.2.66", SDP.port, 7);
  expect(receiver.lastLifeMs).toBeNull();
  tick({ ssrc: 1, sequenceNumber: 2, timestamp: 160, payloadType: 126 });
  expect(receiver.lastLifeMs).toBe(20);
});

test("timestamps that restart under the same SSRC are heard, and do not count as jitter", () => {
  const { receiver, tick } = toneReceiver();
  const shares: number[] = [];
  for (let index = 0; index < 200; index++) {
    const base = [0, 9e8, 4e9, 7e4][Math.floor(index / 50)] ?? 0;
    const timestamp = base + index * 160;
    shares.push(tick({ ssrc: 1, sequenceNumber: index, timestamp }));
  }
  expect(shares.filter((share) => share > 0.9).length).toBeGreaterThan(170);
  expect(receiver.reception.jitterMs).toBe(0);
});

test("the quality falls with loss and delay, from 4.3 down to 1", () => {
  expect(estimateMos(0, 100)).toBeGreaterThan(4.3);
  expect(estimateMos(0.05, 100)).toBeLessThan(estimateMos(0.01, 100));
  expect(estimateMos(0, 500)).toBeLessThan(estimateMos(0, 200));
  expect(estimateMos(1, 100)).toBeLessThan(1.6);
});

test("packets of changing length (10, 20 or 30 ms) are heard as one stream, each octet once", () => {
  const receiver = new RtpReceiver({ jitterMsMax: 200, onDigit: () => {} });
  receiver.configure({ codec: "PCMA", payloadType: 8, telephoneEventType: 101 });
  receiver.source.signal(SDP);
  const tone = sine(400, 6000, 8000);
  const octets = new Uint8Array(tone.length);
  encodeG711("PCMA", tone, octets);
  const heard: number[] = [];
  const frame = new Int16Array(160);
  const sizes = [80, 160, 240];
  let sentTo = 0;
  for (let tick = 0, packet = 0; tick < 100; tick++) {
    while (sentTo < (tick + 1) * 160) {
      const size = sizes[packet % sizes.length] ?? 160;
      const header = { marker: false, payloadType: 8, sequenceNumber: packet, ssrc: 1 };
      const payload = octets.subarray(sentTo, sentTo + size);
      const datagram = buildRtpPacket({ ...header, timestamp: sentTo }, payload);
      receiver.receive(datagram, SDP.host, SDP.port, tick * 20);
      sentTo += size;
      packet++;
    }
    receiver.takeFrame(frame, tick * 20);
    heard.push(...frame);
  }
  const decoded = new Int16Array(octets.length);
  decodeG711("PCMA", octets, decoded);
  const start = heard.findIndex((sample) => sample !== 0);
  const length = heard.length - start;
  expect(length).toBeGreaterThan(14_000);
  const first = decoded.indexOf(heard[start] ?? 0);
  expect(heard.slice(start)).toEqual([...decoded.subarray(first, first + length)]);
});

/** The heard tone, sent in `sent` although `agreed` was negotiated; leading silence is cut off. */
function heardOf(agreed: CodecName, sent: G711Law): { heard: number[]; decoded: Int16Array } {
  const receiver = new RtpReceiver({ jitterMsMax: 200, onDigit: () => {} });
  const payloadType = { PCMU: 0, PCMA: 8, G722: 9, opus: 111 }[agreed];
  receiver.configure({ codec: agreed, payloadType, telephoneEventType: 101 });
  receiver.source.signal(SDP);
  const octets = new Uint8Array(8000);
  encodeG711(sent, sine(400, 1000, 8000), octets);
  const frame = new Int16Array(160);
  const heard: number[] = [];
  for (let tick = 0; tick < 50; tick++) {
    const header = { marker: false, payloadType: sent === "PCMU" ? 0 : 8, ssrc: 1 };
    const datagram = buildRtpPacket(
      { ...header, sequenceNumber: tick, timestamp: tick * 160 },
      octets.subarray(tick * 160, tick * 160 + 160),
    );
    receiver.receive(datagram, SDP.host, SDP.port, tick * 20);
    receiver.takeFrame(frame, tick * 20);
    heard.push(...frame);
  }
  const decoded = new Int16Array(octets.length);
  decodeG711(sent, octets, decoded);
  receiver.close();
  return { heard: heard.slice(heard.findIndex((sample) => sample !== 0)), decoded };
}

test.each([
  ["PCMA", "PCMU"],
  ["PCMU", "PCMA"],
  ["PCMA", "PCMA"],
  ["PCMU", "PCMU"],
  ["G722", "PCMA"],
  ["opus", "PCMU"],
] as const)("%s was answered and %s is sent: the sent law decodes it", (agreed, sent) => {
  const { heard, decoded } = heardOf(agreed, sent);
  expect(heard.length).toBeGreaterThan(6_000);
  const first = decoded.indexOf(heard[0] ?? 0);
  expect(heard).toEqual([...decoded.subarray(first, first + heard.length)]);
});

test("a burst after a stall is heard completely, and in silence the delay shrinks again", () => {
  const receiver = new RtpReceiver({ jitterMsMax: 200, onDigit: () => {} });
  receiver.configure({ codec: "PCMA", payloadType: 8, telephoneEventType: 101 });
  receiver.source.signal(SDP);
  const random = seededRandom(5);
  const [stalledFrom, stalledTo, speechTo, clickAt] = [50, 56, 100, 190];
  const sent = Int16Array.from({ length: 200 * 160 }, (_, index) => {
    const tick = Math.floor(index / 160);
    return tick < speechTo || tick === clickAt ? Math.round(random.float() * 8000 - 4000) : 0;
  });
  const octets = new Uint8Array(sent.length);
  encodeG711("PCMA", sent, octets);
  const decoded = new Int16Array(octets.length);
  decodeG711("PCMA", octets, decoded);
  const frame = new Int16Array(160);
  const heard: number[] = [];
  let next = 0;
  for (let tick = 0; tick < 200; tick++) {
    const isStalled = tick >= stalledFrom && tick < stalledTo;
    for (; !isStalled && next <= tick; next++) {
      const header = { marker: false, payloadType: 8, ssrc: 1, sequenceNumber: next };
      const payload = octets.subarray(next * 160, next * 160 + 160);
      const datagram = buildRtpPacket({ ...header, timestamp: next * 160 }, payload);
      receiver.receive(datagram, SDP.host, SDP.port, tick * 20);
    }
    receiver.takeFrame(frame, tick * 20);
    heard.push(...frame);
  }
  const whereOf = (from: number, to: number) =>
    heard.join().indexOf(decoded.subarray(from, to).join());
  // The first 5 ms after the gap are blended with the concealed audio.
  expect(whereOf(stalledFrom * 160 + 40, speechTo * 160)).toBeGreaterThan(0);
  const click = heard.lastIndexOf(decoded[clickAt * 160] ?? 0);
  expect(whereOf(clickAt * 160, clickAt * 160 + 160)).toBeGreaterThan(0);
  expect((click - clickAt * 160) / 8).toBeLessThanOrEqual(60);
  expect([receiver.packetsDiscarded, receiver.reception.packetsLost]).toEqual([0, 0]);
});
