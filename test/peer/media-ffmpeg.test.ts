/**
 * RTP with FFmpeg, without SIP: its coders, packetisers and SRTP are independent of us. It plays two tones, one
 * above the telephone band, to our port, and records our audio on its own port. Takes about half a minute.
 */
import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallAudio } from "../../src/conversation/audio-port.ts";
import { systemClock } from "../../src/core/clock.ts";
import type { CodecName } from "../../src/core/codecs.ts";
import { silentLog } from "../../src/core/log.ts";
import type { MediaPlan, SrtpSuite } from "../../src/core/media-plan.ts";
import { createCallAudio } from "../../src/media/call-audio.ts";
import { createPacer } from "../../src/media/rtp/pacer.ts";
import { createPortPool } from "../../src/media/rtp/port-pool.ts";
import { sine, toneShare } from "../../src/platform/audio/tones.ts";
import { eventually } from "../support/eventually.ts";
import { peerPath, requirePeer } from "../support/peers.ts";

const US = "127.0.46.1";
const FFMPEG = "127.0.46.2";
const RATE_HZ = 16_000;
const THEIRS_HZ = [900, 4700] as const;
const OURS_HZ = [700, 5200] as const;
const OUR_KEY = Buffer.alloc(30, 11).toString("base64");
const THEIR_KEY = Buffer.alloc(30, 22).toString("base64");
const TEST_LIMIT_MS = 40_000;

interface Line {
  readonly codec: CodecName;
  readonly payloadType: number;
  readonly ptimeMs: number;
  readonly coder: readonly string[];
  readonly rtpmap: string;
  readonly suite?: SrtpSuite;
}

const G722 = { codec: "G722", payloadType: 9, coder: ["g722"], rtpmap: "G722/8000" } as const;
const PCMA = {
  codec: "PCMA",
  payloadType: 8,
  rtpmap: "PCMA/8000",
  coder: ["pcm_alaw", "-ar", "8000"],
} as const;
const OPUS = {
  codec: "opus",
  payloadType: 97,
  rtpmap: "opus/48000/2",
  coder: ["libopus", "-ar", "48000", "-b:a", "32k", "-application", "voip"],
} as const;

const LINES: readonly Line[] = [
  { ...G722, ptimeMs: 20 },
  { ...G722, ptimeMs: 60, suite: "AES_CM_128_HMAC_SHA1_32" },
  { ...PCMA, ptimeMs: 20, suite: "AES_CM_128_HMAC_SHA1_80" },
  { ...OPUS, ptimeMs: 20 },
];

const missing = !requirePeer("ffmpeg");
const pacer = createPacer(systemClock, silentLog);
const ports = createPortPool({ first: 25_800, last: 25_999 }, systemClock);
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
afterAll(() => pacer.close());

describe.skipIf(missing)("RTP with FFmpeg", () => {
  for (const [index, line] of LINES.entries()) {
    const { codec, ptimeMs, suite } = line;
    test(
      `${codec} at ${ptimeMs} ms${suite ? `, ${suite}` : ""}: each hears the other`,
      async () => {
        const theirPort = 26_000 + 4 * index;
        const directory = mkdtempSync(join(tmpdir(), "media-ffmpeg-"));
        cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
        // Two streams: FFmpeg sends from another port than it listens on, and ours would follow.
        const [ear, mouth] = [await openAudio(), await openAudio()];
        let heardMs = 0;
        ear.onFrame((pcm) => {
          if (hears(pcm, codec !== "PCMA")) heardMs += 20;
        });
        ear.connect(planTo(theirPort + 2, line));
        mouth.connect(planTo(theirPort, line));
        const written = join(directory, "heard.wav");
        writeFileSync(join(directory, "ours.sdp"), descriptionOf(theirPort, line));
        const listener = ffmpeg(listenWords(directory, written));
        mouth.play(twoTones(OURS_HZ, 12_000));
        ffmpeg(playWords(ear.rtpPort, line));
        await eventually(() => heardMs > 1500, "FFmpeg's tones", 20_000);
        await listener.exited;
        expect(bestShare(readWav(written), codec === "PCMA")).toBeGreaterThan(
          codec === "PCMA" ? 0.8 : 0.35,
        );
        expect(ear.statistics.packetsLost).toBe(0);
      },
      TEST_LIMIT_MS,
    );
  }
});

