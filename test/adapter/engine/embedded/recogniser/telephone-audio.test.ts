/** Quiet callers are made louder before the noise floor is added to them; others stay as they are. */
import { expect, test } from "bun:test";
import {
  mixed,
  TelephoneAudio,
} from "../../../../../src/adapter/engine/embedded/recogniser/telephone-audio.ts";

const BLOCK_SAMPLES = 160;

/** As loud as that everywhere. */
const block = (level: number) =>
  Int16Array.from({ length: BLOCK_SAMPLES }, (_, at) => (at % 2 === 0 ? level : -level));

function gainAfter(...levels: number[]): number {
  const audio = new TelephoneAudio(8000);
  for (const level of levels) audio.convert(block(level));
  return audio.gain;
}

test.each([
  [20_000, 1],
  [2_067, 1],
  [1_034, 2_067 / 1_034],
  [207, 2_067 / 207],
  [206, 10],
  [82, 10],
  [81, 1],
])("who is %d loud on a silent line is multiplied by %d", (level, gain) => {
  expect(gainAfter(0, level)).toBeCloseTo(gain, 6);
});

test("before anything is heard, and on a line that only hums, nothing is made louder", () => {
  expect(gainAfter()).toBe(1);
  expect(gainAfter(300, 300, 1_199)).toBe(1);
  expect(gainAfter(300, 1_200)).toBeCloseTo(2_067 / 1_200, 6);
});

test("the loudest that was heard decides, and is forgotten within seconds of speech", () => {
  expect(gainAfter(0, 500, 2_100, 500)).toBe(1);
  expect(gainAfter(0, 2_100, ...Array<number>(700).fill(0))).toBe(1);
  expect(gainAfter(0, 2_100, ...Array<number>(800).fill(500))).toBeCloseTo(2_067 / 500, 6);
});

test("the floor stays as it is, however loud the caller is made", () => {
  const sound = new TelephoneAudio(8000).convert(block(1_000));
  const [plain, louder] = [mixed(sound, 1), mixed(sound, 3)];
  for (const [at, value] of louder.entries())
    expect(value - (plain[at] ?? 0)).toBeCloseTo(2 * (sound.signal[at] ?? 0), 6);
});
