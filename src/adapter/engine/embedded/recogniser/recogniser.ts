/**
 * Speech recognition for all callers of one thread. Audio is decoded as it arrives, so the final
 * text is there some milliseconds after the end of the utterance.
 *
 * English is heard through a graph of the agent's own knowledge, or through a strict grammar where a
 * short answer is expected (with a second look through the graph when the grammar hears none).
 * Lithuanian, Latvian and Russian are closed lists of phrases. When more callers talk at once than
 * the thread can follow, what they say waits for its turn, for 8 s after their last word at most; then
 * nothing was understood, and the agent offers keys.
 *
 * What is heard through the graph may be read a second time by the transcriber, which knows all of English.
 */
import type { Clock } from "../../../../core/clock.ts";
import type { ExpectedAnswer, SttResult } from "../../../../domain/conversation/engine-port.ts";
import type { GrammarSource } from "../speech-messages.ts";
import { DecoderAllocator, type GrammarChoice } from "./decoder-allocator.ts";
import { HeardUtterance, NO_WORDS } from "./heard-utterance.ts";
import { PieceQueue } from "./piece-queue.ts";
import { type ReadingOutcome, SecondReading } from "./second-reading.ts";
import { TelephoneAudio } from "./telephone-audio.ts";
import type { Transcript } from "./transcriber/messages.ts";
import type { Transcriber } from "./transcriber/transcriber.ts";

interface RecogniserOptions {
  /** IPA of words the dictionary does not know. */
  readonly phonemes: (text: string, language: string) => string;
  readonly clock: Clock;
  /** An utterance waits for decoders; one came to nothing because they had no time for it. */
  readonly onLoad?: (event: "waited" | "lost") => void;
  /** What became of a second reading. */
  readonly onSecondReading?: (outcome: ReadingOutcome) => void;
  /** Default: nothing is read a second time. */
  readonly transcriber?: Transcriber;
}

export interface Heard extends SttResult {
  /** A second reading of an English sentence. Null: there is none (in time). */
  readonly transcript: Transcript | null;
}

export interface Recogniser {
  /**
   * Loads decoders (0.3 s, 45 MB) when they are not there. `between` is awaited between its steps of
   * some 50 ms. Rejects when the model cannot be read; may be tried again.
   */
  load(betweenSteps?: () => Promise<void>): Promise<void>;
  /** Rejects when the model cannot be read. Takes a third of what loading takes, and keeps nothing. */
  selfTest(): Promise<void>;
  /** Gives their memory back, unless somebody talks. Grammars of other languages than English stay. */
  unload(): void;
  /** Builds an agent's grammar when it is not there yet. */
  prepare(source: GrammarSource): void;
  openStt(options: SttStreamOptions): ListeningSttStream;
}

interface SttStreamOptions extends GrammarChoice {
  readonly sampleRateHz: 8000 | 16000;
  /** How long a second reading is waited for after the first. Null (default): there is none. */
  readonly transcriptMs?: number | null;
  readonly onPartial: (text: string) => void;
}

/** One caller. Not more than one utterance at a time. */
export interface ListeningSttStream {
  startUtterance(lead: Int16Array): void;
  push(pcm: Int16Array): void;
  /** What was said so far may be all. */
  recogniseEarly(): void;
  dropEarly(): void;
  finalize(): Promise<Heard>;
  discard(): void;
  expect(answer: ExpectedAnswer): void;
  close(): void;
}

const UTTERANCE_SAMPLES_MAX = 30 * 8_000;
interface Shared {
  readonly allocator: DecoderAllocator;
  readonly pieces: PieceQueue;
  readonly clock: Clock;
  readonly onLoad: (event: "waited" | "lost") => void;
  readonly onSecondReading: (outcome: ReadingOutcome) => void;
  readonly transcriber: Transcriber | null;
}

