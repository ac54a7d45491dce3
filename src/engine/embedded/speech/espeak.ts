/**
 * eSpeak NG from npm's `espeak-ng`: its command line in WebAssembly with all languages included.
 * The program is compiled once per thread. Each run is an instance of 32 MB, which is
 * garbage-collected. A run blocks its thread: 70 ms per sentence on a free core.
 */
import { readFileSync } from "node:fs";
import createInstance from "espeak-ng";
import programPath from "../data/espeak-ng.zst" with { type: "file" };
import { VOICE_VARIANTS } from "./voices.ts";

export const ESPEAK_SAMPLE_RATE_HZ = 22_050;
/** eSpeak NG's normal speed. */
const WORDS_PER_MINUTE = 175;

const VARIANT_FOLDER = "/usr/local/share/espeak-ng-data/voices/!v/";
const TEXT_FILE = "/text";
const SOUND_FILE = "/sound.wav";
/** RIFF header and format of the file that `-w` writes. Samples of 16 bits follow. */
const WAV_HEADER_BYTES = 44;

export interface Espeak {
  /**
   * Returns samples at `ESPEAK_SAMPLE_RATE_HZ`. `ssml` is escaped text. Rejects if the voice does
   * not exist.
   */
  synthesize(ssml: string, voice: string, ratePercent?: number): Promise<Int16Array>;
  /** International phonetic alphabet: one string per clause of the voice. */
  phonemes(text: string, voice: string): Promise<string[]>;
}

interface Run {
  readonly printed: readonly string[];
  readonly errors: readonly string[];
  readonly sound: Uint8Array<ArrayBuffer> | null;
}

export async function loadEspeak(): Promise<Espeak> {
  const program = await WebAssembly.compile(Bun.zstdDecompressSync(readFileSync(programPath)));
  const run = (text: string, options: readonly string[]) => runOnce(program, text, options);
  return {
    async synthesize(ssml, voice, ratePercent = 100) {
      const rate = String(Math.round((WORDS_PER_MINUTE * ratePercent) / 100));
      const { sound, errors } = await run(ssml, [
        "-m",
        "-D",
        "-v",
        voice,
        "-s",
        rate,
        "-w",
        SOUND_FILE,
      ]);
      if (sound === null) throw new Error(`eSpeak NG made no sound: ${errors[0] ?? voice}`);
      return new Int16Array(sound.slice(WAV_HEADER_BYTES).buffer);
    },
    async phonemes(text, voice) {
      const { printed } = await run(text, ["-q", "--ipa", "--sep=", "-v", voice]);
      return printed.filter((line) => line !== "");
    },
  };
}

async function runOnce(
  program: WebAssembly.Module,
  text: string,
  options: readonly string[],
): Promise<Run> {
  const printed: string[] = [];
  const errors: string[] = [];
  const { FS } = await createInstance({
    arguments: [...options, "-f", TEXT_FILE],
    instantiateWasm(imports, receive) {
      // The package can receive its instance only after this returns.
      queueMicrotask(() => receive(new WebAssembly.Instance(program, imports)));
      return {};
    },
    onRuntimeInitialized() {
      this.FS.writeFile(TEXT_FILE, text);
      for (const [name, definition] of Object.entries(VOICE_VARIANTS))
        this.FS.writeFile(VARIANT_FOLDER + name, definition);
    },
    // The package's default would set the exit code of this process.
    quit(_, error) {
      throw error;
    },
    print: (line) => printed.push(line),
    printErr: (line) => errors.push(line),
  });
  const sound = FS.analyzePath(SOUND_FILE).exists ? FS.readFile(SOUND_FILE) : null;
  return { printed, errors, sound };
}
