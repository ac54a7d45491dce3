import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { VoiceActivityDetector } from "../../../src/conversation/audio-port.ts";
import { seededRandom } from "../../../src/core/random.ts";
import { loadEspeak } from "../../../src/engine/embedded/speech/espeak.ts";
import { SileroModel, WINDOW_SAMPLES } from "../../../src/media/audio/silero/model.ts";
import { GatedVad, loadVad } from "../../../src/media/audio/vad.ts";
import { createResampler } from "../../../src/platform/audio/resampler.ts";
import { dtmfTones, sine } from "../../../src/platform/audio/tones.ts";

/** Processes 20 ms at a time, with time for the model in between. */
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
  const resampler = createResampler(22_050, 8000);
  return Int16Array.from([
    ...resampler.process(await voice.synthesize(text, "en")),
    ...resampler.flush(),
  ]);
}

const loud = (probabilities: readonly number[]) => probabilities.filter((value) => value > 0.5);

test("speech is detected, its onset within 200 ms, on two streams at once", async () => {
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

test("speech in a wideband conversation is detected too", async () => {
  const createVad = await loadVad();
  const spoken = await speech("I would like to book a table for tomorrow evening.");
  const wide = createResampler(8000, 16_000).process(
    Int16Array.from([...new Int16Array(4000), ...spoken]),
  );
  const probabilities = await listen(createVad(16_000), wide, 320);
  expect(loud(probabilities).length).toBeGreaterThan(0.5 * (probabilities.length - 25));
  expect(loud(probabilities.slice(0, 20))).toHaveLength(0);
}, 60_000);

test("silence, noise, ringback and keys are not detected as speech", async () => {
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

test("on a silent line the model does not run, and at an onset it gets the previous 64 ms", async () => {
  const judged: number[] = [];
  let resets = 0;
  const vad = new GatedVad({
    judge: (window) => {
      judged.push(Math.max(...window));
      return 0.7;
    },
    reset: () => resets++,
  });
  await listen(vad, new Int16Array(80_000).fill(3));
  expect(judged).toEqual([]);
  const tone = sine(300, 1000, 8000);
  const probabilities = await listen(vad, tone);
  expect(resets).toBe(1);
  expect(judged.slice(0, 2)).toEqual([3, 3]);
  expect(judged[3]).toBeGreaterThan(1000);
  expect(judged.length).toBe(2 + Math.floor((8000 + 80_000) / 256) - Math.floor(80_000 / 256));
  expect(probabilities.at(-1)).toBe(0.7);
  expect((await listen(vad, new Int16Array(8000))).at(-1)).toBe(0);
});

test("the kernel in the program is its assembled source", async () => {
  const kernel = new URL("../../../src/media/audio/silero/kernel", import.meta.url).pathname;
  const assembler = Bun.which("wat2wasm");
  if (assembler === null) {
    expect(process.env.CI, "CI installs the package wabt").toBeUndefined();
    return;
  }
  const { stdout } = Bun.spawnSync([assembler, `${kernel}.wat`, "--output=-"]);
  expect(Buffer.compare(stdout, readFileSync(`${kernel}.wasm`))).toBe(0);
});

test("our kernel gives the results of onnxruntime for the published model", async () => {
  const { InferenceSession, Tensor, env } = await import("onnxruntime-web/wasm");
  env.wasm.numThreads = 1;
  env.logLevel = "error";
  const file = (path: string) =>
    Bun.file(new URL(`../../../node_modules/${path}`, import.meta.url).pathname);
  env.wasm.wasmBinary = await file(
    "onnxruntime-web/dist/ort-wasm-simd-threaded.wasm",
  ).arrayBuffer();
  const session = await InferenceSession.create(
    await file("@ricky0123/vad-web/dist/silero_vad_v5.onnx").bytes(),
    { executionProviders: ["wasm"], logSeverityLevel: 3 },
  );
  const stream = (await SileroModel.load()).newStream();
  const spoken = await speech("Good morning. Can you hear me? I would like to book a table.");
  const random = seededRandom(7);
  const rate = new Tensor("int64", BigInt64Array.from([8000n]));
  let state = new Tensor("float32", new Float32Array(256), [2, 1, 128]);
  const input = new Float32Array(32 + WINDOW_SAMPLES);
  let heard = 0;
  for (let start = 0; start + WINDOW_SAMPLES <= spoken.length; start += WINDOW_SAMPLES) {
    const window = spoken
      .slice(start, start + WINDOW_SAMPLES)
      .map((value) => Math.round(value + (random.float() - 0.5) * 300));
    input.copyWithin(0, WINDOW_SAMPLES);
    for (const [index, value] of window.entries()) input[32 + index] = value / 32768;
    const answer = await session.run({
      input: new Tensor("float32", input.slice(), [1, input.length]),
      state,
      sr: rate,
    });
    state = answer.stateN as typeof state;
    const reference = Number(answer.output?.data[0]);
    if (reference > 0.5) heard++;
    expect(Math.abs(stream.judge(window) - reference)).toBeLessThan(1e-4);
  }
  expect(heard).toBeGreaterThan(30);
  await session.release();
}, 60_000);
