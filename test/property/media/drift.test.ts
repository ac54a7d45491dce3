/**
 * Different clocks, end to end through sender, network and receiver, in simulated time: bursts of a tone mark the
 * time, and their delay shows whether the buffer follows.
 */
import { expect, test } from "bun:test";
import { loadLibopus } from "libopus-wasm";
import { seededRandom } from "../../../src/core/random.ts";
import { RtpReceiver } from "../../../src/media/rtp/receiver.ts";
import { RtpSender } from "../../../src/media/rtp/sender.ts";
import { sine, toneShare } from "../../../src/platform/audio/tones.ts";

const FAR = { host: "192.0.2.1", port: 4000 };
/** Our own coder and libopus need more processor time than a table. */
const MINUTES = { PCMA: 5, G722: 3, opus: 3 } as const;
const BURST_EVERY_TICKS = 50;
const BURST_TICKS = 15;

interface Heard {
  readonly bursts: number;
  /** From the start of a burst at the sender to its first frame at the receiver. */
  readonly delaysMs: readonly number[];
}

async function simulate(
  codec: keyof typeof MINUTES,
  driftPpm: number,
  jitterMs: number,
): Promise<Heard> {
  const random = seededRandom(7);
  const receiver = new RtpReceiver({ jitterMsMax: 200, onDigit: () => {}, random });
  const underWay: { atMs: number; datagram: Uint8Array }[] = [];
  let sentAtMs = 0;
  const sender = new RtpSender(random, (datagram, size) => {
    const atMs = sentAtMs + random.float() * jitterMs;
    underWay.push({ atMs, datagram: datagram.slice(0, size) });
  });
  const payloadType = 96;
  sender.configure({ codec, payloadType, telephoneEventType: null, ptimeMs: 20 });
  receiver.configure({ codec, payloadType, telephoneEventType: null });
  receiver.source.signal(FAR);
  if (codec === "opus") await opusLoaded();
  const tone = sine(1000, 20, 8000);
  const quiet = new Int16Array(160);
  const frame = new Int16Array(160);
  const starts: number[] = [];
  const delaysMs: number[] = [];
  let sentTicks = 0;
  let wasTone = false;
  for (let nowMs = 10; nowMs < MINUTES[codec] * 60_000; nowMs += 20) {
    for (; sentTicks * 20 * (1 - driftPpm / 1e6) < nowMs; sentTicks++) {
      sentAtMs = sentTicks * 20 * (1 - driftPpm / 1e6);
      const place = sentTicks % BURST_EVERY_TICKS;
      if (place === 0) starts.push(sentAtMs);
      sender.sendAudio(place < BURST_TICKS ? tone : quiet);
    }
    underWay.sort((a, b) => a.atMs - b.atMs);
    while (underWay[0] && underWay[0].atMs <= nowMs) {
      const { datagram, atMs } = underWay.shift() ?? { datagram: quiet as never, atMs: 0 };
      receiver.receive(datagram, FAR.host, FAR.port, atMs);
    }
    receiver.takeFrame(frame, nowMs);
    const isTone = toneShare(frame, 1000, 8000) > 0.5;
    if (isTone && !wasTone) delaysMs.push(nowMs - (starts.at(-1) ?? 0));
    wasTone = isTone;
  }
  sender.close();
  receiver.close();
  return { bursts: starts.length, delaysMs };
}

/** Both coders are ready a moment after the first request. */
async function opusLoaded(): Promise<void> {
  await loadLibopus();
  await Bun.sleep(50);
}

for (const codec of ["PCMA", "G722", "opus"] as const) {
  for (const driftPpm of [200, -200]) {
    for (const jitterMs of [0, 30]) {
      test(`${codec}, ${driftPpm} ppm, ${jitterMs} ms of jitter: for ${MINUTES[codec]} minutes every burst is heard in time`, async () => {
        const { bursts, delaysMs } = await simulate(codec, driftPpm, jitterMs);
        expect(Math.abs(delaysMs.length - bursts)).toBeLessThanOrEqual(1);
        const settled = delaysMs.slice(10);
        expect(Math.min(...settled)).toBeGreaterThan(0);
        expect(Math.max(...settled)).toBeLessThan(jitterMs + 90);
      }, 60_000);
    }
  }
}
