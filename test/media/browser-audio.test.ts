import { expect, test } from "bun:test";
import type { Clock } from "../../src/core/clock.ts";
import { silentLog } from "../../src/core/log.ts";
import { createBrowserAudio } from "../../src/media/browser-audio.ts";
import type { PacedStream, Pacer } from "../../src/media/rtp/pacer.ts";

/** A pacer and a fake clock: one tick is 20 ms. */
function rig(sampleRateHz: 8000 | 16000) {
  let nowMs = 0;
  let stream: PacedStream | null = null;
  const pacer: Pacer = {
    add: (added) => {
      stream = added;
    },
    remove: () => {
      stream = null;
    },
    streamCount: 1,
    slotMs: 0,
    close() {},
  };
  const sent: Int16Array[] = [];
  let cleared = 0;
  const clock = { monotonic: () => nowMs } as Clock;
  const audio = createBrowserAudio(
    {
      sampleRateHz,
      timeoutMs: 1_000,
      send: (pcm) => sent.push(pcm),
      clear: () => cleared++,
    },
    { pacer, clock, log: silentLog },
  );
  const tick = (times = 1) => {
    for (let count = 0; count < times; count++) {
      nowMs += 20;
      stream?.send(0);
      stream?.afterSend();
    }
  };
  const stop = (ms: number) => {
    nowMs += ms;
  };
  return { audio, sent, tick, stop, cleared: () => cleared, isPaced: () => stream !== null };
}

const tone = (samples: number) => new Int16Array(samples).fill(5_000);

test("bursts from the browser are played evenly, after a buffer of 60 ms", () => {
  const { audio, tick } = rig(8000);
  const levels: number[] = [];
  audio.onFrame((pcm) => levels.push(pcm[80] ?? 0));
  audio.connect({} as never);
  audio.feed(tone(320));
  tick(2);
  expect(levels).toEqual([0, 0]);
  audio.feed(tone(320));
  tick(4);
  expect(levels.slice(2)).toEqual([5_000, 5_000, 5_000, 5_000]);
  tick(1);
  expect(levels.at(-1)).toBe(0);
});

test("audio sent faster than real time is cut to the newest 100 ms", () => {
  const { audio, tick } = rig(8000);
  let heard = 0;
  audio.onFrame((pcm) => {
    if (pcm[0] === 5_000) heard++;
  });
  audio.connect({} as never);
  for (let count = 0; count < 1_000; count++) audio.feed(tone(160));
  tick(100);
  expect(heard).toBeLessThanOrEqual(15);
});

test("a frame at the browser's rate is sent every tick, and silence if there is no speech", () => {
  const { audio, sent, tick } = rig(16000);
  tick(3);
  expect(sent.length).toBe(0);
  audio.connect({} as never);
  audio.play(tone(1_600));
  tick(20);
  expect(sent.length).toBe(20);
  expect(sent.slice(1).every((frame) => frame.length === 320)).toBe(true);
  expect(Math.max(...(sent[5] ?? []))).toBeGreaterThan(4_000);
  expect(Math.max(...(sent.at(-1) ?? []))).toBe(0);
  expect(audio.playedMs).toBe(200);
});

test("an interruption makes the browser discard its queued audio", () => {
  const { audio, tick, cleared } = rig(8000);
  audio.connect({} as never);
  audio.play(tone(8_000));
  tick(2);
  expect(audio.stopPlaying(20)).toBeGreaterThan(900);
  expect(cleared()).toBe(1);
  tick(2);
  expect(audio.stopPlaying(20)).toBe(0);
  expect(cleared()).toBe(1);
});

test("a silent browser is reported once, and closed audio is not paced", async () => {
  const { audio, tick, isPaced } = rig(8000);
  let timeouts = 0;
  audio.onTimeout(() => timeouts++);
  audio.connect({} as never);
  tick(40);
  audio.feed(tone(160));
  tick(40);
  expect(timeouts).toBe(0);
  tick(60);
  expect(timeouts).toBe(1);
  expect(await audio.close()).toBeNull();
  expect(isPaced()).toBe(false);
  audio.feed(tone(160));
});

test("while the process is stopped, no browser times out; afterwards the time-out restarts", () => {
  const { audio, tick, stop } = rig(8000);
  let timeouts = 0;
  audio.onTimeout(() => timeouts++);
  audio.connect({} as never);
  tick(40);
  stop(40_000);
  tick(49);
  expect(timeouts).toBe(0);
  tick(60);
  expect(timeouts).toBe(1);
});
