/**
 * Speech recognition for all callers of one thread. Audio is decoded as it arrives, so the final
 * text is there some milliseconds after the end of the utterance.
 *
 * English is heard through a graph of the agent's own knowledge, or through a strict grammar where a
 * short answer is expected (with a second look through the graph when the grammar hears none).
 * Lithuanian, Latvian and Russian are closed lists of phrases. When more callers talk at once than
 * the thread can follow, the ear answers "nothing understood" at once: the mind offers keys then.
 */
import type { AgentLanguage } from "../../../agent/agent.ts";
import type { GrammarSource } from "../../../worker/speech-messages.ts";
import type { ExpectedAnswer, Heard } from "../../ports.ts";
import { withoutSounds } from "./closed-grammar.ts";
import type { DecoderPair } from "./decoder-pool.ts";
import { confidenceOf } from "./likelihood.ts";
import { type LentDecoders, Listening } from "./listening.ts";
import { StableWords } from "./stable-words.ts";
import { TelephoneAudio } from "./telephone-audio.ts";

export interface RecogniserOptions {
  /** IPA of words the dictionary does not know. */
  readonly phonemes: (text: string, language: string) => string;
}

export interface Recogniser {
  /**
   * Loads decoders (0.3 s, 45 MB) when they are not there. `between` is awaited between its steps of
   * some 50 ms. Rejects when the model cannot be read; may be tried again.
   */
  wake(between?: () => Promise<void>): Promise<void>;
  /** Gives their memory back, unless somebody talks. Grammars of other languages than English stay. */
  rest(): void;
  /** Builds an agent's grammar when it is not there yet. */
  prepare(source: GrammarSource): void;
  openEar(options: EarOptions): ListeningEar;
}

export interface EarOptions {
  readonly language: AgentLanguage;
  readonly sampleRateHz: 8000 | 16000;
  /** Key of a prepared source; one that is not prepared (yet) hears commands only. */
  readonly grammarKey: string;
  readonly onPartial: (text: string) => void;
}

/** One caller. Not more than one utterance at a time. */
export interface ListeningEar {
  begin(lead: Int16Array): void;
  push(pcm: Int16Array): void;
  end(): Heard;
  cancel(): void;
  expect(answer: ExpectedAnswer): void;
  close(): void;
}

const UTTERANCE_SAMPLES_MAX = 30 * 8_000;
/** Strict decoders measure on another scale, on which a good fit is negative. */
const CLOSED_ADVANTAGE = 10;
/** What a doubtful short answer must be beaten by to be taken for a question. */
const QUESTION_WORDS_MIN = 4;
const QUESTION_CONFIDENCE_MIN = 0.6;
const NOTHING = { text: "", confidence: 0 };
const PARTIAL_SAMPLES = 1_600;

/** Asleep: `wake` it before anybody talks. */
export function createRecogniser(options: RecogniserOptions): Recogniser {
  const listening = new Listening(options.phonemes);
  let waking: Promise<void> | null = null;
  return {
    wake(between) {
      waking ??= listening.wake(between);
      return waking.catch((error) => {
        waking = null;
        throw error;
      });
    },
    rest() {
      if (listening.isAwake && listening.rest()) waking = null;
    },
    prepare: (source) => listening.prepare(source),
    openEar: (ear) => new CallerEar(ear, listening),
  };
}

class CallerEar implements ListeningEar {
  readonly #options: EarOptions;
  readonly #listening: Listening;
  readonly #audio: TelephoneAudio;
  readonly #stable = new StableWords();
  #lent: LentDecoders | null = null;
  #expected: ExpectedAnswer = "open";
  #heard: Float32Array[] = [];
  #samples = 0;
  #partialAt = PARTIAL_SAMPLES;

  constructor(options: EarOptions, listening: Listening) {
    this.#options = options;
    this.#listening = listening;
    this.#audio = new TelephoneAudio(options.sampleRateHz);
  }

  begin(lead: Int16Array): void {
    this.cancel();
    this.#samples = 0;
    this.#partialAt = PARTIAL_SAMPLES;
    this.#heard = [];
    this.#stable.reset();
    this.#lent = this.#listening.lend(this.#options, this.#expected);
    if (this.#lent !== null) this.#start(this.#lent.pair);
    this.push(lead);
  }

  push(pcm: Int16Array): void {
    if (this.#samples >= UTTERANCE_SAMPLES_MAX || pcm.length === 0) return;
    const audio = this.#audio.convert(pcm);
    this.#samples += audio.length;
    if (this.#lent === null) return;
    const { pair, closed } = this.#lent;
    if (closed !== null) this.#heard.push(audio);
    pair.words.process(audio);
    pair.sounds.process(audio);
    if (this.#samples < this.#partialAt || closed !== null) return;
    this.#partialAt = this.#samples + PARTIAL_SAMPLES;
    const stable = this.#stable.add(withoutSounds(pair.words.partialText()));
    if (stable !== null) this.#options.onPartial(stable);
  }

  end(): Heard {
    const audioMs = Math.round(this.#samples / 8);
    const lent = this.#lent;
    if (lent === null) return { text: "", confidence: 0, audioMs };
    this.#lent = null;
    try {
      return { ...this.#read(lent), audioMs };
    } finally {
      this.#listening.giveBack(lent);
    }
  }

  cancel(): void {
    const lent = this.#lent;
    if (lent === null) return;
    this.#lent = null;
    lent.pair.words.finish();
    lent.pair.sounds.finish();
    this.#listening.giveBack(lent);
  }

  expect(answer: ExpectedAnswer): void {
    this.#expected = answer;
  }

  close(): void {
    this.cancel();
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

  #read({ pair, closed }: LentDecoders): { text: string; confidence: number } {
    const frames = Math.max(1, this.#samples / 80);
    const words = pair.words.finish();
    const ratio = (words.score - pair.sounds.finish().score) / frames;
    if (closed === null) {
      return { text: withoutSounds(words.text), confidence: confidenceOf(ratio) };
    }
    const text = closed.textOf(words.text);
    const closedly = { text, confidence: confidenceOf(ratio + CLOSED_ADVANTAGE) };
    if (text !== "" && ratio >= closed.ratioSure) return closedly;
    const possible = text !== "" && ratio >= closed.ratioMin;
    if (this.#options.language !== "en") return possible ? closedly : NOTHING;
    const openly = this.#secondLook();
    if (!possible) return openly;
    const longer = openly.text.split(" ").length >= QUESTION_WORDS_MIN;
    return longer && openly.confidence >= QUESTION_CONFIDENCE_MIN ? openly : closedly;
  }

  /** It was none of the expected answers: maybe it was a question. */
  #secondLook(): { text: string; confidence: number } {
    const lent = this.#listening.lendOpen(this.#options);
    const heard = this.#heard;
    this.#heard = [];
    if (lent === null) return NOTHING;
    this.#start(lent.pair);
    for (const audio of heard) {
      lent.pair.words.process(audio);
      lent.pair.sounds.process(audio);
    }
    const result = this.#read(lent);
    this.#listening.giveBack(lent);
    return result;
  }
}