async function openAudio(): Promise<CallAudio> {
  const audio = await createCallAudio(
    {
      rtpHost: US,
      jitterMsMax: 200,
      rtpTimeoutMs: 15_000,
      holdTimeoutMs: 600_000,
      sampleRateHz: RATE_HZ,
    },
    { ports, pacer, clock: systemClock, log: silentLog },
  );
  cleanups.push(() => audio.close());
  return audio;
}

function planTo(port: number, { codec, payloadType, ptimeMs, suite }: Line): MediaPlan {
  return {
    remote: { host: FFMPEG, port },
    codec: { name: codec, sendPayloadType: payloadType, receivePayloadType: payloadType },
    telephoneEvent: { send: 101, receive: 101 },
    direction: "sendrecv",
    ptimeMs,
    srtp: suite ? { suite, sendKey: OUR_KEY, receiveKey: THEIR_KEY } : null,
  };
}

function descriptionOf(port: number, { payloadType, rtpmap, suite }: Line): string {
  const lines = [
    ...["v=0", `o=- 1 1 IN IP4 ${US}`, "s=-", `c=IN IP4 ${FFMPEG}`, "t=0 0"],
    `m=audio ${port} ${suite ? "RTP/SAVP" : "RTP/AVP"} ${payloadType}`,
    `a=rtpmap:${payloadType} ${rtpmap}`,
    ...(suite ? [`a=crypto:1 ${suite} inline:${OUR_KEY}`] : []),
  ];
  return `${lines.join("\r\n")}\r\n`;
}

/** Records three seconds of the received audio as a WAV. */
const listenWords = (directory: string, written: string) => [
  ...["-protocol_whitelist", "file,udp,rtp,srtp,crypto", "-i", join(directory, "ours.sdp")],
  ...["-t", "3", "-ac", "1", "-ar", String(RATE_HZ), "-c:a", "pcm_s16le", written],
];

/** Two tones in real time from FFmpeg's address. */
function playWords(port: number, { payloadType, coder, suite, ptimeMs }: Line): string[] {
  const [low, high] = THEIRS_HZ;
  const source = `aevalsrc=0.15*sin(2*PI*${low}*t)+0.15*sin(2*PI*${high}*t):s=${RATE_HZ}:d=10`;
  const samples = coder.includes("8000") ? 8 * ptimeMs : 16 * ptimeMs;
  const frames = coder.includes("libopus") ? [] : ["-af", `asetnsamples=n=${samples}:p=0`];
  return [
    ...["-re", "-f", "lavfi", "-i", source, "-c:a", ...coder, ...frames, "-ac", "1"],
    ...["-payload_type", String(payloadType), "-f", "rtp"],
    ...(suite ? ["-srtp_out_suite", suite, "-srtp_out_params", THEIR_KEY] : []),
    `${suite ? "srtp" : "rtp"}://${US}:${port}?localaddr=${FFMPEG}&pkt_size=1200`,
  ];
}

function ffmpeg(words: readonly string[]) {
  const child = Bun.spawn([peerPath("ffmpeg"), "-loglevel", "error", "-y", "-nostdin", ...words], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  cleanups.push(async () => {
    child.kill("SIGKILL");
    await child.exited;
  });
  return child;
}

function readWav(path: string): Int16Array {
  const wav = readFileSync(path);
  const bytes = wav.subarray(wav.indexOf("data", 12, "latin1") + 8);
  return Int16Array.from({ length: bytes.length >> 1 }, (_, at) => bytes.readInt16LE(at * 2));
}

function bestShare(heard: Int16Array, isNarrow: boolean): number {
  let best = 0;
  for (let start = 0; start + 3200 <= heard.length; start += 1600) {
    const part = heard.subarray(start, start + 3200);
    const [low = 0, high = 0] = OURS_HZ.map((hz) => toneShare(part, hz, RATE_HZ));
    best = Math.max(best, isNarrow ? low : Math.min(low, high));
  }
  return best;
}

function hears(pcm: Int16Array, isWide: boolean): boolean {
  const [low = 0, high = 0] = THEIRS_HZ.map((hz) => toneShare(pcm, hz, RATE_HZ));
  return isWide ? low > 0.3 && high > 0.3 : low > 0.8;
}

function twoTones([lowHz, highHz]: readonly [number, number], durationMs: number): Int16Array {
  const low = sine(lowHz, durationMs, RATE_HZ, 5000);
  const high = sine(highHz, durationMs, RATE_HZ, 5000);
  return low.map((sample, index) => sample + (high[index] ?? 0));
}
