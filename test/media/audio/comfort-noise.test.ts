import { expect, test } from "bun:test";
import { seededRandom } from "../../../src/core/random.ts";
import { ComfortNoise, noiseLevelOf } from "../../../src/media/audio/comfort-noise.ts";
import { RtpPacketView } from "../../../src/media/rtp/packet.ts";
import { RtpReceiver } from "../../../src/media/rtp/receiver.ts";
import { RtpSender } from "../../../src/media/rtp/sender.ts";
import { sine, toneShare } from "../../../src/platform/audio/tones.ts";
import { buildRtpPacket } from "../../support/media/rtp-packet.ts";

const FAR = { host: "192.0.2.1", port: 4000 };

function noiseOf(payload: Uint8Array, samples = 16_000): Int16Array {
  const noise = new ComfortNoise(seededRandom(3));
  noise.update(payload);
  const pcm = new Int16Array(samples);
  for (let from = 0; from < samples; from += 80) noise.fill(pcm.subarray(from, from + 80));
  return pcm.subarray(4000);
}

for (const level of [30, 45, 60, 75]) {
  test(`noise of −${level} dBov is that loud, to 1 dB`, () => {
    expect(Math.abs(noiseLevelOf(noiseOf(Uint8Array.of(level))) - level)).toBeLessThanOrEqual(1);
  });
}

/** Energy of the differences of neighbours over the energy: 2 for white noise, less for dull. */
function brightness(pcm: Int16Array): number {
  let difference = 0;
  let energy = 0;
  for (let index = 1; index < pcm.length; index++) {
    difference += ((pcm[index] ?? 0) - (pcm[index - 1] ?? 0)) ** 2;
    energy += (pcm[index] ?? 0) ** 2;
  }
  return difference / energy;
}

test("a reflection coefficient colours it and keeps its level", () => {
  const white = noiseOf(Uint8Array.of(45));
  const coloured = [60, 190].map((coefficient) => noiseOf(Uint8Array.of(45, coefficient)));
  expect(brightness(white)).toBeCloseTo(2, 1);
  const [first, second] = coloured.map(brightness).sort((a, b) => a - b);
  expect(first).toBeLessThan(1.3);
  expect(second).toBeGreaterThan(2.7);
  for (const pcm of coloured) expect(Math.abs(noiseLevelOf(pcm) - 45)).toBeLessThanOrEqual(1.5);
});

test("any payload makes noise within limits", () => {
  const random = seededRandom(5);
  for (let run = 0; run < 300; run++) {
    const pcm = noiseOf(random.bytes(Math.floor(random.float() * 20)), 4800);
    expect(pcm.every((sample) => Number.isFinite(sample))).toBe(true);
  }
});

function receiving() {
  const receiver = new RtpReceiver({
    jitterMsMax: 200,
    onDigit: () => {},
    random: seededRandom(1),
  });
  receiver.configure({ codec: "PCMA", payloadType: 8, telephoneEventType: 101 });
  receiver.source.signal(FAR);
  const frame = new Int16Array(160);
  let nowMs = 0;
  let sequenceNumber = 0;
  return {
    receiver,
    tick(payloadType: number | null, payload = new Uint8Array(160).fill(0x55)): number {
      nowMs += 20;
      if (payloadType !== null) {
        const header = {
          marker: false,
          payloadType,
          sequenceNumber,
          timestamp: nowMs * 8,
          ssrc: 9,
        };
        sequenceNumber++;
        receiver.receive(buildRtpPacket(header, payload), FAR.host, FAR.port, nowMs);
      }
      receiver.takeFrame(frame, nowMs);
      return noiseLevelOf(frame);
    },
  };
}

test("a silent remote party is heard as its noise, until it sends something else", () => {
  const { tick, receiver } = receiving();
  for (let count = 0; count < 20; count++) tick(8);
  tick(13, Uint8Array.of(55));
  const levels = Array.from({ length: 500 }, () => tick(null));
  expect(levels.slice(20).every((level) => Math.abs(level - 55) < 4)).toBe(true);
  const spoken = new Uint8Array(160).fill(0x2a);
  const after = Array.from({ length: 20 }, () => tick(8, spoken));
  expect(after.at(-1)).toBeLessThan(20);
  expect(receiver.reception.packetsLost).toBe(0);
});

test("without comfort noise a silence of the network fades to nothing", () => {
  const { tick } = receiving();
  for (let count = 0; count < 20; count++) tick(8, new Uint8Array(160).fill(0x2a));
  expect(Array.from({ length: 20 }, () => tick(null)).at(-1)).toBe(127);
});

test("if agreed on, our silence is a packet every half second, and speech is complete from its start", () => {
  const sent: { type: number; timestamp: number; marker: boolean }[] = [];
  const view = new RtpPacketView();
  const sender = new RtpSender(seededRandom(2), (datagram, size) => {
    view.read(datagram.subarray(0, size));
    sent.push({ type: view.payloadType, timestamp: view.timestamp, marker: view.marker });
  });
  const format = { codec: "PCMA", payloadType: 8, telephoneEventType: 101, ptimeMs: 20 } as const;
  sender.configure({ ...format, comfortNoiseType: 13 });
  const quiet = new Int16Array(160).fill(3);
  const loud = sine(400, 20, 8000);
  for (let tick = 0; tick < 50; tick++) sender.sendAudio(loud);
  for (let tick = 0; tick < 250; tick++) sender.sendAudio(quiet);
  const noise = sent.filter(({ type }) => type === 13);
  expect(noise.length).toBe(10);
  expect(sent.length).toBe(50 + 10 + 10);
  const before = sent.length;
  for (let tick = 0; tick < 5; tick++) sender.sendAudio(loud);
  expect(sent.length - before).toBe(5);
  expect(sent[before]?.marker).toBe(true);
  expect(((sent[before]?.timestamp ?? 0) - (sent[0]?.timestamp ?? 0)) >>> 0).toBe(300 * 160);
  sender.configure(format);
  for (let tick = 0; tick < 50; tick++) sender.sendAudio(quiet);
  expect(sent.length - before).toBe(55);
});

test("a tone at speech level never counts as silence", () => {
  expect(noiseLevelOf(sine(400, 20, 8000, 300))).toBeLessThan(50);
  expect(toneShare(sine(400, 20, 8000), 400, 8000)).toBeGreaterThan(0.9);
});
