/** Speech for the demo's phones, and reference audio of the agent's sentences. Cached. */
import { createSynthesiser } from "../engine/embedded/synthesiser.ts";
import { PHONE_SAMPLE_RATE_HZ, type SpeechMaker } from "./phone/phone-call.ts";

export interface Voices {
  /** 8 kHz. Synthesised once, then cached. */
  speak(voice: string, text: string, language?: string): Promise<Int16Array>;
  speaker(voice: string, language?: string): SpeechMaker;
}

export async function createVoices(): Promise<Voices> {
  const synthesiser = await createSynthesiser();
  const spoken = new Map<string, Promise<Int16Array>>();

  function speak(voice: string, text: string, language = "en"): Promise<Int16Array> {
    const key = `${language} ${voice} ${text}`;
    const known = spoken.get(key);
    if (known) return known;
    const order = { text, language, voice, sampleRateHz: PHONE_SAMPLE_RATE_HZ } as const;
    const made = synthesiser.speakAll(order).then(withoutSilence);
    spoken.set(key, made);
    return made;
  }

  return { speak, speaker: (voice, language) => (text) => speak(voice, text, language) };
}

const QUIET = 60;

/** Removes the pauses before and after. */
function withoutSilence(pcm: Int16Array): Int16Array {
  let first = 0;
  let last = pcm.length;
  while (first < last && Math.abs(pcm[first] ?? 0) < QUIET) first++;
  while (last > first && Math.abs(pcm[last - 1] ?? 0) < QUIET) last--;
  return pcm.slice(first, last);
}
