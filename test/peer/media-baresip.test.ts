/**
 * Media with baresip, directly and for both directions of calling: it has an independent G.722 coder and SRTP
 * (libsrtp). Each side plays two tones, one of them above the telephone band, and the other side must hear them.
 * Takes about half a minute: the calls are real.
 */
import { afterAll, describe, expect, test } from "bun:test";
import type { IncomingLeg, SipStack, Trunk } from "../../src/call/sip-port.ts";
import type { CallAudio } from "../../src/conversation/audio-port.ts";
import { systemClock } from "../../src/core/clock.ts";
import type { CodecName } from "../../src/core/codecs.ts";
import { e164 } from "../../src/core/e164.ts";
import { silentLog } from "../../src/core/log.ts";
import type { MediaPlan } from "../../src/core/media-plan.ts";
import { createCallAudio } from "../../src/media/call-audio.ts";
import { createPacer } from "../../src/media/rtp/pacer.ts";
import { createPortPool } from "../../src/media/rtp/port-pool.ts";
import { sine, toneShare } from "../../src/platform/audio/tones.ts";
import type { SrtpMode } from "../../src/sip/sdes.ts";
import { eventually } from "../support/eventually.ts";
import { requirePeer } from "../support/peers.ts";
import { type Baresip, type BaresipOptions, startBaresip } from "../support/sip/baresip.ts";
import { startStack, trunkSettings } from "../support/sip/sip-stack.ts";

const US = "127.0.44.1";
const OUR_NUMBER = e164("+37061001001");
const THEIR_NUMBER = e164("+37061001002");
const RATE_HZ = 16_000;
const OURS_HZ = [700, 5200] as const;
const THEIRS_HZ = [900, 4700] as const;
const HEARD_RATE_HZ = { PCMU: 8000, PCMA: 8000, G722: 16_000, opus: 48_000 } as const;
const LISTEN_MS = 1500;
const CALL_LIMIT_MS = 40_000;

interface Case {
  readonly name: string;
  readonly codecs: readonly CodecName[];
  readonly srtp: SrtpMode;
  readonly peer: Pick<BaresipOptions, "codecs" | "encryption" | "ptimeMs">;
  readonly agreed: CodecName;
  readonly isProtected: boolean;
}

const CASES: readonly Case[] = [
  {
    name: "G.722",
    codecs: ["G722", "PCMA", "PCMU"],
    srtp: "off",
    peer: { codecs: "g722" },
    agreed: "G722",
    isProtected: false,
  },
  {
    name: "G.722 in packets of 40 ms, SRTP where possible",
    codecs: ["G722", "PCMA", "PCMU"],
    srtp: "optional",
    peer: { codecs: "g722", encryption: "srtp", ptimeMs: 40 },
    agreed: "G722",
    isProtected: true,
  },
  {
    name: "Opus",
    codecs: ["opus", "PCMA"],
    srtp: "off",
    peer: { codecs: "opus" },
    agreed: "opus",
    isProtected: false,
  },
  {
    name: "G.711, SRTP required by both",
    codecs: ["PCMA", "PCMU"],
    srtp: "required",
    peer: { codecs: "pcma", encryption: "srtp-mand" },
    agreed: "PCMA",
    isProtected: true,
  },
  {
    name: "G.711, SRTP where possible with a telephone that has none",
    codecs: ["PCMA", "PCMU"],
    srtp: "optional",
    peer: { codecs: "pcmu" },
    agreed: "PCMU",
    isProtected: false,
  },
];

const missing = !requirePeer("baresip");
const pacer = createPacer(systemClock, silentLog);
const ports = createPortPool({ first: 25_000, last: 25_199 }, systemClock);
afterAll(() => pacer.close());

