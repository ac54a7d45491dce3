/**
 * Text to speech with eSpeak NG or with the operator's voices (`own-voices`), on the calling
 * thread. Synthesis of a sentence blocks the thread (`speech/espeak.ts`). Therefore the event loop
 * runs between sentences, and an abort takes effect after the current sentence.
 *
 * Level: about −20 dBFS while speaking, never above full scale. Texts are first made speakable
 * (money, clock times, email addresses) and escaped, because eSpeak NG reads SSML.
 */
import { type Clock, systemClock } from "../../core/clock.ts";
import { createResampler } from "../../platform/audio/resampler.ts";
import type { OwnVoice, OwnVoices } from "./own-voices/own-voices.ts";
import { withPunctuation } from "./own-voices/phonemes.ts";
import { ESPEAK_SAMPLE_RATE_HZ, type Espeak, loadEspeak } from "./speech/espeak.ts";
import { applyGain, gainFor } from "./speech/level.ts";
import { escapeSsml, splitSentences } from "./speech/sentences.ts";
import { spokenText } from "./speech/spoken-text.ts";
import { espeakVoiceName, VOICE_GAINS } from "./speech/voices.ts";

/** A neural voice takes longer per character, and the caller waits for the first piece. */
const OWN_CHARACTERS_MAX = 100;

export const LEVEL_SENTENCE = "Good afternoon, how can I help you today?";

/** Longer texts are cut. Nobody listens to more at once, and the work per request is bounded. */
const SPEECH_CHARACTERS_MAX = 6_000;

interface SpeechOrder {
  readonly text: string;
  /** `lt`, `lv`, `en` or `ru`. English has an American accent. */
  readonly language: string;
  /**
   * Sari, Emma, Nathan, Adrian, one of eSpeak NG's own variants (`m3`, `f2`), or empty for the
   * plain voice.
   */
  readonly voice: string;
  readonly sampleRateHz: 8000 | 16000;
  /** Default: 100. */
  readonly ratePercent?: number;
}

export interface Synthesiser {
  /** Returns sentences through `onChunk`. Resolves when everything is spoken or `signal` aborts. */
  speak(
    order: SpeechOrder,
    onChunk: (pcm: Int16Array) => void,
    signal?: AbortSignal,
  ): Promise<void>;
  /** The whole speech in one piece. */
  speakAll(order: SpeechOrder): Promise<Int16Array>;
}

interface SynthesiserOptions {
  readonly clock?: Clock;
  /** Default: none. */
  readonly ownVoices?: OwnVoices;
}

/** Loads the program (0.2 s on a free core) and runs it once. */
export async function createSynthesiser(options: SynthesiserOptions = {}): Promise<Synthesiser> {
  const { clock = systemClock, ownVoices = null } = options;
  const synthesiser = new SentenceSynthesiser(await loadEspeak(), ownVoices, clock);
  await synthesiser.speakAll({ text: "Ready.", language: "en", voice: "Sari", sampleRateHz: 8000 });
  return synthesiser;
}

class SentenceSynthesiser implements Synthesiser {
  readonly #gains = new Map(knownGains());

  constructor(
    private readonly espeak: Espeak,
    private readonly ownVoices: OwnVoices | null,
    private readonly clock: Clock,
  ) {}

  async speak(
    order: SpeechOrder,
    onChunk: (pcm: Int16Array) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    const text = spokenText(order.text.slice(0, SPEECH_CHARACTERS_MAX), order.language);
    const own = this.ownVoices?.find(order.language, order.voice) ?? null;
    const sentences = splitSentences(text, own === null ? undefined : OWN_CHARACTERS_MAX);
    for (const [index, sentence] of sentences.entries()) {
      if (index > 0) await letOthersRun(this.clock);
      if (signal?.aborted) return;
      const spoken =
        (own && (await this.#ownSpeech(own, sentence, order))) ??
        (await this.#espeakSpeech(sentence, order));
      if (signal?.aborted) return;
      const chunk = createResampler(spoken.rateHz, order.sampleRateHz).process(spoken.pcm);
      applyGain(chunk, spoken.gain);
      if (chunk.length > 0) onChunk(chunk);
    }
  }

  async #espeakSpeech(sentence: string, { language, voice, ratePercent }: SpeechOrder) {
    const name = espeakVoiceName(language, voice);
    const pcm = await this.espeak.synthesize(escapeSsml(sentence), name, ratePercent);
    return { pcm, rateHz: ESPEAK_SAMPLE_RATE_HZ, gain: await this.#gainOf(name) };
  }

  /** Null if the voice fails or times out. */
  async #ownSpeech(own: OwnVoice, sentence: string, { ratePercent = 100 }: SpeechOrder) {
    const clauses = await this.espeak.phonemes(sentence, own.espeakVoice);
    if (clauses.length === 0) return null;
    const phonemes = withPunctuation(clauses, sentence);
    const pcm = (await this.ownVoices?.speak(own, phonemes, ratePercent)) ?? null;
    if (pcm === null) return null;
    const gain = this.#gains.get(own.file) ?? gainFor([pcm]);
    this.#gains.set(own.file, gain);
    return { pcm, rateHz: own.sampleRateHz, gain };
  }

  async speakAll(order: SpeechOrder): Promise<Int16Array> {
    const chunks: Int16Array[] = [];
    await this.speak(order, (pcm) => chunks.push(pcm));
    return concatenate(chunks);
  }

  /** Measures the loudness of a voice without a known gain once, with a fixed sentence. */
  async #gainOf(voice: string): Promise<number> {
    const known = this.#gains.get(voice);
    if (known !== undefined) return known;
    const gain = gainFor([await this.espeak.synthesize(LEVEL_SENTENCE, voice)]);
    this.#gains.set(voice, gain);
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
