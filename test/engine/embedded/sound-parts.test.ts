/** How a long utterance is cut into parts that the recogniser's model reads. */
import { expect, test } from "bun:test";
import { soundParts } from "../../../src/engine/embedded/recogniser/wideband.ts";
import { sine } from "../../../src/platform/audio/tones.ts";

const RATE_HZ = 16_000;
const PAUSE_MS = 300;
/** End of each tone, in ms; a pause precedes it. */
const WORDS_UNTIL_MS = [4_000, 9_000, 13_000, 17_000, 26_000, 30_000];

function utterance(): Int16Array {
  const pcm = sine(300, 30_000, RATE_HZ, 8_000);
  for (const endMs of WORDS_UNTIL_MS.slice(0, -1)) pcm.fill(0, (endMs - PAUSE_MS) * 16, endMs * 16);
  return pcm;
}

test("an utterance of thirty seconds is cut in its pauses, and nothing is left out", () => {
  const parts = soundParts(utterance(), RATE_HZ);
  const ends = parts.map((_, at) =>
    parts.slice(0, at + 1).reduce((sum, { length }) => sum + length / 16, 0),
  );
  const pauses = [9_000, 17_000, 26_000];
  expect(ends.slice(0, -1).map((end, at) => within(end, pauses[at] ?? 0))).toEqual([
    true,
    true,
    true,
  ]);
  expect(ends.at(-1)).toBeCloseTo(30_000, -2);
});

const within = (cutMs: number, pauseEndMs: number) =>
  cutMs >= pauseEndMs - PAUSE_MS && cutMs <= pauseEndMs;

test("without a pause each part has ten seconds at most", () => {
  const parts = soundParts(sine(300, 30_000, RATE_HZ, 8_000), RATE_HZ);
  const seconds = parts.map(({ length }) => length / RATE_HZ);
  expect(Math.max(...seconds)).toBeLessThanOrEqual(10);
  expect(seconds.reduce((sum, each) => sum + each, 0)).toBeCloseTo(30, 0);
});

test("an utterance without sound is one part", () => {
  expect(soundParts(new Int16Array(8_000), 8_000)).toHaveLength(1);
  expect(soundParts(new Int16Array(0), 8_000)).toHaveLength(1);
});