describe.skipIf(missing)("media with baresip", () => {
  CASES.forEach((testCase, index) => {
    test(
      `${testCase.name}: both hear each other, for calls from either side`,
      async () => {
        const telephoneHost = `127.0.44.${20 + index}`;
        const telephone = await startBaresip({
          ...testCase.peer,
          host: telephoneHost,
          provider: null,
          user: THEIR_NUMBER,
          password: "",
          rateHz: RATE_HZ,
          microphone: twoTones(THEIRS_HZ, 20_000),
        });
        const stack = await startStack(US, silentLog, {
          codecs: testCase.codecs,
          srtp: testCase.srtp,
        });
        try {
          const trunk = stack.addTrunk(
            trunkSettings({ server: telephoneHost, port: 5060, register: false }),
          );
          await weCall(testCase, trunk, telephone);
          await theyCall(testCase, stack, telephone);
        } finally {
          await stack.close();
          await telephone.stop();
        }
      },
      CALL_LIMIT_MS,
    );
  });

  for (const { codec, encryption } of [
    { codec: "G722", encryption: "srtp" },
    { codec: "opus", encryption: undefined },
  ] as const) {
    test(
      `${codec}${encryption ? " under SRTP" : ""}: hold and resume, and keys in both directions, in one call`,
      async () => {
        const telephoneHost = encryption ? "127.0.44.31" : "127.0.44.32";
        const telephone = await startBaresip({
          host: telephoneHost,
          provider: null,
          user: THEIR_NUMBER,
          password: "",
          rateHz: RATE_HZ,
          microphone: twoTones(THEIRS_HZ, 30_000),
          codecs: codec.toLowerCase(),
          ...(encryption && { encryption }),
        });
        const stack = await startStack(US, silentLog, { codecs: [codec], srtp: "optional" });
        const audio = await openAudio();
        try {
          const server = { server: telephoneHost, port: 5060, register: false };
          const leg = stack.addTrunk(trunkSettings(server)).place({
            to: THEIR_NUMBER,
            from: OUR_NUMBER,
            media: { host: US, port: audio.rtpPort },
            ringTimeoutMs: 10_000,
          });
          const directions: string[] = [];
          leg.on("media", ({ plan }) => {
            directions.push(plan.direction);
            audio.connect(plan);
          });
          let digits = "";
          audio.onDigit((digit) => {
            digits += digit;
          });
          let heardMs = 0;
          audio.onFrame((pcm) => {
            if (hears(pcm, THEIRS_HZ, true)) heardMs += 20;
          });
          const answered = Promise.withResolvers<MediaPlan>();
          leg.on("answered", ({ plan }) => answered.resolve(plan));
          leg.on("ended", (end) => answered.reject(new Error(end.explanation)));
          audio.connect(await answered.promise);
          await eventually(() => heardMs > 500, "the telephone, before hold");
          telephone.hold();
          await eventually(() => directions.length === 1, "the hold");
          const sentOnHold = audio.statistics.packetsSent;
          await Bun.sleep(300);
          expect(audio.statistics.packetsSent).toBe(sentOnHold);
          telephone.resume();
          await eventually(() => directions.length === 2, "the way back");
          expect(directions).toEqual(["recvonly", "sendrecv"]);
          const before = heardMs;
          await eventually(() => heardMs - before > 500, "the telephone, after hold");
          for (const key of "15#") {
            telephone.press(key);
            await eventually(() => digits.endsWith(key), `the key ${key}`);
          }
          expect(digits).toBe("15#");
          audio.sendDigits("209");
          const keysHeard = () =>
            telephone.events.filter(({ type }) => type === "CALL_DTMF_START").map((e) => e.param);
          await eventually(() => keysHeard().length >= 3, "our keys at the telephone", 10_000);
          expect(keysHeard()).toEqual(["2", "0", "9"]);
          leg.hangUp();
        } finally {
          await audio.close();
          await stack.close();
          await telephone.stop();
        }
      },
      CALL_LIMIT_MS,
    );
  }

  test(
    "a phone without SRTP is refused if SRTP is required",
    async () => {
      const telephone = await startBaresip({
        host: "127.0.44.30",
        provider: null,
        user: THEIR_NUMBER,
        password: "",
        microphone: sine(440, 1000, 8000),
      });
      const stack = await startStack(US, silentLog, { srtp: "required" });
      try {
        const server = { server: "127.0.44.30", port: 5060, register: false };
        const trunk = stack.addTrunk(trunkSettings(server));
        const leg = trunk.place({
          to: THEIR_NUMBER,
          from: OUR_NUMBER,
          media: { host: US, port: 25_198 },
          ringTimeoutMs: 10_000,
        });
        const ended = Promise.withResolvers<string>();
        leg.on("ended", ({ kind }) => ended.resolve(kind));
        expect(await ended.promise).toBe("no_common_codec");
      } finally {
        await stack.close();
        await telephone.stop();
      }
    },
    CALL_LIMIT_MS,
  );
});

