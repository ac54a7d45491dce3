/**
 * Loads espeak-ng (WebAssembly and emscripten's JavaScript around it, kept compressed) with the embedded data of our
 * four languages. The package's own 24 MB archive is replaced by ours, whose files are written before the
 * synthesiser starts. The Russian dictionary, 8.5 MB of the
 * 9.5, is a file of its own and written when Russian is first spoken (0.1 s, once).
 */
import { readFileSync } from "node:fs";
import type {
  CreateModule,
  SpeechCallback,
  SpeechModule,
  SpeechWorker,
} from "@echogarden/espeak-ng-emscripten";
import programPath from "../data/espeak.zst" with { type: "file" };
import binaryPath from "../data/espeak-wasm.zst" with { type: "file" };
import russianPath from "../data/russian.zst" with { type: "file" };
import archivePath from "../data/voices.zst" with { type: "file" };
import { unpackDictionary } from "./stress-dictionary.ts";
import { VOICE_VARIANTS } from "./voices.ts";

const VARIANT_FOLDER = "/usr/share/espeak-ng-data/voices/!v/";

export interface Espeak extends SpeechWorker {
  /** Before a language is spoken: 0.1 s for the first Russian sentence, else nothing to do. */
  learn(language: string): void;
}

export async function loadEspeak(): Promise<Espeak> {
  const createModule = new Function(
    decompressed(programPath).toString("utf8"),
  ) as () => CreateModule;
  const module = await createModule()({
    wasmBinary: decompressed(binaryPath),
    createCallback: createCallbacks(),
    getPreloadedPackage: () => new ArrayBuffer(0),
    print() {},
    printErr() {},
  });
  unpack(module, archivePath);
  for (const [name, definition] of Object.entries(VOICE_VARIANTS)) {
    module.FS.writeFile(VARIANT_FOLDER + name, definition);
  }
  let knowsRussian = false;
  return Object.assign(new module.eSpeakNGWorker(), {
    learn(language: string) {
      if (language !== "ru" || knowsRussian) return;
      knowsRussian = true;
      module.FS.writeFile(...unpackDictionary(decompressed(russianPath)));
    },
  });
}

/** `(module (import "a" "a" (func (param i32 i32 i32) (result i32))) (export "a" (func 0)))` */
const CALLBACK_MODULE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 8, 1, 96, 3, 127, 127, 127, 1, 127, 2, 7, 1, 1, 97, 1, 97, 0, 0,
  7, 5, 1, 1, 97, 0, 0,
]);

/** What hears of audio, as an entry of WebAssembly's table. One is in use at a time: a text is spoken at once. */
function createCallbacks(): (callback: SpeechCallback) => unknown {
  let current: SpeechCallback | null = null;
  const call: SpeechCallback = (...numbers) => current?.(...numbers) ?? 0;
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(CALLBACK_MODULE), {
    a: { a: call },
  });
  return (callback) => {
    current = callback;
    return exports.a;
  };
}

const decompressed = (path: string): Buffer => Bun.zstdDecompressSync(readFileSync(path));

/** The format is written down in scripts/speech-data.ts. */
function unpack(module: SpeechModule, packed: string): void {
  const archive = decompressed(packed);
  const headerEnd = archive.indexOf(0x0a);
  const listing = JSON.parse(new TextDecoder().decode(archive.subarray(0, headerEnd))) as [
    string,
    number,
  ][];
  let offset = headerEnd + 1;
  for (const [path, size] of listing) {
    module.FS.writeFile(path, archive.subarray(offset, offset + size));
    offset += size;
  }
}
