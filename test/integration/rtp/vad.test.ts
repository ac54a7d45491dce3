import { expect, test } from "bun:test";
import { seededRandom } from "../../../src/core/random.ts";
import { loadEspeak } from "../../../src/engine/embedded/speech/espeak-module.ts";
import { createResampler } from "../../../src/media/audio/resampler.ts";
import { dtmfTones, sine } from "../../../src/media/audio/tones.ts";
import { GatedVad, loadVad } from "../../../src/media/audio/vad.ts";
import type { VoiceActivityDetector } from "../../../src/media/ports.ts";

/** Twenty milliseconds at a time, with room for the model between two of them. */
async function listen(vad: VoiceActivityDetector, pcm: Int16Array, frame = 160): Promise<number[]> {
  const probabilities: number[] = [];
  for (let start = 0; start + frame <= pcm.length; start += frame) {
    probabilities.push(vad.process(pcm.subarray(start, start + frame)));
    await Bun.sleep(0);
    await Bun.sleep(0);
  }
  return probabilities;
}

async function speech(text: string): Promise<Int16Array> {
  const voice = await loadEspeak();
  voice.set_voice("en");
  const samples: number[] = [];
  voice.synthesize(text, (pcm) => {
    if (pcm) samples.push(...pcm);
    return false;
  });
  const resampler = createResampler(22_050, 8000);
  return Int16Array.from([...resampler.process(Int16Array.from(samples)), ...resampler.flush()]);
}

const loud = (probabilities: readonly number[]) => probabilities.filter((value) => value > 0.5);

test("speech is heard, its onset within 200 ms, on two streams at once", async () => {
  const createVad = await loadVad();
  const spoken = await speech("I would like to book a table for tomorrow evening.");
  const start = spoken.findIndex((value) => Math.abs(value) > 500);
  const pcm = Int16Array.from([...new Int16Array(4000), ...spoken.subarray(start)]);
  const runs = await Promise.all([listen(createVad(), pcm), listen(createVad(), pcm)]);
  for (const probabilities of runs) {
    const spokenFrames = probabilities.length - 25;
    expect(loud(probabilities).length / spokenFrames).toBeGreaterThan(0.6);
    const onset = probabilities.findIndex((value) => value > 0.5);
    expect(onset).toBeGreaterThanOrEqual(25);
    expect(onset).toBeLessThan(35);
  }
}, 60_000);

test("speech in a wideband conversation is heard alike", async () => {
  const createVad = await loadVad();
  const spoken = await speech("I would like to book a table for tomorrow evening.");
  const wide = createResampler(8000, 16_000).process(
    Int16Array.from([...new Int16Array(4000), ...spoken]),
  );
  const probabilities = await listen(createVad(16_000), wide, 320);
  expect(loud(probabilities).length).toBeGreaterThan(0.5 * (probabilities.length - 25));
  expect(loud(probabilities.slice(0, 20))).toHaveLength(0);
}, 60_000);

test("silence, noise, ringback and keys are not taken for speech", async () => {
  const createVad = await loadVad();
  const random = seededRandom(2);
  const noise = Int16Array.from({ length: 40_000 }, () => (random.float() - 0.5) * 1500);
  for (const pcm of [
    new Int16Array(40_000),
    noise,
    Int16Array.from([...sine(425, 1000, 8000), ...new Int16Array(16_000)]),
    dtmfTones("0123456789*#", 8000),
  ]) {
    expect(loud(await listen(createVad(), pcm))).toHaveLength(0);
  }
}, 60_000);

test("the model is not asked while the line is silent, nor kept waiting for more than it can take", async () => {
  let asked = 0;
  const never = () => {
    asked++;
    return new Promise<number>(() => {});
  };
  const vad = new GatedVad({ judge: never, reset() {} });
  await listen(vad, new Int16Array(80_000));
  expect(asked).toBe(0);
  const tone = sine(300, 5000, 8000);
  for (let start = 0; start < tone.length; start += 160) {
    expect(vad.process(tone.subarray(start, start + 160))).toBe(0);
  }
  expect(asked).toBe(1);
});

test("a model that fails leaves the gate to decide", async () => {
  const vad = new GatedVad({ judge: () => Promise.reject(new Error("broken")), reset() {} });
  await listen(vad, new Int16Array(1600));
  const probabilities = await listen(vad, sine(300, 400, 8000));
  expect(probabilities.at(-1)).toBeGreaterThan(0.5);
});