async function weCall(testCase: Case, trunk: Trunk, telephone: Baresip): Promise<void> {
  const before = telephone.events.length;
  const audio = await openAudio();
  try {
    const leg = trunk.place({
      to: THEIR_NUMBER,
      from: OUR_NUMBER,
      media: { host: US, port: audio.rtpPort },
      ringTimeoutMs: 10_000,
    });
    const plan = await new Promise<MediaPlan>((resolve, reject) => {
      leg.on("answered", (answer) => resolve(answer.plan));
      leg.on("ended", (end) => reject(new Error(end.explanation)));
    });
    expect(trunk.lastCodec).toBe(testCase.agreed);
    await talk(testCase, audio, plan);
    leg.hangUp();
    await telephone.event("CALL_CLOSED", before);
    expectHeard(testCase, telephone);
  } finally {
    await audio.close();
  }
}

async function theyCall(testCase: Case, stack: SipStack, telephone: Baresip): Promise<void> {
  const before = telephone.events.length;
  const audio = await openAudio();
  try {
    const incoming = Promise.withResolvers<IncomingLeg>();
    stack.onIncoming((leg) => incoming.resolve(leg));
    const { host, port } = stack.localAddress;
    telephone.dial(`sip:${OUR_NUMBER}@${host}:${port}`);
    const leg = await incoming.promise;
    expect(leg.offeredCodec).toBe(testCase.agreed);
    const { plan } = await leg.answer({ host: US, port: audio.rtpPort });
    expect(plan.ptimeMs).toBe(testCase.peer.ptimeMs ?? 20);
    await telephone.event("CALL_ESTABLISHED", before);
    await talk(testCase, audio, plan);
    leg.hangUp();
    await telephone.event("CALL_CLOSED", before);
    expectHeard(testCase, telephone);
  } finally {
    await audio.close();
  }
}

function openAudio(): Promise<CallAudio> {
  return createCallAudio(
    {
      rtpHost: US,
      jitterMsMax: 200,
      rtpTimeoutMs: 15_000,
      holdTimeoutMs: 600_000,
      sampleRateHz: RATE_HZ,
    },
    { ports, pacer, clock: systemClock, log: silentLog },
  );
}

/** Plays our tones and waits until the far end's have been heard for a while. */
async function talk(testCase: Case, audio: CallAudio, plan: MediaPlan): Promise<void> {
  expect(plan.codec.name).toBe(testCase.agreed);
  expect(plan.srtp != null).toBe(testCase.isProtected);
  let heardMs = 0;
  audio.onFrame((pcm) => {
    if (hears(pcm, THEIRS_HZ, isWideband(testCase))) heardMs += 20;
  });
  audio.connect(plan);
  audio.play(twoTones(OURS_HZ, 10_000));
  await eventually(() => heardMs >= LISTEN_MS, "the telephone's tones", 10_000);
  expect(audio.statistics.packetsLost).toBe(0);
}

/** baresip records received audio at its codec's rate; the last second has our tones. */
function expectHeard(testCase: Case, telephone: Baresip): void {
  const isWide = isWideband(testCase);
  const rateHz = HEARD_RATE_HZ[testCase.agreed];
  const heard = telephone.received();
  let best = 0;
  for (let start = 0; start + rateHz / 5 <= heard.length; start += rateHz / 10) {
    const part = heard.subarray(start, start + rateHz / 5);
    const shares = OURS_HZ.map((hz) => toneShare(part, hz, rateHz));
    const [low = 0, high = 0] = shares;
    best = Math.max(best, isWide ? Math.min(low, high) : low);
  }
  expect(best).toBeGreaterThan(isWide ? 0.35 : 0.8);
}

const isWideband = ({ agreed }: Case) => agreed === "G722" || agreed === "opus";

/** Half of the energy in each tone; a narrow band keeps the lower one only. */
function hears(pcm: Int16Array, tonesHz: readonly number[], isWide: boolean): boolean {
  const [low = 0, high = 0] = tonesHz.map((hz) => toneShare(pcm, hz, RATE_HZ));
  return isWide ? low > 0.3 && high > 0.3 : low > 0.8 && high < 0.05;
}

function twoTones([lowHz, highHz]: readonly [number, number], durationMs: number): Int16Array {
  const low = sine(lowHz, durationMs, RATE_HZ, 5000);
  const high = sine(highHz, durationMs, RATE_HZ, 5000);
  return low.map((sample, index) => sample + (high[index] ?? 0));
}
