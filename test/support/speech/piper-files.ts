/**
 * Creates a small Piper voice with Piper's inputs and outputs. The generated audio encodes the
 * inputs.
 */
import { writeFileSync } from "node:fs";
import { constant, floatsIn, floatsOut, integersIn, model, node } from "./onnx.ts";

export const SAMPLES_PER_ID = 400;
/** Level per id; multiplied by the length scale. */
export const LEVEL_PER_ID = 0.001;

const SIGNS = { _: [0], "^": [1], $: [2], " ": [3], ",": [8], ".": [10], "?": [13], ˈ: [120] };
const LETTERS = Array.from("abdefhijklmnopstuvwz", (letter, index) => [letter, [14 + index]]);
export const PHONEME_IDS: Readonly<Record<string, readonly number[]>> = {
  ...SIGNS,
  ...Object.fromEntries(LETTERS),
};

export const description = (more: object = {}) => ({
  audio: { sample_rate: 16_000 },
  espeak: { voice: "en-us" },
  inference: { noise_scale: 0.667, length_scale: 1, noise_w: 0.8 },
  phoneme_type: "espeak",
  num_speakers: 1,
  phoneme_id_map: PHONEME_IDS,
  ...more,
});

const one = (value: number) => BigInt64Array.of(BigInt(value));

/** Each id gives `SAMPLES_PER_ID` samples of its level. */
export const tinyVoice = ({ speakers = 1, inputs = ["input", "input_lengths", "scales"] } = {}) =>
  model([
    node("Cast", ["input"], "ids", { to: 1 }),
    node("Cast", ["input_lengths"], "lengths", { to: 1 }),
    node("Gather", ["scales", "second"], "length scale"),
    node("Mul", ["ids", "level"], "levels"),
    node("Mul", ["levels", "length scale"], "scaled"),
    node("Mul", ["lengths", "nothing"], "no lengths"),
    node("Add", ["scaled", "no lengths"], "each"),
    node("Unsqueeze", ["each", "last"], "column"),
    node("Tile", ["column", "times"], "rows"),
    node("Reshape", ["rows", "sound"], "output"),
    constant("second", one(1), [1]),
    constant("last", one(2), [1]),
    constant("times", BigInt64Array.of(1n, 1n, BigInt(SAMPLES_PER_ID)), [3]),
    constant("sound", BigInt64Array.of(1n, 1n, 1n, -1n), [4]),
    constant("level", Float32Array.of(LEVEL_PER_ID), [1]),
    constant("nothing", Float32Array.of(0), [1]),
    integersIn(inputs[0] ?? "", [1, "phonemes"]),
    integersIn(inputs[1] ?? "", [1]),
    floatsIn(inputs[2] ?? "", [3]),
    ...(speakers > 1 ? [integersIn("sid", [1])] : []),
    floatsOut("output", [1, 1, 1, "time"]),
  ]);

/** Returns the path of the `.onnx`. */
export function writeVoice(
  folder: string,
  { model: content = tinyVoice(), about = description() as object | string } = {},
): string {
  const file = `${folder}/voice-${Math.random().toString(36).slice(2)}.onnx`;
  writeFileSync(file, content);
  writeFileSync(`${file}.json`, typeof about === "string" ? about : JSON.stringify(about));
  return file;
}
