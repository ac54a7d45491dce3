/**
 * Converts the sentence encoder's weights from its package to 8 bits: a line of JSON (word pieces
 * with their scores, and the name, rows and columns of each matrix), then the matrices. Small
 * matrices keep 32 bits.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

interface Weight {
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: string;
}

const LAYER = "module_apply_default/Encoder_en/KonaTransformer/Encode/Layer_";
const STACK = "module_apply_default/Encoder_en/KonaTransformer/Encode/TransformerStack/Layer_";
const PARTS = "module/Encoder_en/KonaTransformer/Encode/Layer_";
const of = (layer: number, own: Readonly<Record<string, string>>) =>
  Object.entries(own).map(([name, path]) => [`${layer}.${name}`, path]);

/** Our names by the graph's names. */
const NAMES: Readonly<Record<string, string>> = Object.fromEntries([
  ["pieces", "module/Embeddings_en"],
  ["frequencies", `${STACK}0/AddTimingSignal/TimingSignal/ExpandDims_1`],
  ["widen", `${LAYER}0/TransformerLayer/dense/kernel/ConcatPartitions/concat`],
  ["widen.bias", `${LAYER}0/TransformerLayer/dense/bias/ConcatPartitions/concat`],
  ["sentence", "module/Encoder_en/hidden_layers/tanh_layer_0/weights"],
  ["sentence.bias", "module/Encoder_en/hidden_layers/tanh_layer_0/bias"],
  ...[0, 1].flatMap((layer) => {
    const inner = `${layer}/TransformerLayer`;
    const norm = (path: string, part: string) =>
      `${LAYER}${inner}/${path}layer_prepostprocess/layer_norm/layer_norm_${part}/ConcatPartitions/concat`;
    const attention = (part: string) =>
      `${PARTS}${inner}/MultiheadAttention/${part}_transform_single/kernel/part_0`;
    const bias = (part: string) => `${LAYER}${inner}/${part}/bias/ConcatPartitions/concat`;
    return of(layer, {
      "norm.scale": norm("", "scale"),
      "norm.bias": norm("", "bias"),
      attend: attention("qkv"),
      "attend.bias": bias("MultiheadAttention/qkv_transform_single"),
      attended: attention("output"),
      "attended.bias": bias("MultiheadAttention/output_transform_single"),
      "then.scale": norm("FFN/", "scale"),
      "then.bias": norm("FFN/", "bias"),
      first: `${STACK}${inner}/FFN/conv1/Tensordot/Reshape_1`,
      "first.bias": bias("FFN/conv1"),
      second: `${STACK}${inner}/FFN/conv2/Tensordot/Reshape_1`,
      "second.bias": bias("FFN/conv2"),
    });
  }),
]);

/** Smaller matrices are not quantised: the gain is not worth the loss. */
const QUANTISED_MIN = 10_000;

export function sentenceEncoder(directory: string): Uint8Array {
  const read = (name: string) => readFileSync(join(directory, "dist", name));
  const { weightsManifest } = JSON.parse(read("model.json").toString());
  const [{ paths, weights }] = weightsManifest as [{ paths: string[]; weights: Weight[] }];
  const packed = Buffer.concat(paths.map(read));
  const values = new Map<string, { columns: number; data: Float32Array }>();
  let at = 0;
  for (const { name, shape, dtype } of weights) {
    const size = shape.reduce((product, length) => product * length, 1);
    const bytes = new Uint8Array(packed.subarray(at, at + size * 4));
    at += size * 4;
    if (dtype !== "float32") continue;
    values.set(name, { columns: shape.at(-1) ?? 1, data: new Float32Array(bytes.buffer) });
  }
  const parts: Uint8Array[] = [];
  const matrices = Object.entries(NAMES).map(([name, path]) => {
    const found = values.get(path);
    if (found === undefined) throw new Error(`the sentence encoder has no ${path}`);
    const { columns, data } = found;
    const isQuantised = data.length >= QUANTISED_MIN;
    parts.push(...(isQuantised ? quantised(data, columns) : [new Uint8Array(data.buffer)]));
    return [name, data.length / columns, columns, isQuantised ? 8 : 32];
  });
  const pieces = JSON.parse(read("vocab.json").toString());
  return Buffer.concat([Buffer.from(`${JSON.stringify({ pieces, matrices })}\n`), ...parts]);
}

/** Returns a scale per column, and the values in units of that scale. */
function quantised(data: Float32Array, columns: number): Uint8Array[] {
  const scales = new Float32Array(columns);
  for (const [index, value] of data.entries()) {
    const column = index % columns;
    scales[column] = Math.max(scales[column] ?? 0, Math.abs(value) / 127);
  }
  const steps = Int8Array.from(data, (value, index) => {
    const scale = scales[index % columns] ?? 0;
    return scale === 0 ? 0 : Math.round(value / scale);
  });
  return [new Uint8Array(scales.buffer), new Uint8Array(steps.buffer)];
}
