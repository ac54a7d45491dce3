/**
 * Synthesised phrases, kept per voice: greetings, fillers and apologies are there at once, also when
 * the engine is not. One per call worker, shared by its calls; bounded, the least used goes first.
 */
import type { TtsStream } from "../engine-port.ts";

const BYTES_MAX = 64 * 1024 * 1024;
/** A phrase longer than this is not worth its place. */
const PHRASE_BYTES_MAX = 2 * 1024 * 1024;
/** For a phrase that is not there yet. */
const SYNTHESIS_MS_MAX = 1_500;
const MS_PER_CHARACTER_MAX = 90;

export class PhraseCache {
  readonly #phrases = new Map<string, Int16Array>();
  /** Phrases that a call is having synthesised now, for all calls with that voice. */
  readonly #inWork = new Map<string, Promise<void>>();
  #bytes = 0;

  get(voiceKey: string, text: string): Int16Array | null {
    const key = `${voiceKey}\n${text}`;
    const pcm = this.#phrases.get(key);
    if (!pcm) return null;
    this.#phrases.delete(key);
    this.#phrases.set(key, pcm);
    return pcm;
  }

  /** Resolves, never rejects, when whoever is making the phrase has ended; null: nobody is. */
  inWork(voiceKey: string, text: string): Promise<void> | null {
    return this.#inWork.get(`${voiceKey}\n${text}`) ?? null;
  }

  /** Marks the phrase as in work while `make` runs. */
  async work(voiceKey: string, text: string, make: () => Promise<void>): Promise<void> {
    const key = `${voiceKey}\n${text}`;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#inWork.set(key, promise);
    try {
      await make();
    } finally {
      this.#inWork.delete(key);
      resolve();
    }
  }

  put(voiceKey: string, text: string, pcm: Int16Array): void {
    const key = `${voiceKey}\n${text}`;
    if (pcm.byteLength > PHRASE_BYTES_MAX || this.#phrases.has(key)) return;
    this.#phrases.set(key, pcm);
    this.#bytes += pcm.byteLength;
    for (const [oldest, old] of this.#phrases) {
      if (this.#bytes <= BYTES_MAX) break;
      this.#phrases.delete(oldest);
      this.#bytes -= old.byteLength;
    }
  }
}

/** A call's view of the cache: its own voice, and synthesis of what is missing. */
export class CachedPhrases {
  readonly #fallbacks = new Map<string, Int16Array>();
  readonly #abort = new AbortController();
  #work: Promise<void> | null = null;

  constructor(
    private readonly cache: PhraseCache,
    private readonly tts: TtsStream,
    /** Everything that changes how a text sounds: engine, voice, language, sample rate. */
    private readonly voiceKey: () => string,
    private readonly onSynthesised: (characters: number) => void,
  ) {}

  get(text: string): Int16Array | null {
    return this.#fallbacks.get(text) ?? this.cache.get(this.voiceKey(), text);
  }

  /** How long it sounds: measured where it is there, else a slow speaker's time and the synthesis. */
  durationMs(text: string, sampleRateHz: number): number {
    const pcm = this.get(text);
    if (pcm) return (pcm.length / sampleRateHz) * 1_000;
    return SYNTHESIS_MS_MAX + text.length * MS_PER_CHARACTER_MAX;
  }

  /** The phrase that is being made for this call; null: none. */
  get work(): Promise<void> | null {
    return this.#work;
  }

  /**
   * Synthesises those that are missing, one after the other. What another call is making already is
   * waited for. `signal` ends it after the phrase that is in work: the next call needs it, too.
   * Rejects with EngineFailure.
   */
  async prepare(texts: readonly string[], signal: AbortSignal): Promise<void> {
    for (const text of texts) {
      for (
        let work = this.#othersWork(text);
        work && !signal.aborted;
        work = this.#othersWork(text)
      )
        await work;
      if (signal.aborted) return;
      if (text === "" || this.get(text)) continue;
      const key = this.voiceKey();
      const made = this.cache.work(key, text, () => this.#synthesise(key, text));
      this.#work = made
        .catch(() => {})
        .finally(() => {
          this.#work = null;
        });
      await made;
    }
  }

  /** Ends the phrase in work, whose synthesiser is closed. */
  abort(): void {
    this.#abort.abort();
  }

  #othersWork(text: string): Promise<void> | null {
    return this.get(text) ? null : this.cache.inWork(this.voiceKey(), text);
  }

  async #synthesise(key: string, text: string): Promise<void> {
    const { signal } = this.#abort;
    const chunks: Int16Array[] = [];
    for await (const chunk of this.tts.speak(text, signal)) chunks.push(chunk);
    if (signal.aborted) return;
    this.onSynthesised(text.length);
    // Another voice than the agent's: good for this call, not for the next one.
    if (this.tts.isFallback) this.#fallbacks.set(text, concatenated(chunks));
    else this.cache.put(key, text, concatenated(chunks));
  }
}

function concatenated(chunks: readonly Int16Array[]): Int16Array {
  const pcm = new Int16Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    pcm.set(chunk, offset);
    offset += chunk.length;
  }
  return pcm;
}
