/**
 * Loads espeak-ng (plain JavaScript made by emscripten) with the embedded data of our four
 * languages. The package's own 24 MB archive is replaced by ours: every file it lists starts empty,
 * ours are written over them before the synthesiser starts.
 */
import createModule, {
  type SpeechModule,
  type SpeechWorker,
} from "@echogarden/espeak-ng-emscripten";
import archivePath from "../data/voices.gz" with { type: "file" };
import { VOICE_VARIANTS } from "./voices.ts";

const VARIANT_FOLDER = "/usr/share/espeak-ng-data/voices/!v/";

export async function loadEspeak(): Promise<SpeechWorker> {
  const [module, archive] = await Promise.all([
    createModule({ getPreloadedPackage: () => new ArrayBuffer(0), print() {}, printErr() {} }),
    Bun.file(archivePath).bytes(),
  ]);
  unpack(Bun.gunzipSync(archive), module);
  for (const [name, definition] of Object.entries(VOICE_VARIANTS)) {
    module.FS.writeFile(VARIANT_FOLDER + name, definition);
  }
  return new module.eSpeakNGWorker();
}

/** The format is written down in scripts/speech-data.ts. */
function unpack(archive: Uint8Array, module: SpeechModule): void {
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
