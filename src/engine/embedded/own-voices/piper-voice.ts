/**
 * A Piper voice: a VITS model as `.onnx` and its description as `.onnx.json`. onnxruntime runs it in WebAssembly on
 * the calling thread. Every error names the file and the problem.
 */
import { readFileSync, statSync } from "node:fs";
import * as ort from "onnxruntime-web/wasm";
import { z } from "zod";
import { describeError } from "../../../core/errors.ts";
import { data } from "../recogniser/data.ts";
import { phonemeIds } from "./phonemes.ts";

const MODEL_BYTES_MAX = 512 * 1024 * 1024;
const DESCRIPTION_BYTES_MAX = 1024 * 1024;
/** Spoken once when the voice is loaded. */
const TRIAL = "a.";
/** Longer than any sentence of 400 characters. */
const SECONDS_MAX = 120;

const description = z.object({
  audio: z.object({ sample_rate: z.int().min(8_000).max(48_000) }),
  espeak: z.object({ voice: z.string().regex(/^[a-z][a-z0-9-]{1,30}$/i) }),
  phoneme_type: z.literal("espeak").default("espeak"),
  inference: z
    .object({
      noise_scale: z.number().min(0).max(10).default(0.667),
      length_scale: z.number().min(0.1).max(10).default(1),
      noise_w: z.number().min(0).max(10).default(0.8),
    })
    .prefault({}),
  num_speakers: z.int().min(1).default(1),
  phoneme_id_map: z.record(z.string(), z.array(z.int().min(0).max(100_000)).max(16)),
});

export class PiperVoice {
  private constructor(
    private readonly session: ort.InferenceSession,
    private readonly about: z.output<typeof description>,
  ) {}

  static async load(file: string): Promise<PiperVoice> {
    const about = readDescription(`${file}.json`);
    const model = readBounded(file, MODEL_BYTES_MAX);
    prepareRuntime();
    const session = await ort.InferenceSession.create(model).catch((error) => {
      throw new Error(`${file} is not an ONNX model, or is incomplete: ${firstLine(error)}`);
    });
    const wanted = ["input", "input_lengths", "scales", ...(about.num_speakers > 1 ? ["sid"] : [])];
    if ([...session.inputNames].sort().join() !== wanted.sort().join())
      throw new Error(
        `${file} is not a Piper voice: its inputs are ${session.inputNames.join(", ")}, not ${wanted.join(", ")}`,
      );
    const voice = new PiperVoice(session, about);
    await voice.speak(TRIAL, 100).catch((error) => {
      throw new Error(`${file} cannot speak: ${firstLine(error)}`);
    });
    return voice;
  }

  get espeakVoice(): string {
    return this.about.espeak.voice;
  }

  get sampleRateHz(): number {
    return this.about.audio.sample_rate;
  }

  async speak(phonemes: string, ratePercent: number): Promise<Int16Array> {
    const { inference, num_speakers, phoneme_id_map } = this.about;
    const { noise_scale, length_scale, noise_w } = inference;
    const ids = phonemeIds(phonemes, phoneme_id_map);
    const lengths = (length_scale * 100) / ratePercent;
    const output = await this.session.run({
      input: integers(ids, [1, ids.length]),
      input_lengths: integers([ids.length], [1]),
      scales: new ort.Tensor("float32", [noise_scale, lengths, noise_w], [3]),
      ...(num_speakers > 1 ? { sid: integers([0], [1]) } : {}),
    });
    const [sound] = Object.values(output);
    if (sound?.type !== "float32") throw new Error("the model creates no audio");
    return samplesOf(sound.data as Float32Array, this.sampleRateHz * SECONDS_MAX);
  }
}

function samplesOf(sound: Float32Array, most: number): Int16Array {
  if (sound.length === 0 || sound.length > most)
    throw new Error(`the model makes ${sound.length} samples`);
  return Int16Array.from(sound, (sample) => {
    if (!Number.isFinite(sample)) throw new Error("the model makes no numbers");
    return Math.max(-1, Math.min(1, sample)) * 32_767;
  });
}

const integers = (values: readonly number[], shape: readonly number[]) =>
  new ort.Tensor("int64", BigInt64Array.from(values, BigInt), shape);

function prepareRuntime(): void {
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmBinary ??= data("runtime");
  ort.env.logLevel = "error";
}

function readDescription(file: string): z.output<typeof description> {
  const bytes = readBounded(file, DESCRIPTION_BYTES_MAX);
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString("utf8"));
  } catch {
    throw new Error(`${file} is not JSON`);
  }
  const { data, error } = description.safeParse(json);
  if (data) return data;
  const [issue] = error.issues;
  throw new Error(
    `${file} does not describe a Piper voice: ${issue?.path.join(".")}: ${issue?.message}`,
  );
}

function readBounded(file: string, bytesMax: number): Buffer<ArrayBuffer> {
  let size: number;
  try {
    const stat = statSync(file);
    if (!stat.isFile()) throw new Error("not a file");
    size = stat.size;
  } catch (error) {
    throw new Error(`${file} cannot be read: ${firstLine(error)}`);
  }
  if (size > bytesMax)
    throw new Error(`${file} has ${megabytes(size)} MB; the maximum is ${megabytes(bytesMax)}`);
  return readFileSync(file);
}

const megabytes = (bytes: number) => Math.ceil(bytes / 1024 / 1024);
const firstLine = (error: unknown) => describeError(error).split("\n", 1)[0]?.slice(0, 300) ?? "";
