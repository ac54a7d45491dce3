/**
 * Synthetic callers: espeak-ng with its accents and variants (the appliance speaks American
 * English), and flite's recorded voices through ffmpeg. Test voices are never used for tuning.
 */

import { ESPEAK_SAMPLE_RATE_HZ, loadEspeak } from "../../src/engine/embedded/speech/espeak.ts";
import { escapeSsml } from "../../src/engine/embedded/speech/sentences.ts";
import { createResampler } from "../../src/platform/audio/resampler.ts";

export type Caller =
  | { readonly name: string; readonly by: "espeak"; readonly voice: string }
  /** `pitch`: factor by which the pitch is raised, for a different speaker. */
  | { readonly name: string; readonly by: "flite"; readonly voice: string; readonly pitch: number };

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
const RATE_HZ = 8_000;
/** −20 dBFS while speaking. */
const LEVEL = 3_277;

export interface Voices {
  /** Returns 8 kHz audio at −20 dBFS; null if the synthesiser is not installed. */
  say(caller: Caller, text: string): Promise<Int16Array | null>;
}

export async function createVoices(): Promise<Voices> {
  const espeak = await loadEspeak();
  return {
    async say(caller, text) {
      if (caller.by === "flite") return levelled(sayByFlite(caller, text));
      const pcm = await espeak.synthesize(escapeSsml(text), caller.voice);
      return levelled(createResampler(ESPEAK_SAMPLE_RATE_HZ, RATE_HZ).process(pcm));
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

/** Sets the level of the loud frames: silence between words does not count. */
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
