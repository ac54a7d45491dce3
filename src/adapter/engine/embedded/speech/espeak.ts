/**
 * eSpeak NG, as npm's `espeak-ng` has it: its command line in WebAssembly with all languages inside. The program is
 * compiled once per thread; each run is an instance of 32 MB that the collector takes back. A run blocks its thread,
 * for 70 ms with a sentence on a free core.
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
/** RIFF and format, of the file that `-w` writes; samples of 16 bits follow. */
const WAV_HEADER_BYTES = 44;

export interface Espeak {
  /** Samples at `ESPEAK_SAMPLE_RATE_HZ`. `ssml` is escaped text. Rejects when there is no such voice. */
  synthesize(ssml: string, voice: string, ratePercent?: number): Promise<Int16Array>;
  /** International phonetic alphabet: one string per clause that the voice makes of the text. */
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
      // The package's code is ready for its instance only after this returns.
      queueMicrotask(() => receive(new WebAssembly.Instance(program, imports)));
      return {};
    },
    onRuntimeInitialized() {
      this.FS.writeFile(TEXT_FILE, text);
      for (const [name, definition] of Object.entries(VOICE_VARIANTS))
        this.FS.writeFile(VARIANT_FOLDER + name, definition);
    },
    // The package's default sets the exit code of this process.
    quit(_, error) {
      throw error;
    },
    print: (line) => printed.push(line),
    printErr: (line) => errors.push(line),
  });
  const sound = FS.analyzePath(SOUND_FILE).exists ? FS.readFile(SOUND_FILE) : null;
  return { printed, errors, sound };
}
