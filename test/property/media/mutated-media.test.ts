/**
 * Mutated descriptions and packets: nothing throws, memory does not grow, and no forged packet is accepted.
 * `MUTATIONS` inputs of each kind (default 20,000; `npm run soak` takes 1,000,000).
 */
import { expect, test } from "bun:test";
import type { CodecName } from "../../../src/core/codecs.ts";
import { type Random, randomInt, seededRandom } from "../../../src/core/random.ts";
import { looksLikeRtcp } from "../../../src/media/rtp/packet.ts";
import { RtpReceiver } from "../../../src/media/rtp/receiver.ts";
import { buildRtcp, readRtcp } from "../../../src/media/rtp/rtcp.ts";
import { SrtpInbound } from "../../../src/media/srtp/inbound.ts";
import { SrtpOutbound } from "../../../src/media/srtp/outbound.ts";
import { createSrtpPolicy } from "../../../src/sip/sdes.ts";
import { acceptAnswer, answerOffer, buildOffer, type SdpSession } from "../../../src/sip/sdp.ts";
import { buildRtpPacket } from "../../support/media/rtp-packet.ts";

const RUNS = Number(process.env.MUTATIONS ?? 20_000);
const GROWTH_BYTES_MAX = 48 * 2 ** 20;
const TIME_LIMIT_MS = 60_000 + RUNS / 5;
const HOST = "192.0.2.1";
const MEDIA = { host: "127.0.0.1", port: 4000 };
const KEY = Buffer.alloc(30, 1).toString("base64");

/** A few octets changed, some cut out, some inserted. */
function mutate(random: Random, bytes: Uint8Array): Uint8Array {
  const changed = bytes.slice(
    0,
    bytes.length - (random.float() < 0.2 ? randomInt(random, bytes.length) : 0),
  );
  for (let count = randomInt(random, 5); count > 0 && changed.length > 0; count--) {
    changed[randomInt(random, changed.length)] = randomInt(random, 256);
  }
  if (random.float() < 0.8) return changed;
  const at = randomInt(random, changed.length + 1);
  return Buffer.concat([
    changed.subarray(0, at),
    random.bytes(randomInt(random, 40)),
    changed.subarray(at),
  ]);
}

/** Checks the heap growth after `task`, compared with a first tenth of the runs. */
function expectNoGrowth(task: (runs: number) => void): void {
  task(Math.ceil(RUNS / 10));
  Bun.gc(true);
  const before = process.memoryUsage().heapUsed;
  task(RUNS);
  Bun.gc(true);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(GROWTH_BYTES_MAX);
}

const SESSION: SdpSession = {
  id: 1,
  version: 1,
  codecs: ["opus", "G722", "PCMA", "PCMU"],
  comfortNoise: true,
  srtp: createSrtpPolicy("optional", seededRandom(1)),
};

test(
  `${RUNS} mutated descriptions: answered or refused, and every plan is usable`,
  () => {
    const random = seededRandom(31);
    const offer = new TextEncoder().encode(buildOffer({ host: HOST, port: 3000 }, SESSION));
    const decoder = new TextDecoder("latin1");
    let agreed = 0;
    expectNoGrowth((runs) => {
      for (let run = 0; run < runs; run++) {
        const text = decoder.decode(mutate(random, offer));
        for (const result of [answerOffer(text, MEDIA, SESSION), acceptAnswer(text, SESSION)]) {
          if (!result.ok) continue;
          agreed++;
          const { plan } = result;
          const ports = plan.remote.port > 0 && plan.remote.port <= 65_535;
          const types = [plan.codec.sendPayloadType, plan.codec.receivePayloadType];
          const isRunnable =
            ports &&
            types.every((type) => Number.isInteger(type) && type >= 0 && type <= 127) &&
            plan.ptimeMs >= 10 &&
            plan.ptimeMs <= 60 &&
            (!plan.srtp || Buffer.from(plan.srtp.receiveKey, "base64").length === 30);
          if (!isRunnable) throw new Error(`not to be run: ${JSON.stringify(plan.remote)}`);
        }
      }
    });
    expect(agreed).toBeGreaterThan(RUNS / 4);
  },
  TIME_LIMIT_MS,
);