/** Unloaded: `load` it before anybody talks. */
export function createRecogniser(options: RecogniserOptions): Recogniser {
  const { phonemes, clock, onLoad = () => {}, transcriber = null } = options;
  const { onSecondReading = () => {} } = options;
  const allocator = new DecoderAllocator(phonemes);
  const pieces = new PieceQueue(clock);
  const shared = { allocator, pieces, clock, onLoad, onSecondReading, transcriber };
  let loading: Promise<void> | null = null;
  return {
    load(betweenSteps) {
      loading ??= allocator.load(betweenSteps);
      return loading.catch((error) => {
        loading = null;
        throw error;
      });
    },
    selfTest: () => allocator.selfTest(),
    unload() {
      if (!allocator.isLoaded || !allocator.unload()) return;
      loading = null;
      transcriber?.unload();
    },
    prepare: (source) => allocator.prepare(source),
    openStt: (streamOptions) => new CallerSttStream(streamOptions, shared),
  };
}

class CallerSttStream implements ListeningSttStream {
  readonly #options: SttStreamOptions;
  readonly #shared: Shared;
  readonly #audio: TelephoneAudio;
  readonly #second: SecondReading | null;
  #expected: ExpectedAnswer = "open";
  #running: HeardUtterance | null = null;
  /** Ended, and not recognised yet. */
  readonly #ended = new Set<HeardUtterance>();
  #samples = 0;

  constructor(options: SttStreamOptions, shared: Shared) {
    this.#options = options;
    this.#shared = shared;
    this.#audio = new TelephoneAudio(options.sampleRateHz);
    const { transcriber, clock, onSecondReading } = shared;
    const { language, sampleRateHz, transcriptMs = null } = options;
    this.#second =
      language === "en" && transcriptMs !== null && transcriber !== null
        ? new SecondReading(transcriber, clock, sampleRateHz, transcriptMs, onSecondReading)
        : null;
  }

  startUtterance(lead: Int16Array): void {
    this.discard();
    this.#samples = 0;
    if (this.#shared.allocator.listensFor(this.#options, this.#expected)) this.#begin();
    this.push(lead);
  }

  #begin(): void {
    const { allocator, pieces, clock, onLoad } = this.#shared;
    const utterance = new HeardUtterance({
      choice: this.#options,
      expected: this.#expected,
      caller: this,
      allocator,
      pieces,
      clock,
      gain: () => this.#audio.gain,
      onPartial: (text) => {
        if (this.#running === utterance) this.#options.onPartial(text);
      },
      onLost: () => onLoad("lost"),
    });
    if (utterance.isWaiting) onLoad("waited");
    this.#running = utterance;
    this.#second?.start();
  }

  push(pcm: Int16Array): void {
    if (this.#samples >= UTTERANCE_SAMPLES_MAX || pcm.length === 0) return;
    const sound = this.#audio.convert(pcm);
    this.#samples += sound.signal.length;
    this.#second?.push(pcm);
    this.#running?.push(sound);
  }

  recogniseEarly(): void {
    this.#second?.begin();
  }

  dropEarly(): void {
    this.#second?.drop();
  }

  async finalize(): Promise<Heard> {
    const utterance = this.#running;
    const audioMs = Math.round(this.#samples / 8);
    if (utterance === null) return { ...NO_WORDS, audioMs, transcript: null };
    this.#running = null;
    this.#ended.add(utterance);
    const isOpen = this.#expected === "open" || this.#expected === "keys";
    const second = isOpen ? this.#second?.take() : undefined;
    try {
      const heard = await utterance.end();
      return { ...heard, audioMs, transcript: (await second?.inTime()) ?? null };
    } finally {
      this.#ended.delete(utterance);
    }
  }

  discard(): void {
    this.#running?.cancel();
    this.#running = null;
    this.#second?.drop();
  }

  expect(answer: ExpectedAnswer): void {
    this.#expected = answer;
  }

  close(): void {
    this.discard();
    for (const utterance of this.#ended) utterance.cancel();
  }
}
