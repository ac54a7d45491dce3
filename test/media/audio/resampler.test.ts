import { expect, test } from "bun:test";
import { seededRandom } from "../../../src/core/random.ts";
import { createResampler } from "../../../src/platform/audio/resampler.ts";
import { dtmfFrequencies, dtmfTones, sine, toneShare } from "../../../src/platform/audio/tones.ts";

const PAIRS = [
  [22_050, 8000],
  [16_000, 8000],
  [8000, 16_000],
  [24_000, 8000],
  [8000, 24_000],
] as const;

const rms = (pcm: Int16Array) =>
  Math.sqrt(pcm.reduce((sum, value) => sum + value * value, 0) / pcm.length);

for (const [fromHz, toHz] of PAIRS) {
  test(`${fromHz} → ${toHz}: a 1 kHz tone keeps its pitch, level and length`, () => {
    const resampler = createResampler(fromHz, toHz);
    const input = sine(1000, 1000, fromHz);
    const output = Int16Array.from([...resampler.process(input), ...resampler.flush()]);
    expect(Math.abs(output.length - toHz)).toBeLessThanOrEqual(1);
    const middle = output.subarray(toHz / 4, (toHz * 3) / 4);
    expect(toneShare(middle, 1000, toHz)).toBeGreaterThan(0.999);
    expect(rms(middle) / rms(input)).toBeCloseTo(1, 2);
  });

  test(`${fromHz} → ${toHz}: chunks of any size give the same samples as one`, () => {
    const random = seededRandom(5);
    const input = Int16Array.from({ length: 20_000 }, () => (random.float() - 0.5) * 20_000);
    const whole = createResampler(fromHz, toHz).process(input);
    const resampler = createResampler(fromHz, toHz);
    const parts: number[] = [];
    for (let start = 0; start < input.length; ) {
      const end = start + Math.floor(random.float() * 700);
      parts.push(...resampler.process(input.subarray(start, end)));
      start = end;
    }
    expect(parts).toEqual([...whole]);
  });
}

test("frequencies above the lower rate's range are reduced by 50 dB, not folded back", () => {
  for (const hz of [4800, 6000, 9000]) {
    const input = sine(hz, 500, 22_050);
    const output = createResampler(22_050, 8000).process(input).subarray(200, 3800);
    expect(20 * Math.log10(rms(output) / rms(input))).toBeLessThan(-50);
  }
});

test("every key's tones are the pair of ITU-T Q.23", () => {
  for (const key of "0123456789*#ABCD") {
    const press = dtmfTones(key, 8000).subarray(0, 800);
    for (const hz of dtmfFrequencies(key) ?? []) {
      expect(toneShare(press, hz, 8000)).toBeGreaterThan(0.35);
    }
  }
  expect(dtmfTones("x", 8000).length).toBe(0);
});