function packetOf(random: Random, payloadType: number, sequenceNumber: number): Uint8Array {
  const header = {
    marker: false,
    payloadType,
    ssrc: 7,
    sequenceNumber: sequenceNumber & 0xffff,
    timestamp: (sequenceNumber * 160) >>> 0,
  };
  return buildRtpPacket(header, random.bytes(160), { csrc: [1], paddingBytes: 4 });
}

for (const codec of ["PCMA", "G722", "opus"] as const satisfies readonly CodecName[]) {
  test(
    `${RUNS} mutated packets of ${codec}: frames continue`,
    () => {
      const random = seededRandom(32);
      const receiver = new RtpReceiver({ jitterMsMax: 200, onDigit: () => {}, random });
      receiver.configure({ codec, payloadType: 96, telephoneEventType: 101 });
      receiver.source.signal({ host: HOST, port: 4000 });
      const frame = new Int16Array(160);
      let nowMs = 0;
      expectNoGrowth((runs) => {
        for (let run = 0; run < runs; run++) {
          nowMs += 20;
          const type = run % 7 === 0 ? 101 : run % 11 === 0 ? 13 : 96;
          const datagram = mutate(random, packetOf(random, type, run));
          receiver.receive(datagram, HOST, 4000, nowMs);
          receiver.takeFrame(frame, nowMs);
        }
      });
      receiver.close();
      expect(receiver.reception.packetsReceived).toBeGreaterThan(0);
    },
    TIME_LIMIT_MS,
  );
}

test(
  `${RUNS} mutated SRTP and SRTCP packets: only unchanged ones are accepted`,
  () => {
    const random = seededRandom(33);
    const inbound = new SrtpInbound("AES_CM_128_HMAC_SHA1_80", KEY);
    const outbound = new SrtpOutbound("AES_CM_128_HMAC_SHA1_80", KEY);
    const datagram = new Uint8Array(300);
    expectNoGrowth((runs) => {
      for (let run = 0; run < runs; run++) {
        const plain = packetOf(random, 8, run);
        datagram.set(plain);
        const sent = datagram.slice(0, outbound.protectRtp(datagram, plain.length));
        const mutated = mutate(random, sent);
        const wasChanged = Buffer.compare(mutated, sent) !== 0;
        if (wasChanged && inbound.unprotectRtp(mutated)) throw new Error("a forged packet came in");
        const report = buildRtcp({ ssrc: 7, sender: null, block: null }, "name");
        const sentReport = outbound.protectRtcp(report);
        const mutatedReport = mutate(random, sentReport);
        const isForged = Buffer.compare(mutatedReport, sentReport) !== 0;
        if (isForged && inbound.unprotectRtcp(mutatedReport)) throw new Error("a forged report");
      }
    });
  },
  TIME_LIMIT_MS,
);

test(
  `${RUNS} mutated RTCP packets are read or refused`,
  () => {
    const random = seededRandom(34);
    const block = {
      ssrc: 9,
      fractionLost: 64,
      packetsLost: 12,
      highestSequence: 7,
      jitterTicks: 1,
      lastSenderReport: 1,
      delaySinceLastSenderReport: 1,
    };
    const sender = { nowMs: 1e12, rtpTimestamp: 1, packetsSent: 2, octetsSent: 3 };
    const whole = buildRtcp({ ssrc: 5, sender, block }, "name", true);
    let read = 0;
    expectNoGrowth((runs) => {
      for (let run = 0; run < runs; run++) {
        const mutated = mutate(random, whole);
        looksLikeRtcp(mutated);
        const report = readRtcp(mutated);
        if (report) read++;
        if (report && report.blocks.length > 31) throw new Error("more blocks than RTCP has");
      }
    });
    expect(read).toBeGreaterThan(0);
  },
  TIME_LIMIT_MS,
);
