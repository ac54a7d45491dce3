/**
 * One utterance of a caller, from its first sample to its text. Audio is decoded in small pieces as it arrives, and kept
 * while all decoders listen to others. Nothing that is said is left out. Nothing is decoded in the call that brings it:
 * where the thread gets too little of the processor, voices and whoever else waits would come after all of it.
 */
import type { Clock, Timer } from "../../../../core/clock.ts";
import type { ExpectedAnswer } from "../../../../domain/conversation/engine-port.ts";
import { withoutSounds } from "./closed-grammar.ts";
import type { AcquiredDecoders, DecoderAllocator, GrammarChoice } from "./decoder-allocator.ts";
import { confidenceOf } from "./likelihood.ts";
import type { Backlog, PieceQueue } from "./piece-queue.ts";
import { StableWords } from "./stable-words.ts";
import { mixed, spokenFrames, type TelephoneSound } from "./telephone-audio.ts";

interface UtteranceOptions {
  readonly choice: GrammarChoice;
  readonly expected: ExpectedAnswer;
  /** Decoders adapt to the caller that this stands for. */
  readonly caller: object;
  /** How much louder the caller is to be, as far as he was heard. */
  readonly gain: () => number;
  readonly allocator: DecoderAllocator;
  readonly pieces: PieceQueue;
  readonly clock: Clock;
  readonly onPartial: (text: string) => void;
  /** The decoders had no time for it: it comes to nothing, and the caller is offered keys. */
  readonly onLost: () => void;
}

interface Recognised {
  readonly text: string;
  /** 0–1. */
  readonly confidence: number;
}

export const NO_WORDS: Recognised = { text: "", confidence: 0 };
/** Strict decoders measure on another scale, on which a good fit is negative. */
const CLOSED_ADVANTAGE = 10;
/** What a doubtful short answer must be beaten by to be taken for a question. */
const QUESTION_WORDS_MIN = 4;
const QUESTION_CONFIDENCE_MIN = 0.6;
const PARTIAL_SAMPLES = 1_600;
/** Some 20 ms of the thread. */
const PIECE_SAMPLES = 1_000;
/** Half of it is from before the first word: a fifth fewer words of a new caller are misheard than without it. */
const ADAPTATION_SAMPLES = 8_000;
/** After the last word. A text that comes later finds a caller who no longer waits. */
const RESULT_MS_MAX = 8_000;

export class HeardUtterance implements Backlog {
  /** Not decoded yet, in its order. */
  #waiting: TelephoneSound[] = [];
  /** Decoded with a strict grammar: the open graph may want it as well. */
  #kept: TelephoneSound[] = [];
  readonly #stable = new StableWords();
  readonly #result = Promise.withResolvers<Recognised>();
  #acquired: AcquiredDecoders | null = null;
  #withdraw: () => void = () => {};
  #samples = 0;
  #partialAt = PARTIAL_SAMPLES;
  #decodedSamples = 0;
  /** The decoders know the caller's voice, and follow. */
  #isFollowed = false;
  /** Of the whole utterance: a change in its middle is heard as another sound. */
  #gain = 1;
  #limit: Timer | null = null;
  #isEnded = false;
  /** What the strict grammar made of it, while the open graph has its turn. */
  #closedResult: { readonly isPossible: boolean; readonly result: Recognised } | null = null;

  constructor(private readonly options: UtteranceOptions) {
    this.#result.promise.catch(() => {});
    this.#request(options.expected);
  }

  /** All decoders listen to others. */
  get isWaiting(): boolean {
    return this.#acquired === null;
  }

  push(sound: TelephoneSound): void {
    this.#samples += sound.signal.length;
    this.#waiting.push(sound);
    if (this.#acquired !== null) this.options.pieces.add(this);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Resolves when all of it is decoded. Rejects when its grammar cannot be used. */
  end(): Promise<Recognised> {
    const { clock, onLost, pieces } = this.options;
    this.#isEnded = true;
    if (this.#acquired !== null) pieces.add(this);
    pieces.ended(this);
    this.#limit = clock.after(RESULT_MS_MAX, () => {
      onLost();
      this.cancel();
    });
    return this.#result.promise;
  }

  /** Gives it up: what was recognised of it comes to nothing. */
  cancel(): void {
    this.#withdraw();
    this.options.pieces.remove(this);
    this.#limit?.cancel();
    const acquired = this.#acquired;
    if (acquired !== null) {
      if (this.#isFollowed) {
        acquired.pair.words.finish();
        acquired.pair.sounds.finish();
      }
      this.#release(acquired);
    }
    this.#result.resolve(NO_WORDS);
  }

  readonly #user = {
    take: (acquired: AcquiredDecoders) => {
      this.#acquired = acquired;
      if (this.#isEnded || this.#waiting.length > 0) this.options.pieces.add(this);
    },
    fail: (error: unknown) => this.#result.reject(error),
  };

  /** Null: the open graph, whatever is expected. */
  #request(answer: ExpectedAnswer | null): void {
    const { allocator, choice, caller } = this.options;
    this.#withdraw = allocator.request(choice, answer, { caller, ...this.#user });
  }

