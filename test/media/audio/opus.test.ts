import { expect, test } from "bun:test";
import { createDecoder, createEncoder } from "libopus-wasm";
import { seededRandom } from "../../../src/core/random.ts";
import { opusPacketMs } from "../../../src/media/audio/opus/opus-packet-store.ts";
import { RtpReceiver } from "../../../src/media/rtp/receiver.ts";
import { RtpSender } from "../../../src/media/rtp/sender.ts";
import { sine, toneShare } from "../../../src/platform/audio/tones.ts";
import { buildRtpPacket } from "../../support/media/rtp-packet.ts";
import { speechLike } from "../../support/speech/speech-like.ts";

const FAR = { host: "192.0.2.1", port: 4000 };
const RATE_HZ = 16_000;
const FRAME = 320;

/** A sender connected to a receiver; `arrives` decides which packets arrive. */
async function stream(ptimeMs: number, arrives: (packet: number) => boolean = () => true) {
  let packet = 0;
  let nowMs = 0;
  const receiver = new RtpReceiver({
    jitterMsMax: 200,
    onDigit: () => {},
    sampleRateHz: RATE_HZ,
    random: seededRandom(1),
  });
  const sender = new RtpSender(
    seededRandom(2),
    (datagram, size) => {
      if (arrives(packet++)) receiver.receive(datagram.slice(0, size), FAR.host, FAR.port, nowMs);
    },
    RATE_HZ,
  );
  const format = { codec: "opus", payloadType: 111, telephoneEventType: null } as const;
  sender.configure({ ...format, ptimeMs });
  receiver.configure(format);
  receiver.source.signal(FAR);
  // Both coders are ready a moment after the first request.
  await createEncoder().then((handle) => handle.free());
  await Bun.sleep(10);
  const play = (pcm: Int16Array): Int16Array => {
    const heard = new Int16Array(pcm.length);
    for (let from = 0; from + FRAME <= pcm.length; from += FRAME) {
      nowMs += 20;
      sender.sendAudio(pcm.subarray(from, from + FRAME));
      receiver.takeFrame(heard.subarray(from, from + FRAME), nowMs);
    }
    return heard;
  };
  const close = () => {
    sender.close();
    receiver.close();
  };
  return { play, close, receiver, sender };
}

test("the length of a packet is read from its first octets", async () => {
  const encoder = await createEncoder({ sampleRate: RATE_HZ, channels: 1 });
  for (const ms of [10, 20, 40, 60]) {
    const pcm = sine(400, ms, RATE_HZ);
    expect(opusPacketMs(encoder.encode(pcm, { frameSize: pcm.length }))).toBe(ms);
  }
  encoder.free();
  expect(opusPacketMs(new Uint8Array(0))).toBe(0);
  expect(opusPacketMs(Uint8Array.of(0xff, 0x3f))).toBe(0);
});

for (const ptimeMs of [10, 20, 40, 60]) {
  test(`a wideband tone is heard in packets of ${ptimeMs} ms`, async () => {
    const { play, close, receiver } = await stream(ptimeMs);
    const heard = play(sine(5000, 2000, RATE_HZ));
    close();
    expect(toneShare(heard.subarray(16_000, 24_000), 5000, RATE_HZ)).toBeGreaterThan(0.9);
    expect(receiver.reception.packetsLost).toBe(0);
  });
}

/** Signal against difference, in dB, over frames; the coder's delay is found by trying. */
function quality(heard: Int16Array, reference: Int16Array): number {
  let error = 0;
  let energy = 0;
  for (let index = 0; index < heard.length; index++) {
    error += ((heard[index] ?? 0) - (reference[index] ?? 0)) ** 2;
    energy += (reference[index] ?? 0) ** 2;
  }
  return 10 * Math.log10(energy / Math.max(1, error));
}

test("a tenth of the packets lost: FEC in the next packet rebuilds them better than concealment", async () => {
  const speech = speechLike(RATE_HZ, 6000);
  const lost = (packet: number) => packet % 10 !== 7;
  const whole = await stream(20);
  const reference = whole.play(speech);
  whole.close();
  const lossy = await stream(20, lost);
  const rebuilt = quality(lossy.play(speech), reference);
  lossy.close();
  const concealed = quality(
    await concealedByLibopus(speech, lost),
    await concealedByLibopus(speech, () => true),
  );
  expect(rebuilt).toBeGreaterThan(concealed + 1);
});

/** The same loss, decoded without looking at the next packet. */
async function concealedByLibopus(speech: Int16Array, arrives: (packet: number) => boolean) {
  const encoder = await createEncoder({
    sampleRate: RATE_HZ,
    channels: 1,
    application: 2048,
    bitrate: 24_000,
    complexity: 5,
    fec: true,
    packetLossPercent: 10,
    frameSize: FRAME,
  });
  const decoder = await createDecoder({ sampleRate: RATE_HZ, channels: 1 });
  const heard = new Int16Array(speech.length);
  for (let packet = 0; (packet + 1) * FRAME <= speech.length; packet++) {
    const coded = encoder.encode(speech.subarray(packet * FRAME, (packet + 1) * FRAME));
    heard.set(
      arrives(packet) ? decoder.decode(coded) : decoder.decodePacketLoss(FRAME),
      packet * FRAME,
    );
  }
  encoder.free();
  decoder.free();
  return heard;
}

test("no payload makes it throw, and frames continue", async () => {
  const { receiver, close } = await stream(20);
  const random = seededRandom(8);
  const frame = new Int16Array(FRAME);
  for (let index = 0; index < 3000; index++) {
    const payload = random.bytes(Math.floor(random.float() * 120));
    const header = {
      marker: false,
      payloadType: 111,
      ssrc: 5,
      sequenceNumber: index,
      timestamp: index * 960,
    };
    receiver.receive(buildRtpPacket(header, payload), FAR.host, FAR.port, index * 20);
    receiver.takeFrame(frame, index * 20);
  }
  close();
  expect(receiver.reception.packetsReceived).toBe(3000);
});
