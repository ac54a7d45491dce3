/**
 * CPU cost of a codec: the whole path of one direction, from the conversation's frame to the
 * datagram (resampling, encoding, and SRTP if named) and back (decryption, jitter buffer, decoding,
 * resampling). Unit: times real time, by CPU time. A call needs both directions.
 */

import type { CodecName } from "../../src/core/codecs.ts";
import type { SrtpKeys } from "../../src/core/media-plan.ts";
import { seededRandom } from "../../src/core/random.ts";
import { DtmfDetector } from "../../src/media/dtmf/tone-detector.ts";
import { RtpReceiver } from "../../src/media/rtp/receiver.ts";
import { RtpSender } from "../../src/media/rtp/sender.ts";
import { SrtpSession } from "../../src/media/srtp/session.ts";

export interface CodecResult {
  readonly line: string;
  /** Seconds of audio per second of CPU time. */
  readonly encode: number;
  readonly decode: number;
  /** Percent of one core per call, both directions. */
  readonly cpuPercentPerCall: number;
}

interface Line {
  readonly codec: CodecName;
  readonly sampleRateHz: 8000 | 16000;
  readonly srtp?: boolean;
}

const LINES: readonly Line[] = [
  { codec: "PCMA", sampleRateHz: 8000 },
  { codec: "PCMA", sampleRateHz: 8000, srtp: true },
  { codec: "G722", sampleRateHz: 8000 },
  { codec: "G722", sampleRateHz: 16_000 },
  { codec: "opus", sampleRateHz: 8000 },
  { codec: "opus", sampleRateHz: 16_000 },
];
const FAR = { host: "192.0.2.1", port: 4000 };
const WARM_UP_SECONDS = 5;
const LOAD_TRIES = 100;
const LOAD_PAUSE_MS = 100;
const KEY = Buffer.alloc(30, 1).toString("base64");
const KEYS: SrtpKeys = { suite: "AES_CM_128_HMAC_SHA1_80", sendKey: KEY, receiveKey: KEY };

/** Two gliding tones and noise, with pauses: hard to compress. */
function talk(audioSeconds: number, sampleRateHz: number): Int16Array {
  const random = seededRandom(2);
  return Int16Array.from({ length: audioSeconds * sampleRateHz }, (_, index) => {
    const second = index / sampleRateHz;
    const loud = Math.floor(second / 1.5) % 3 === 2 ? 0.003 : 1;
    const low = Math.sin(2 * Math.PI * (180 + 60 * Math.sin(second)) * second);
    const high = Math.sin(2 * Math.PI * (900 + 500 * Math.sin(second * 3)) * second);
    return Math.round(loud * (5000 * low + 2500 * high + 800 * (random.float() - 0.5)));
  });
}

export async function measureCodecs(audioSeconds: number): Promise<readonly CodecResult[]> {
  const results: CodecResult[] = [];
  for (const line of LINES) results.push(await measureLine(line, audioSeconds));
  return results;
}

async function measureLine(line: Line, audioSeconds: number): Promise<CodecResult> {
  const { codec, sampleRateHz, srtp = false } = line;
  const frameSamples = sampleRateHz / 50;
  const security = new SrtpSession();
  security.use(srtp ? KEYS : null);
  const datagrams: Uint8Array[] = [];
  const sender = new RtpSender(
    seededRandom(1),
    (datagram, size) => void datagrams.push(datagram.slice(0, security.protectRtp(datagram, size))),
    sampleRateHz,
  );
  const receiver = new RtpReceiver({ jitterMsMax: 200, onDigit: () => {}, sampleRateHz });
  const format = { codec, payloadType: 96, telephoneEventType: null };
  sender.configure({ ...format, ptimeMs: 20 });
  receiver.configure(format);
  receiver.source.signal(FAR);
  const frame = new Int16Array(frameSamples);
  // Opus takes a moment to load, longer on a busy machine.
  for (let wait = 0; wait < LOAD_TRIES && datagrams.length === 0; wait++) {
    await Bun.sleep(LOAD_PAUSE_MS);
    sender.sendAudio(frame);
  }
  await Bun.sleep(LOAD_PAUSE_MS);
  if (datagrams.length === 0) throw new Error(`${codec} did not load`);
  datagrams.length = 0;
  const pcm = talk(audioSeconds + WARM_UP_SECONDS, sampleRateHz);
  const cutAt = WARM_UP_SECONDS * 50;
  const encode = timed(pcm.length / frameSamples, cutAt, (tick) => {
    sender.sendAudio(pcm.subarray(tick * frameSamples, (tick + 1) * frameSamples));
  });
  const decode = timed(datagrams.length, cutAt, (tick) => {
    const packet = security.unprotectRtp(datagrams[tick] ?? frameless);
    if (packet) receiver.receive(packet, FAR.host, FAR.port, tick * 20);
    receiver.takeFrame(frame, tick * 20);
  });
  sender.close();
  receiver.close();
  const name = `${codec}, conversation at ${sampleRateHz / 1000} kHz${srtp ? ", SRTP" : ""}`;
  return {
    line: name,
    encode: (audioSeconds * 1000) / encode,
    decode: (audioSeconds * 1000) / decode,
    cpuPercentPerCall: (encode + decode) / (audioSeconds * 10),
  };
}

const frameless = new Uint8Array(0);

/** CPU time in ms for the ticks from `from`. Load on the machine changes it little. */
function timed(ticks: number, from: number, task: (tick: number) => void): number {
  for (let tick = 0; tick < from; tick++) task(tick);
  const before = process.cpuUsage();
  for (let tick = from; tick < ticks; tick++) task(tick);
  const { user, system } = process.cpuUsage(before);
  return Math.max(1, user + system) / 1000;
}

/** DTMF tone detection, times real time. Only calls without telephone-events need it. */
export function measureToneDetection(audioSeconds: number): number {
  const pcm = talk(audioSeconds, 8000);
  const detector = new DtmfDetector(8000);
  const ms = timed(audioSeconds * 50, 0, (tick) => {
    detector.process(pcm.subarray(tick * 160, (tick + 1) * 160));
  });
  return (audioSeconds * 1000) / ms;
}
