/**
 * Cache of synthesised phrases per voice: greetings, fillers and apologies are available immediately, even if
 * the engine fails. One cache per call worker; its size is limited, and the least used phrase is evicted.
 */
import type { TtsStream } from "../engine-port.ts";

const BYTES_MAX = 64 * 1024 * 1024;
/** Longer phrases are not cached. */
const PHRASE_BYTES_MAX = 2 * 1024 * 1024;
/** Time allowed for an uncached phrase. */
const SYNTHESIS_MS_MAX = 1_500;
const MS_PER_CHARACTER_MAX = 90;

export class PhraseCache {
  readonly #phrases = new Map<string, Int16Array>();
  /** Phrases that some call is synthesising now, for all calls with that voice. */
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

  /** Resolves when the current synthesis of the phrase has ended, and never rejects; null: none is running. */
  inWork(voiceKey: string, text: string): Promise<void> | null {
    return this.#inWork.get(`${voiceKey}\n${text}`) ?? null;
  }

  /** Marks the phrase as in synthesis while `make` runs. */
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

/** The cache for one call: its voice, and synthesis of missing phrases. */
export class CachedPhrases {
  readonly #fallbacks = new Map<string, Int16Array>();
  readonly #abort = new AbortController();
  #work: Promise<void> | null = null;

  constructor(
    private readonly cache: PhraseCache,
    private readonly tts: TtsStream,
    /** Key of everything that changes the sound of a text: engine, voice, language, sample rate. */
    private readonly voiceKey: () => string,
    private readonly onSynthesised: (characters: number) => void,
  ) {}

  get(text: string): Int16Array | null {
    return this.#fallbacks.get(text) ?? this.cache.get(this.voiceKey(), text);
  }

  /** Duration of a phrase: measured if cached, else an estimate for slow speech plus synthesis. */
  durationMs(text: string, sampleRateHz: number): number {
    const pcm = this.get(text);
    if (pcm) return (pcm.length / sampleRateHz) * 1_000;
    return SYNTHESIS_MS_MAX + text.length * MS_PER_CHARACTER_MAX;
  }

  /** The phrase in synthesis for this call; null: none. */
  get work(): Promise<void> | null {
    return this.#work;
  }

  /**
   * Synthesises the missing phrases one by one. Waits for a phrase that another call is synthesising.
   * `signal` stops it after the current phrase, because the next call needs that one as well. Rejects with
   * EngineFailure.
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

  /** Aborts the phrase in synthesis; its synthesiser is closed. */
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
    // A phrase in a fallback voice is kept for this call only.
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
