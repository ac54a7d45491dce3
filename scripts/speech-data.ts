/**
 * Generates `src/adapter/engine/embedded/data/` from node_modules: the voice's data cut to our four
 * languages (one archive, and one of the Russian dictionary), and its program. What is read whole is stored compressed. A build product: deterministic, ignored by git, skipped when it is up to date.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packDictionary } from "./stress-dictionary.ts";
import { WASM_FROM_JAVASCRIPT, wasmFromJavaScript } from "./wasm-from-javascript/module.ts";

const ROOT = join(import.meta.dir, "..");
const ESPEAK = join(ROOT, "node_modules/@echogarden/espeak-ng-emscripten");
const OUTPUT = join(ROOT, "src/adapter/engine/embedded/data");

const VOICE_FILES_MIN = 20;

/** Bump when what is generated changes without a change of the packages. */
const FORMAT = 13;

/** Phoneme tables, dictionaries and language files of lt, lv, en, ru, and the voice variants. */
const INCLUDED_VOICE_FILES =
  /\/(en|lt|lv)_dict$|\/phon|\/intonations$|\/lang\/(bat\/l[tv]|gmw\/en(-US)?|zle\/ru)$|\/voices\/!v\//;

/** Nine times as large as all of those, and wanted for Russian only. */
const RUSSIAN_DICTIONARY = /\/ru_dict$/;

const compressed = (content: Uint8Array) => Bun.zstdCompressSync(content, { level: 22 });

/** Writes what is missing or stale. Answers false when nothing had to be done. */
export async function buildSpeechData(): Promise<boolean> {
  const stamp = stampOf();
  const stampFile = join(OUTPUT, "stamp");
  const ownFiles = {
    "voices.zst": voiceArchive,
    "russian.zst": russianDictionary,
    "espeak.zst": espeakProgram,
    "espeak-wasm.zst": () => wasmFromJavaScript(espeakScript()),
  };
  const complete = Object.keys(ownFiles).every((name) => existsSync(join(OUTPUT, name)));
  if (complete && existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) return false;
  rmSync(OUTPUT, { recursive: true, force: true });
  mkdirSync(OUTPUT, { recursive: true });
  for (const [name, content] of Object.entries(ownFiles))
    writeFileSync(join(OUTPUT, name), compressed(await content()));
  writeFileSync(stampFile, stamp);
  return true;
}

function stampOf(): string {
  const hash = createHash("sha256").update(`format ${FORMAT}\n`);
  hash.update(readFileSync(join(ESPEAK, "package.json")));
  for (const path of WASM_FROM_JAVASCRIPT) hash.update(readFileSync(path));
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
