/**
 * Makes src/media/audio/silero/data: the 8 kHz weights of the published Silero v5 model, in
 * the layout of our kernel. Skipped if no input changed.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { floatsOf, LAYERS, type Layer, padded } from "../src/media/audio/silero/layers.ts";
import { shuffled } from "../src/platform/memory/shuffle.ts";
import { floatConstants } from "./onnx-constants.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const MODEL = `${root}node_modules/@ricky0123/vad-web/dist/silero_vad_v5.onnx`;
const OUT = `${root}src/media/audio/silero/data`;
const INPUTS = [
  MODEL,
  `${root}src/media/audio/silero/layers.ts`,
  `${root}src/platform/memory/shuffle.ts`,
  fileURLToPath(import.meta.url),
];
/** Subgraph for 8 kHz: the model has one for each rate. */
const BRANCH = "If_0_else_branch__Inline_0__";

export async function buildVadModel(): Promise<void> {
  const hash = createHash("sha256");
  for (const input of INPUTS) hash.update(await Bun.file(input).bytes());
  const stamp = hash.digest("hex");
  const files = [`${OUT}/weights.zst`, `${OUT}/stamp`];
  if (files.every((file) => existsSync(file)) && (await Bun.file(`${OUT}/stamp`).text()) === stamp)
    return;
  mkdirSync(OUT, { recursive: true });
  const constants = floatConstants(await Bun.file(MODEL).bytes());
  const named = (name: string): Float32Array => {
    const found = constants.get(BRANCH + name);
    if (!found) throw new Error(`the speech model has no ${name}`);
    return found;
  };
  await Bun.write(
    `${OUT}/weights.zst`,
    Bun.zstdCompressSync(shuffled(weights(named), 4), { level: 22 }),
  );
  await Bun.write(`${OUT}/stamp`, stamp);
}

type Matrix = (row: number, column: number) => number;

function weights(named: (name: string) => Float32Array): Uint8Array {
  /** [out][in][kernel 3] → kernel positions as adjacent columns, starting at position `first`. */
  const conv = (index: number, channels: number, first: number): Matrix => {
    const values = named(`encoder.${index}.reparam_conv.weight`);
    return (row, column) => {
      const [position, channel] = [first + Math.floor(column / channels), column % channels];
      return values[(row * channels + channel) * 3 + position] ?? 0;
    };
  };
  const bias = (index: number) => named(`encoder.${index}.reparam_conv.bias`);
  const basis = named("stft.forward_basis_buffer");
  const [input, hidden] = [named("decoder.rnn.weight_ih"), named("decoder.rnn.weight_hh")];
  const gates: Matrix = (row, column) =>
    (column < 128 ? input[row * 128 + column] : hidden[row * 128 + column - 128]) ?? 0;
  const [biasIn, biasHidden] = [named("decoder.rnn.bias_ih"), named("decoder.rnn.bias_hh")];
  const last = named("decoder.decoder.2.weight");
  const parts: readonly (readonly [Matrix, Float32Array])[] = [
    [(row, column) => basis[row * 128 + column] ?? 0, new Float32Array(130)],
    [conv(0, 65, 0), bias(0)],
    [conv(1, 128, 0), bias(1)],
    [conv(2, 64, 0), bias(2)],
    [conv(3, 64, 1), bias(3)],
    [gates, biasIn.map((value, index) => value + (biasHidden[index] ?? 0))],
    [(_, column) => last[column] ?? 0, named("decoder.decoder.2.bias")],
  ];
  const all = new Float32Array(LAYERS.reduce((sum, layer) => sum + floatsOf(layer), 0));
  let at = 0;
  for (const [index, [matrix, biases]] of parts.entries()) {
    const layer = LAYERS[index];
    if (!layer) throw new Error("more parts than layers");
    fill(all.subarray(at, at + floatsOf(layer)), layer, matrix, biases);
    at += floatsOf(layer);
  }
  return new Uint8Array(all.buffer);
}

function fill(out: Float32Array, { rows, columns }: Layer, matrix: Matrix, biases: Float32Array) {
  const width = padded(columns);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      out[row * width + column] = matrix(row, column);
  out.set(biases, rows * width);
}
