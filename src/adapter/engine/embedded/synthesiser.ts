/**
 * Text to speech by espeak-ng, on whatever thread it is made. Synthesis itself blocks (about 5 ms a
 * second of speech), so a text is spoken sentence by sentence with the event loop let through in
 * between, and an abort takes effect within one 100 ms chunk of the sentence being made.
 *
 * Level: about −20 dBFS while speaking, never above full scale. Texts are made speakable first
 * (money, clock times, e-mail addresses) and escaped: espeak-ng reads SSML.
 */
import { type Clock, systemClock } from "../../../core/clock.ts";
import { createResampler } from "../../../platform/audio/resampler.ts";
import { type Espeak, loadEspeak } from "./speech/espeak-module.ts";
import { applyGain, gainFor } from "./speech/level.ts";
import { escapeSsml, splitSentences } from "./speech/sentences.ts";
import { spokenText } from "./speech/spoken-text.ts";
import { espeakVoiceName, VOICE_GAINS } from "./speech/voices.ts";

const ESPEAK_SAMPLE_RATE_HZ = 22_050;
/** espeak-ng's own rate: 100 percent. */
const WORDS_PER_MINUTE = 175;

/** Longer texts are cut: nobody listens to more at one go, and it bounds the work of one order. */
const SPEECH_CHARACTERS_MAX = 6_000;

interface SpeechOrder {
  readonly text: string;
  /** `lt`, `lv`, `en`, `ru`; en is spoken American. */
  readonly language: string;
  /** Sari, Emma, Nathan, Adrian, one of espeak-ng's own variants (`m3`, `f2`) or empty for plain. */
  readonly voice: string;
  readonly sampleRateHz: 8000 | 16000;
  /** Default: 100. */
  readonly ratePercent?: number;
}

export interface Synthesiser {
  /** Hands chunks out as they are made; resolves when all is spoken or `signal` aborts. */
  speak(
    order: SpeechOrder,
    onChunk: (pcm: Int16Array) => void,
    signal?: AbortSignal,
  ): Promise<void>;
  /** The whole speech in one piece. */
  speakAll(order: SpeechOrder): Promise<Int16Array>;
  /** International phonetic alphabet of a word or phrase. */
  phonemes(text: string, language: string): string;
}

/** Loads the voices (about 0.2 s, 25 MB) and warms them. */
export async function createSynthesiser(
  options: { readonly clock?: Clock } = {},
): Promise<Synthesiser> {
  const synthesiser = new EspeakSynthesiser(await loadEspeak(), options.clock ?? systemClock);
  await synthesiser.speakAll({ text: "Ready.", language: "en", voice: "Sari", sampleRateHz: 8000 });
  return synthesiser;
}

class EspeakSynthesiser implements Synthesiser {
  readonly #gains = new Map(knownGains());
  #ratePercent = 100;

  constructor(
    private readonly espeak: Espeak,
    private readonly clock: Clock,
  ) {}

  async speak(
    order: SpeechOrder,
    onChunk: (pcm: Int16Array) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    const resampler = createResampler(ESPEAK_SAMPLE_RATE_HZ, order.sampleRateHz);
    const text = spokenText(order.text.slice(0, SPEECH_CHARACTERS_MAX), order.language);
    for (const [index, sentence] of splitSentences(text).entries()) {
      if (index > 0) await letOthersRun(this.clock);
      if (signal?.aborted) return;
      const gain = this.#selectVoice(order);
      this.espeak.synthesize(escapeSsml(sentence), (pcm) => {
        if (signal?.aborted) return true;
        const chunk = resampler.process(pcm);
        applyGain(chunk, gain);
        if (chunk.length > 0) onChunk(chunk);
        return false;
      });
    }
  }

  async speakAll(order: SpeechOrder): Promise<Int16Array> {
    const chunks: Int16Array[] = [];
    await this.speak(order, (pcm) => chunks.push(pcm));
    return concatenate(chunks);
  }

  phonemes(text: string, language: string): string {
    this.espeak.learn(language);
    this.espeak.set_voice(espeakVoiceName(language, ""));
    let ipa = "";
    this.espeak.synthesize(escapeSsml(text), (_, events) => {
      for (const event of events) if (event.type === "phoneme") ipa += event.id;
      return false;
    });
    return ipa;
  }

  #selectVoice(order: SpeechOrder): number {
    const { espeak } = this;
    espeak.learn(order.language);
    const name = espeakVoiceName(order.language, order.voice);
    if (espeak.set_voice(name) !== 0) espeak.set_voice(espeakVoiceName(order.language, ""));
    this.#setRate(order.ratePercent ?? 100);
    return this.#calibratedGain(name);
  }

  #setRate(percent: number): void {
    if (percent === this.#ratePercent) return;
    this.#ratePercent = percent;
    this.espeak.set_rate(Math.round((WORDS_PER_MINUTE * percent) / 100));
  }

  /** The loudness of a voice that is not one of ours is measured once, on a sentence of its own. */
  #calibratedGain(voiceName: string): number {
    const known = this.#gains.get(voiceName);
    if (known !== undefined) return known;
    const parts: Int16Array[] = [];
    this.espeak.synthesize("Good afternoon, how can I help you today?", (pcm) => {
      parts.push(pcm);
      return false;
    });
    const gain = gainFor(parts);
    this.#gains.set(voiceName, gain);
    return gain;
  }
}

function knownGains(): [voiceName: string, gain: number][] {
  return Object.entries(VOICE_GAINS).flatMap(([voice, gains]) =>
    Object.entries(gains).map(([language, gain]): [string, number] => [
      espeakVoiceName(language, voice),
      gain,
    ]),
  );
}

function letOthersRun(clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    clock.after(0, resolve);
  });
}

function concatenate(chunks: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}
