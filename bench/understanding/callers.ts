/**
 * Synthetic callers: espeak-ng with the accents and variants of its own package (the appliance has
 * American English only), and flite's recorded voices through ffmpeg. Those who judge are never
 * tuned with.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { CreateModule } from "@echogarden/espeak-ng-emscripten";
import type { ClosedLanguage } from "../../src/adapter/engine/embedded/closed-languages.ts";
import { createResampler } from "../../src/platform/audio/resampler.ts";

export type Caller =
  | { readonly name: string; readonly by: "espeak"; readonly voice: string }
  /** `pitch`: played that much higher, as another throat. */
  | { readonly name: string; readonly by: "flite"; readonly voice: string; readonly pitch: number }
  | { readonly name: string; readonly by: "festival"; readonly voice: string };

const espeak = (name: string, voice: string): Caller => ({ name, by: "espeak", voice });
const flite = (name: string, voice: string, pitch = 1): Caller => ({
  name,
  by: "flite",
  voice,
  pitch,
});

export const JUDGING_CALLERS: readonly Caller[] = [
  flite("slt", "slt"),
  espeak("f4", "en-us+f4"),
  flite("awb", "awb"),
  espeak("british", "en-gb-x-rp+m7"),
  flite("rms", "rms"),
];
export const TUNING_CALLERS: readonly Caller[] = [
  flite("kal", "kal16"),
  espeak("m1", "en-us+m1"),
  flite("kal, higher", "kal16", 1.14),
  espeak("scottish", "en-gb-scotland+m3"),
  espeak("f2", "en-us+f2"),
];

/** Of closed lists of phrases. Russian also with a Latvian accent, and by a voice made of a person's recordings. */
export const JUDGING_CALLERS_OF: Readonly<Record<ClosedLanguage, readonly Caller[]>> = {
  lt: ["lt+m3", "lt+f2", "lt+m7", "lt+f5", "lt+m5"].map((voice) => espeak(voice, voice)),
  lv: ["lv+m3", "lv+f2", "lv+m7", "lv+f5", "lv+m5"].map((voice) => espeak(voice, voice)),
  ru: [
    ...["ru+m3", "ru+f2", "ru-lv+m7", "ru+f5"].map((voice) => espeak(voice, voice)),
    { name: "msu", by: "festival", voice: "voice_msu_ru_nsh_clunits" },
  ],
};

const RATE_HZ = 8_000;
/** −20 dBFS while speaking. */
const LEVEL = 3_277;

export interface Voices {
  /** 8 kHz at −20 dBFS. Null: its synthesiser is not installed. */
  say(caller: Caller, text: string): Int16Array | null;
}

export async function createVoices(): Promise<Voices> {
  const packaged = createRequire(import.meta.url).resolve("@echogarden/espeak-ng-emscripten");
  const data = readFileSync(packaged.replace(/[^/]+$/, "espeak-ng.data"));
  const { default: createModule } = (await import(packaged)) as { default: CreateModule };
  const module = await createModule({
    getPreloadedPackage: () => new Uint8Array(data).buffer,
    print() {},
    printErr() {},
  });
  const worker = new module.eSpeakNGWorker();
  return {
    say(caller, text) {
      if (caller.by === "flite") return levelled(sayByFlite(caller, text));
      if (caller.by === "festival") return levelled(sayByFestival(caller, text));
      if (worker.set_voice(caller.voice) !== 0) throw new Error(`no voice ${caller.voice}`);
      const resampler = createResampler(22_050, RATE_HZ);
      const parts: number[] = [];
      worker.synthesize(text, (pcm) => {
        for (const sample of resampler.process(pcm)) parts.push(sample);
        return false;
      });
      return levelled(Int16Array.from(parts));
    },
  };
}

function sayByFlite({ voice, pitch }: Caller & { by: "flite" }, text: string): Int16Array | null {
  const plain = text.replace(/[^A-Za-z0-9 ,?]/g, "").replaceAll(",", "\\,");
  const filters = `flite=voice=${voice}:text='${plain}',asetrate=16000*${pitch},aresample=${RATE_HZ}`;
  const args = ["-v", "error", "-f", "lavfi", "-i", filters, "-f", "s16le", "-ac", "1", "-"];
  try {
    const { exitCode, stdout } = Bun.spawnSync(["ffmpeg", ...args], { stderr: "ignore" });
    if (exitCode !== 0 || stdout.length === 0) return null;
    return new Int16Array(new Uint8Array(stdout).buffer, 0, stdout.length >> 1);
  } catch {
    return null;
  }
}

function sayByFestival({ voice }: Caller & { by: "festival" }, text: string): Int16Array | null {
  const args = ["-eval", `(${voice})`, "-F", String(RATE_HZ), "-otype", "raw"];
  try {
    const { exitCode, stdout } = Bun.spawnSync(["text2wave", ...args], {
      stdin: Buffer.from(text),
      stderr: "ignore",
    });
    if (exitCode !== 0 || stdout.length === 0) return null;
    return new Int16Array(new Uint8Array(stdout).buffer, 0, stdout.length >> 1);
  } catch {
    return null;
  }
}

/** Loud frames decide: silence between words does not count. */
function levelled(pcm: Int16Array | null): Int16Array | null {
  if (pcm === null) return null;
  const frames: number[] = [];
  for (let at = 0; at + 160 <= pcm.length; at += 160) {
    const sum = pcm.subarray(at, at + 160).reduce((total, sample) => total + sample * sample, 0);
    frames.push(Math.sqrt(sum / 160));
  }
  const loudest = Math.max(...frames);
  const spoken = frames.filter((level) => level > loudest / 10);
  const power = spoken.reduce((total, level) => total + level * level, 0) / spoken.length;
  const gain = LEVEL / Math.sqrt(power);
  return pcm.map((sample) => Math.max(-32_768, Math.min(32_767, sample * gain)));
}
