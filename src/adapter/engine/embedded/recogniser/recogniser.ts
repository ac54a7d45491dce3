/**
 * Speech recognition for all callers of one thread. Audio is decoded as it arrives, so the final
 * text is there some milliseconds after the end of the utterance.
 *
 * English is heard through a graph of the agent's own knowledge, or through a strict grammar where a
 * short answer is expected (with a second look through the graph when the grammar hears none).
 * Lithuanian, Latvian and Russian are closed lists of phrases. When more callers talk at once than
 * the thread can follow, the stream answers "nothing understood" at once: the agent offers keys then.
 */
import type { ExpectedAnswer, SttResult } from "../../../../domain/conversation/engine-port.ts";
import type { GrammarSource } from "../speech-messages.ts";
import { withoutSounds } from "./closed-grammar.ts";
import {
  type AcquiredDecoders,
  DecoderAllocator,
  type GrammarChoice,
} from "./decoder-allocator.ts";
import type { DecoderPair } from "./decoder-pool.ts";
import { confidenceOf } from "./likelihood.ts";
import { StableWords } from "./stable-words.ts";
import { TelephoneAudio } from "./telephone-audio.ts";

interface RecogniserOptions {
  /** IPA of words the dictionary does not know. */
  readonly phonemes: (text: string, language: string) => string;
}

export interface Recogniser {
  /**
   * Loads decoders (0.3 s, 45 MB) when they are not there. `between` is awaited between its steps of
   * some 50 ms. Rejects when the model cannot be read; may be tried again.
   */
  load(betweenSteps?: () => Promise<void>): Promise<void>;
  /** Gives their memory back, unless somebody talks. Grammars of other languages than English stay. */
  unload(): void;
  /** Builds an agent's grammar when it is not there yet. */
  prepare(source: GrammarSource): void;
  openStt(options: SttStreamOptions): ListeningSttStream;
}

interface SttStreamOptions extends GrammarChoice {
  readonly sampleRateHz: 8000 | 16000;
  readonly onPartial: (text: string) => void;
}

/** One caller. Not more than one utterance at a time. */
export interface ListeningSttStream {
  startUtterance(lead: Int16Array): void;
  push(pcm: Int16Array): void;
  finalize(): SttResult;
  discard(): void;
  expect(answer: ExpectedAnswer): void;
  close(): void;
}

const UTTERANCE_SAMPLES_MAX = 30 * 8_000;
/** Strict decoders measure on another scale, on which a good fit is negative. */
const CLOSED_ADVANTAGE = 10;
/** What a doubtful short answer must be beaten by to be taken for a question. */
const QUESTION_WORDS_MIN = 4;
const QUESTION_CONFIDENCE_MIN = 0.6;
const NO_WORDS = { text: "", confidence: 0 };
const PARTIAL_SAMPLES = 1_600;

/** Asleep: `wake` it before anybody talks. */
export function createRecogniser(options: RecogniserOptions): Recogniser {
  const allocator = new DecoderAllocator(options.phonemes);
  let loading: Promise<void> | null = null;
  return {
    load(betweenSteps) {
      loading ??= allocator.load(betweenSteps);
      return loading.catch((error) => {
        loading = null;
        throw error;
      });
    },
    unload() {
      if (allocator.isLoaded && allocator.unload()) loading = null;
    },
    prepare: (source) => allocator.prepare(source),
    openStt: (streamOptions) => new CallerSttStream(streamOptions, allocator),
  };
}

class CallerSttStream implements ListeningSttStream {
  readonly #options: SttStreamOptions;
  readonly #allocator: DecoderAllocator;
  readonly #audio: TelephoneAudio;
  readonly #stable = new StableWords();
  #acquired: AcquiredDecoders | null = null;
  #expected: ExpectedAnswer = "open";
  #utteranceAudio: Float32Array[] = [];
  #samples = 0;
  #partialAt = PARTIAL_SAMPLES;

