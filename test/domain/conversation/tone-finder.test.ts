/** The beep of an answering machine, and what is none. */
import { expect, test } from "bun:test";
import { ToneFinder } from "../../../src/domain/conversation/answering/tone-finder.ts";
import { dtmfTones, sine } from "../../../src/platform/audio/tones.ts";

const quiet = (ms: number) => new Int16Array(ms * 8);
const beep = (hz: number, ms: number) => sine(hz, ms, 8_000, 6_000);

function beepsIn(...parts: Int16Array[]) {
  const pcm = Int16Array.from(parts.flatMap((part) => [...part]));
  const finder = new ToneFinder(8_000);
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

test("a beep with a lost packet in it is one beep", () => {
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
] as const)("%s is none", (_, parts) => {
  expect(beepsIn(quiet(200), ...parts, quiet(1_000))).toEqual([]);
});
