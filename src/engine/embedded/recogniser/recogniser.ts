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
import type { BigramGraph } from "./bigram-graph.ts";
import {
  type ClosedGrammar,
  englishGrammar,
  phraseGrammar,
  withoutSounds,
} from "./closed-grammar.ts";
import { type DecoderPair, DecoderPool } from "./decoder-pool.ts";
import { type Dictionary, loadDictionary } from "./dictionary.ts";
import { CLOSED_GRAMMAR_SEARCH, OPEN_GRAPH_SEARCH, openGraph } from "./grammar.ts";
import { confidenceOf } from "./likelihood.ts";
import { loadRecogniserModule } from "./soundswallower.ts";
import { StableWords } from "./stable-words.ts";
import { TelephoneAudio } from "./telephone-audio.ts";

export interface RecogniserOptions {
  /** IPA of words the dictionary does not know. */
  readonly phonemes: (text: string, language: string) => string;
}

export interface Recogniser {
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

/** Sources kept; the least recently prepared is dropped first. */
const SOURCES_MAX = 64;
const UTTERANCE_SAMPLES_MAX = 30 * 8_000;
/** Below this the expected answer fits worse than sounds at random: something else was said. */
const CLOSED_RATIO_MIN = -7;
const PARTIAL_SAMPLES = 1_600;
const NOTHING_PREPARED: GrammarSource = { key: "", language: "en", questions: [], context: [] };

interface Prepared {
  readonly source: GrammarSource;
  graph: BigramGraph | null;
}

export async function createRecogniser(options: RecogniserOptions): Promise<Recogniser> {
  const module = await loadRecogniserModule();
  const dictionary = await loadDictionary(options.phonemes);
  const pool = new DecoderPool(module);
  const listening = new Listening(pool, dictionary, options.phonemes);
  await pool.grow(1);
  void pool.grow(2);
  return {
    prepare: (source) => listening.prepare(source),
    openEar: (ear) => new CallerEar(ear, listening),
  };
}

/** Which grammar a decoder gets for whom. */
class Listening {
  readonly #sources = new Map<string, Prepared>();
  readonly #closed = new Map<string, ClosedGrammar>();

  constructor(
    readonly pool: DecoderPool,
    readonly dictionary: Dictionary,
    readonly phonemes: (text: string, language: string) => string,
  ) {}

  prepare(source: GrammarSource): void {
    const known = this.#sources.get(source.key);
    this.#sources.delete(source.key);
    this.#sources.set(source.key, known ?? { source, graph: null });
    if (this.#sources.size > SOURCES_MAX) {
      const [oldest] = this.#sources.keys();
      if (oldest !== undefined) this.#sources.delete(oldest);
    }
    if (known !== undefined || source.language !== "en") return;
    const pair = this.pool.take(source.key);
    if (pair === null) return;
    this.#setOpen(pair, source.key);
    this.pool.giveBack(pair);
  }

  /** A decoder pair ready for the answer, or null when all are talking. */
  lend(ear: EarOptions, answer: ExpectedAnswer): LentDecoders | null {
    const closed = this.#closedGrammar(ear, answer);
    const key = closed?.key ?? this.#sourceOf(ear.grammarKey).source.key;
    const pair = this.pool.take(key);
    if (pair === null) return null;
    if (closed === null) this.#setOpen(pair, key);
    else if (pair.grammarKey !== key) {
      pair.words.learn(closed.words, closed.vocabulary);
      pair.words.setJsgf(closed.jsgf, CLOSED_GRAMMAR_SEARCH);
      pair.grammarKey = key;
    }
    return { pair, closed };
  }

  /** Makes a lent pair listen with the open graph after all. */
  widen(pair: DecoderPair, ear: EarOptions): void {
    this.#setOpen(pair, this.#sourceOf(ear.grammarKey).source.key);
  }

  #setOpen(pair: DecoderPair, key: string): void {
    if (pair.grammarKey === key && key !== "") return;
    const prepared = this.#sourceOf(key);
    // The words must be learnt by this very decoder, also where the graph is known already.
    const graph = openGraph(prepared.source, pair.words, this.dictionary);
    prepared.graph = graph;
    pair.words.setGraph(graph, OPEN_GRAPH_SEARCH);
    pair.grammarKey = key;
  }

  #sourceOf(key: string): Prepared {
    return this.#sources.get(key) ?? { source: NOTHING_PREPARED, graph: null };
  }

  #closedGrammar(ear: EarOptions, answer: ExpectedAnswer): ClosedGrammar | null {
    const { language } = ear;
    const key = `${language}:${answer}:${language === "en" ? "" : ear.grammarKey}`;
    const known = this.#closed.get(key);
    if (known !== undefined) return known;
    const { source } = this.#sourceOf(ear.grammarKey);
    const made =
      language === "en"
        ? englishGrammar(answer, this.dictionary)
        : phraseGrammar(language, answer, source.questions, source.key, this.phonemes);
    if (made === null) return null;
    if (this.#closed.size >= SOURCES_MAX) this.#closed.clear();
    this.#closed.set(key, made);
    return made;
  }
}

interface LentDecoders {
  readonly pair: DecoderPair;
  readonly closed: ClosedGrammar | null;
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
      this.#listening.pool.giveBack(lent.pair);
    }
  }

  cancel(): void {
    const lent = this.#lent;
    if (lent === null) return;
    this.#lent = null;
    lent.pair.words.finish();
    lent.pair.sounds.finish();
    this.#listening.pool.giveBack(lent.pair);
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
    const sounds = pair.sounds.finish();
    if (closed === null) {
      const confidence = confidenceOf((words.score - sounds.score) / frames);
      return { text: withoutSounds(words.text), confidence };
    }
    const text = closed.textOf(words.text);
    const ratio = (words.score - sounds.score) / frames;
    if (text !== "" && ratio >= CLOSED_RATIO_MIN) {
      return { text, confidence: confidenceOf(ratio) };
    }
    if (this.#options.language !== "en") return { text: "", confidence: 0 };
    return this.#secondLook(pair, sounds.score, frames);
  }

  /** It was none of the expected answers: maybe it was a question. */
  #secondLook(pair: DecoderPair, soundScore: number, frames: number) {
    this.#listening.widen(pair, this.#options);
    pair.words.start();
    for (const audio of this.#heard) pair.words.process(audio);
    this.#heard = [];
    const words = pair.words.finish();
    const confidence = confidenceOf((words.score - soundScore) / frames);
    return { text: withoutSounds(words.text), confidence };
  }
}