  decodePiece(): boolean {
    const acquired = this.#acquired;
    if (acquired === null || !this.#follow(acquired)) return false;
    let samples = 0;
    while (samples < PIECE_SAMPLES) {
      const sound = this.#waiting.shift();
      if (sound === undefined) break;
      samples += sound.signal.length;
      this.#process(sound, acquired);
    }
    if (this.#waiting.length === 0 && this.#isEnded) this.#conclude(acquired);
    // The open graph may have its turn now.
    return this.#acquired !== null && this.#waiting.length > 0;
  }

  /** False: more is to be heard of a caller whom the decoders do not know yet. */
  #follow({ pair }: AcquiredDecoders): boolean {
    if (this.#isFollowed) return true;
    if (pair.adaptedTo !== this.options.caller) {
      const samples = this.#waiting.reduce((sum, { signal }) => sum + signal.length, 0);
      if (samples < ADAPTATION_SAMPLES && !this.#isEnded) return false;
      this.#gain = this.options.gain();
      const louder = this.#waiting.map((sound) => mixed(sound, this.#gain));
      const heard = joined(louder, ADAPTATION_SAMPLES);
      for (const decoder of [pair.words, pair.sounds]) decoder.adaptTo(heard, pair.estimator);
      pair.adaptedTo = this.options.caller;
    } else this.#gain = this.options.gain();
    pair.words.start();
    pair.sounds.start();
    this.#isFollowed = true;
    return true;
  }

  #process(sound: TelephoneSound, { pair, closed }: AcquiredDecoders): void {
    const audio = mixed(sound, this.#gain);
    pair.words.process(audio);
    pair.sounds.process(audio);
    if (closed !== null) {
      this.#kept.push(sound);
      return;
    }
    this.#decodedSamples += audio.length;
    if (this.#isEnded || this.#decodedSamples < this.#partialAt) return;
    this.#partialAt = this.#decodedSamples + PARTIAL_SAMPLES;
    const stable = this.#stable.add(withoutSounds(pair.words.partialText()));
    if (stable !== null) this.options.onPartial(stable);
  }

  #conclude(acquired: AcquiredDecoders): void {
    let result: Recognised | null = null;
    try {
      result = this.#read(acquired);
    } catch (error) {
      this.#settle(() => this.#result.reject(error));
    } finally {
      this.#release(acquired);
    }
    if (result !== null) this.#settle(() => this.#result.resolve(result));
    else if (this.#closedResult !== null) this.#askOpenGraph();
  }

  /** It was none of the expected answers: maybe it was a question. */
  #askOpenGraph(): void {
    this.#waiting = this.#kept;
    this.#kept = [];
    this.#request(null);
  }

  #settle(settle: () => void): void {
    this.#limit?.cancel();
    settle();
  }

  /** Null: the open graph is asked next. */
  #read({ pair, closed }: AcquiredDecoders): Recognised | null {
    const frames = Math.max(1, this.#samples / 80);
    const words = pair.words.finish();
    const ratio = (words.score - pair.sounds.finish().score) / frames;
    if (closed === null)
      return this.#better({ text: withoutSounds(words.text), confidence: confidenceOf(ratio) });
    const text = closed.textOf(words.text);
    const result = { text, confidence: confidenceOf(ratio + CLOSED_ADVANTAGE) };
    if (text !== "" && ratio >= closed.ratioSure) return result;
    const isEnglish = this.options.choice.language === "en";
    const spoken = isEnglish ? frames : spokenFrames(this.#kept);
    const isPossible = text !== "" && (ratio * frames) / spoken >= closed.ratioMin(text);
    if (!isEnglish) return isPossible ? result : NO_WORDS;
    this.#closedResult = { isPossible, result };
    return null;
  }

  /** The open graph's words, unless the strict grammar's are likelier. */
  #better(open: Recognised): Recognised {
    const closed = this.#closedResult;
    if (!closed?.isPossible) return open;
    const isLonger = open.text.split(" ").length >= QUESTION_WORDS_MIN;
    return isLonger && open.confidence >= QUESTION_CONFIDENCE_MIN ? open : closed.result;
  }

  #release(acquired: AcquiredDecoders): void {
    this.#acquired = null;
    this.#isFollowed = false;
    this.options.allocator.release(acquired);
  }
}

function joined(parts: readonly Float32Array[], most: number): Float32Array {
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all.subarray(0, most);
}
