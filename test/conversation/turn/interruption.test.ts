import { expect, test } from "bun:test";
import { EchoGuard } from "../../../src/conversation/speech/echo.ts";
import { cutsIn, mayBeListening, takesTurn } from "../../../src/conversation/turn/interruption.ts";
import { seededRandom } from "../../../src/core/random.ts";
import { SETTINGS } from "../../support/media/scripted-call.ts";

const cuts = (speechMs: number, partial = "") => cutsIn(SETTINGS, "en", { speechMs, partial });

test("400 ms of speech interrupt, less does not", () => {
  expect(cuts(380)).toBe(false);
  expect(cuts(400)).toBe(true);
});

test("two words interrupt before 400 ms, one does not", () => {
  expect(cuts(240, "wait a")).toBe(true);
  expect(cuts(240, "wait")).toBe(false);
});

test("a back-channel mhm, yes or okay does not interrupt, a long one does", () => {
  expect(cuts(600, "mhm yes okay")).toBe(false);
  expect(cuts(1_000, "yes yes yes")).toBe(true);
  expect(cutsIn(SETTINGS, "lt", { speechMs: 600, partial: "taip aišku" })).toBe(false);
  expect(cutsIn(SETTINGS, "lv", { speechMs: 600, partial: "jā skaidrs" })).toBe(false);
  expect(cutsIn(SETTINGS, "ru", { speechMs: 600, partial: "да понятно" })).toBe(false);
});

const FRAME = 160;
/** Sound whose loudness goes up and down like speech. */
function babble(seed: number, frames: number): Int16Array[] {
  const random = seededRandom(seed);
  return Array.from({ length: frames }, () => {
    const level = random.float() < 0.3 ? 200 : 1_000 + random.float() * 9_000;
    return Int16Array.from({ length: FRAME }, () => (random.float() * 2 - 1) * level);
  });
}

/** The share of frames classified as echo while one sound is played and another received. */
function echoShare(played: Int16Array[], heardAt: (frame: number) => Int16Array): number {
  const guard = new EchoGuard(8000);
  played.forEach((pcm, frame) => {
    guard.willPlay(pcm, frame * 20);
  });
  let echoes = 0;
  let judged = 0;
  for (let frame = 0; frame < played.length; frame++) {
    guard.receive(heardAt(frame), frame * 20);
    if (frame < 50) continue;
    judged++;
    if (guard.isEcho()) echoes++;
  }
  return echoes / judged;
}

const scaled = (pcm: Int16Array, factor: number) => pcm.map((sample) => sample * factor);

test("the agent's own voice, weaker and up to half a second late, is detected as echo", () => {
  for (const delayFrames of [0, 3, 12, 24]) {
    const played = babble(1, 200);
    const recognised = (frame: number) =>
      scaled(played[frame - delayFrames] ?? new Int16Array(FRAME), 0.2);
    expect(echoShare(played, recognised)).toBe(1);
  }
});

test.each([
  [25, 1],
  [26, 0],
])("the agent's own voice %d frames late (25 are half a second) is an echo: %d", (delay, share) => {
  const played = babble(1, 200);
  const heard = (frame: number) => scaled(played[frame - delay] ?? new Int16Array(FRAME), 0.2);
  expect(echoShare(played, heard)).toBe(share);
});

test("another voice never counts as echo, however loud the agent is", () => {
  const played = babble(1, 400);
  for (const [seed, level] of [
    [2, 1],
    [3, 0.4],
    [4, 0.2],
  ] as const) {
    const caller = babble(seed, 400).map((pcm) => scaled(pcm, level));
    expect(echoShare(played, (frame) => caller[frame] ?? new Int16Array(FRAME))).toBeLessThan(0.01);
  }
});

test("a caller who talks over the echo counts as speech", () => {
  const played = babble(1, 200);
  const caller = babble(7, 200);
  const both = (frame: number) => {
    const voice = caller[frame] ?? new Int16Array(FRAME);
    const echo = played[frame - 3] ?? new Int16Array(FRAME);
    return voice.map((sample, i) => sample * 0.8 + (echo[i] ?? 0) * 0.2);
  };
  expect(echoShare(played, both)).toBe(0);
});

test("without a known word, 649 ms may be a back-channel, 650 ms are not", () => {
  const may = (speechMs: number, partial = "") => mayBeListening({ speechMs, partial });
  expect([may(649), may(650), may(100, "yes")]).toEqual([true, false, false]);
});

test("a back-channel word lasts up to 999 ms", () => {
  expect([cuts(999, "yes"), cuts(1_000, "yes")]).toEqual([false, true]);
});

test("words without an interruption take the turn if they are two, 400 ms long, or a request for it", () => {
  const takes = (speechMs: number, partial: string) =>
    takesTurn(SETTINGS, "en", { speechMs, partial });
  expect([takes(900, ""), takes(900, "mhm"), takes(300, "question")]).toEqual([
    ...[false, false, false],
  ]);
  expect([takes(399, "question"), takes(400, "question")]).toEqual([false, true]);
  expect([takes(100, "stop"), takes(100, "one question")]).toEqual([true, true]);
  const three = { ...SETTINGS, bargeInWords: 3 };
  const speech = { speechMs: 100, partial: "one more question" };
  expect(takesTurn(three, "en", speech)).toBe(true);
  expect(takesTurn({ ...three, bargeInWords: 4 }, "en", speech)).toBe(false);
});