  constructor(options: SttStreamOptions, allocator: DecoderAllocator) {
    this.#options = options;
    this.#allocator = allocator;
    this.#audio = new TelephoneAudio(options.sampleRateHz);
  }

  startUtterance(lead: Int16Array): void {
    this.discard();
    this.#samples = 0;
    this.#partialAt = PARTIAL_SAMPLES;
    this.#utteranceAudio = [];
    this.#stable.reset();
    this.#acquired = this.#allocator.acquire(this.#options, this.#expected);
    if (this.#acquired !== null) this.#start(this.#acquired.pair);
    this.push(lead);
  }

  push(pcm: Int16Array): void {
    if (this.#samples >= UTTERANCE_SAMPLES_MAX || pcm.length === 0) return;
    const audio = this.#audio.convert(pcm);
    this.#samples += audio.length;
    if (this.#acquired === null) return;
    const { pair, closed } = this.#acquired;
    if (closed !== null) this.#utteranceAudio.push(audio);
    pair.words.process(audio);
    pair.sounds.process(audio);
    if (this.#samples < this.#partialAt || closed !== null) return;
    this.#partialAt = this.#samples + PARTIAL_SAMPLES;
    const stable = this.#stable.add(withoutSounds(pair.words.partialText()));
    if (stable !== null) this.#options.onPartial(stable);
  }

  finalize(): SttResult {
    const audioMs = Math.round(this.#samples / 8);
    const acquired = this.#acquired;
    if (acquired === null) return { text: "", confidence: 0, audioMs };
    this.#acquired = null;
    try {
      return { ...this.#read(acquired), audioMs };
    } finally {
      this.#allocator.release(acquired);
    }
  }

  discard(): void {
    const acquired = this.#acquired;
    if (acquired === null) return;
    this.#acquired = null;
    acquired.pair.words.finish();
    acquired.pair.sounds.finish();
    this.#allocator.release(acquired);
  }

  expect(answer: ExpectedAnswer): void {
    this.#expected = answer;
  }

  close(): void {
    this.discard();
  }

  #start(pair: DecoderPair): void {
    if (pair.adaptedTo !== this) {
      pair.words.forgetCaller();
      pair.sounds.forgetCaller();
      pair.adaptedTo = this;
    }
    pair.words.start();
    pair.sounds.start();
  }

  #read({ pair, closed }: AcquiredDecoders): { text: string; confidence: number } {
    const frames = Math.max(1, this.#samples / 80);
    const words = pair.words.finish();
    const ratio = (words.score - pair.sounds.finish().score) / frames;
    if (closed === null) {
      return { text: withoutSounds(words.text), confidence: confidenceOf(ratio) };
    }
    const text = closed.textOf(words.text);
    const closedResult = { text, confidence: confidenceOf(ratio + CLOSED_ADVANTAGE) };
    if (text !== "" && ratio >= closed.ratioSure) return closedResult;
    const possible = text !== "" && ratio >= closed.ratioMin;
    if (this.#options.language !== "en") return possible ? closedResult : NO_WORDS;
    const openResult = this.#retryOpenGraph();
    if (!possible) return openResult;
    const longer = openResult.text.split(" ").length >= QUESTION_WORDS_MIN;
    return longer && openResult.confidence >= QUESTION_CONFIDENCE_MIN ? openResult : closedResult;
  }

  /** It was none of the expected answers: maybe it was a question. */
  #retryOpenGraph(): { text: string; confidence: number } {
    const acquired = this.#allocator.acquireOpen(this.#options);
    const utteranceAudio = this.#utteranceAudio;
    this.#utteranceAudio = [];
    if (acquired === null) return NO_WORDS;
    this.#start(acquired.pair);
    for (const audio of utteranceAudio) {
      acquired.pair.words.process(audio);
      acquired.pair.sounds.process(audio);
    }
    const result = this.#read(acquired);
    this.#allocator.release(acquired);
    return result;
  }
}
