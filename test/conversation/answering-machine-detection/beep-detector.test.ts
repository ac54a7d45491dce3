/** Detection of an answering machine's beep, and sounds that are not a beep. */
import { expect, test } from "bun:test";
import { BeepDetector } from "../../../src/conversation/answering-machine-detection/beep-detector.ts";
import { dtmfTones, sine } from "../../../src/platform/audio/tones.ts";

const quiet = (ms: number) => new Int16Array(ms * 8);
const beep = (hz: number, ms: number) => sine(hz, ms, 8_000, 6_000);

function beepsIn(...parts: Int16Array[]) {
  const pcm = Int16Array.from(parts.flatMap((part) => [...part]));
  const finder = new BeepDetector(8_000);
  const found = [];
  for (let at = 0; at + 160 <= pcm.length; at += 160) {
    const tone = finder.frame(pcm.subarray(at, at + 160));
    if (tone) found.push(tone);
  }
  return found;
}

test.each([
  [300, 400],
  [440, 1_000],
  [1_000, 140],
  [1_400, 250],
  [2_500, 500],
])("a tone of %d Hz for %d ms is a beep", (hz, ms) => {
  const [found, ...more] = beepsIn(quiet(200), beep(hz, ms), quiet(400));
  expect(more).toEqual([]);
  expect(Math.abs((found?.frequencyHz ?? 0) - hz)).toBeLessThanOrEqual(25);
  expect(Math.abs((found?.durationMs ?? 0) - ms)).toBeLessThanOrEqual(60);
});

test("a beep with a lost packet counts as one beep", () => {
  const tone = beep(1_000, 500);
  tone.fill(0, 1_600, 1_600 + 320);
  expect(beepsIn(quiet(100), tone, quiet(400))).toHaveLength(1);
});

test.each([
  ["a click", [beep(1_000, 60)]],
  ["special information tones", [beep(950, 330), beep(1_400, 330), beep(1_800, 330)]],
  ["tones with short pauses", [beep(950, 330), quiet(30), beep(1_400, 330), quiet(30)]],
  ["keys", [dtmfTones("159*", 8_000)]],
  ["two tones at a time", [dtmfTones("5", 8_000, 500)]],
  ["a dial tone", [beep(425, 6_000)]],
  ["a whisper of a tone", [sine(1_000, 400, 8_000, 100)]],
] as const)("%s is not a beep", (_, parts) => {
  expect(beepsIn(quiet(200), ...parts, quiet(1_000))).toEqual([]);
});

/** Reported beeps: the frame of the report, counted from the beginning, and the duration. */
function toldAt(...parts: Int16Array[]): (readonly [frame: number, durationMs: number])[] {
  const finder = new BeepDetector(8_000);
  const told: (readonly [number, number])[] = [];
  parts
    .flatMap((pcm) => Array.from({ length: pcm.length / 160 }, (_, n) => pcm.subarray(n * 160)))
    .forEach((rest, index) => {
      const found = finder.frame(rest.subarray(0, 160));
      if (found) told.push([index + 1, found.durationMs]);
    });
  return told;
}

test("a beep lasts 120 ms to 4 s", () => {
  const lengths = [100, 120, 4_000, 4_020];
  expect(lengths.map((ms) => toldAt(beep(1_000, ms), quiet(400)).length)).toEqual([0, 1, 1, 0]);
});

test("a beep is reported once, when neither a dropout nor a sequence can follow", () => {
  expect(toldAt(beep(1_000, 200), quiet(2_000))).toEqual([[20, 200]]);
});

test("two lost frames are a dropout; three end the tone, so that the next one forms a sequence", () => {
  const twice = (gapMs: number) =>
    toldAt(beep(1_000, 200), quiet(gapMs), beep(1_000, 200), quiet(2_000));
  expect(twice(40)).toEqual([[32, 400]]);
  expect(twice(60)).toEqual([]);
});

test("tones less than 160 ms apart (after the dropout time) form a sequence", () => {
  const second = (gapMs: number) =>
    toldAt(beep(1_000, 200), quiet(gapMs), beep(1_400, 200), quiet(400)).length;
  expect([second(180), second(200)]).toEqual([0, 2]);
});

test("a sequence is forgotten one second after its last tone", () => {
  const after = (gapMs: number) =>
    toldAt(
      ...[beep(950, 200), quiet(80), beep(1_400, 200)],
      ...[quiet(gapMs), beep(1_000, 200), quiet(400)],
    ).length;
  expect([after(1_040), after(1_060)]).toEqual([0, 1]);
});

test("a tone that drifts by 50 Hz is the same tone, by 75 Hz it is another", () => {
  const wandering = (hz: number) => toldAt(beep(1_000, 100), beep(hz, 100), quiet(400));
  expect(wandering(1_050)).toEqual([[20, 200]]);
  expect(wandering(1_075)).toEqual([]);
});

test("frequencies are measured in steps of 25 Hz, from 300 to 2,500 Hz", () => {
  for (const hz of [300, 325, 1_000, 1_325, 2_475, 2_500])
    expect(beepsIn(beep(hz, 300), quiet(400))[0]?.frequencyHz).toBe(hz);
  expect(beepsIn(beep(2_600, 300), quiet(400))).toEqual([]);
  expect(beepsIn(beep(200, 300), quiet(400))).toEqual([]);
});

test("below an RMS of 150 a tone counts as line noise", () => {
  const loud = (rms: number) => beepsIn(sine(1_000, 300, 8_000, rms * Math.SQRT2), quiet(400));
  expect(loud(149.5)).toEqual([]);
  expect(loud(150.6)).toHaveLength(1);
});

test("an RMS of exactly 150 is above the noise", () => {
  const square = Int16Array.from({ length: 2_400 }, (_, n) => (n % 8 < 4 ? 150 : -150));
  expect(beepsIn(square, quiet(400))).toHaveLength(1);
});

test("within a sequence a click of 40 ms counts as a tone, one of 20 ms does not", () => {
  const after = (clickMs: number) =>
    toldAt(
      ...[beep(950, 200), quiet(80), beep(1_400, 200), quiet(800)],
      ...[beep(1_000, clickMs), quiet(600), beep(1_000, 200), quiet(400)],
    ).length;
  expect([after(40), after(20)]).toEqual([0, 1]);
});

test("`sounding` is true from a tone's 120th millisecond until its report", () => {
  const finder = new BeepDetector(8_000);
  const sounding = [beep(1_000, 200), quiet(300)].flatMap((pcm) =>
    Array.from({ length: pcm.length / 160 }, (_, n) => {
      finder.frame(pcm.subarray(n * 160, (n + 1) * 160));
      return finder.sounding;
    }),
  );
  expect(sounding.map(Number).join("")).toBe("0000011111111111111000000");
});
