/**
 * Which decoders listen with which grammar for whom: the open graph of an agent, or the closed
 * grammar of an expected answer. Keeps the agents' sources, bounded, by content.
 *
 * Decoders take 45 MB, so they are there only while it is awake; what was learnt about the agents
 * outlasts a rest. Asleep, nothing can be lent.
 */
import type { GrammarSource } from "../../../worker/speech-messages.ts";
import type { ExpectedAnswer } from "../../ports.ts";
import { type ClosedGrammar, englishGrammar, phraseGrammar } from "./closed-grammar.ts";
import { type DecoderPair, DecoderPool, TALKERS_MAX } from "./decoder-pool.ts";
import { type Dictionary, loadDictionary } from "./dictionary.ts";
import { CLOSED_GRAMMAR_SEARCH, OPEN_GRAPH_SEARCH, openGraph } from "./grammar.ts";
import type { EarOptions } from "./recogniser.ts";
import { loadRecogniserModule } from "./soundswallower.ts";

/** Sources kept; the least recently prepared is dropped first. */
const SOURCES_MAX = 64;
const NOTHING_PREPARED: GrammarSource = { key: "", language: "en", questions: [], context: [] };

export interface LentDecoders {
  readonly pair: DecoderPair;
  /** Null: the open graph. */
  readonly closed: ClosedGrammar | null;
}

/** What rests. */
interface Decoders {
  readonly dictionary: Dictionary;
  readonly open: DecoderPool;
  readonly strict: DecoderPool;
}

export class Listening {
  readonly #phonemes: (text: string, language: string) => string;
  #decoders: Decoders | null = null;
  readonly #sources = new Map<string, GrammarSource>();
  readonly #closed = new Map<string, ClosedGrammar>();

  constructor(phonemes: (text: string, language: string) => string) {
    this.#phonemes = phonemes;
  }

  get isAwake(): boolean {
    return this.#decoders !== null;
  }

  /**
   * Loads the recogniser and makes the first decoders; more are made as they are needed. About 0.3 s
   * in steps of some 50 ms; `between` is awaited between them, so that others can use the thread.
   */
  async wake(between: () => Promise<void> = async () => {}): Promise<void> {
    const module = await loadRecogniserModule();
    await between();
    const dictionary = await loadDictionary(this.#phonemes);
    const open = new DecoderPool(module, false);
    const strict = new DecoderPool(module, true);
    for (const pool of [open, strict]) {
      await between();
      await pool.grow(1, between);
    }
    this.#decoders = { dictionary, open, strict };
  }

  /** Gives the decoders' memory back. False, and nothing happens, while somebody talks. */
  rest(): boolean {
    if (this.#talkers > 0) return false;
    this.#decoders = null;
    // English grammars know their words through the dictionary that goes now.
    for (const key of this.#closed.keys()) if (key.startsWith("en:")) this.#closed.delete(key);
    return true;
  }

  /** Builds an agent's open graph into an idle decoder. Some 50 ms for a few dozen questions. */
  prepare(source: GrammarSource): void {
    const known = this.#sources.delete(source.key);
    this.#sources.set(source.key, source);
    if (this.#sources.size > SOURCES_MAX) {
      const [oldest] = this.#sources.keys();
      if (oldest !== undefined) this.#sources.delete(oldest);
    }
    if (known) return;
    if (source.language !== "en") {
      this.#prepareClosed(source);
      return;
    }
    const decoders = this.#decoders;
    const pair = decoders?.open.take(source.key) ?? null;
    if (decoders === null || pair === null) return;
    listenOpenly(pair, source, decoders.dictionary);
    decoders.open.giveBack(pair);
  }

  /** Spelling the phrases in borrowed sounds takes a second: not while a caller is talking. */
  #prepareClosed(source: GrammarSource): void {
    const ear = { language: source.language, grammarKey: source.key };
    for (const answer of ["yes_no", "open"] as const) {
      const grammar = this.#closedGrammar(ear, answer);
      const lent = grammar === null ? null : this.#lendClosed(grammar);
      if (lent !== null) this.giveBack(lent);
    }
  }

  /** Decoders ready for the answer, or null when as many talk as one thread can follow. */
  lend(ear: EarOptions, answer: ExpectedAnswer): LentDecoders | null {
    const closed = this.#closedGrammar(ear, answer);
    return closed === null ? this.lendOpen(ear) : this.#lendClosed(closed);
  }

  /** Decoders with the open graph, whatever is expected. */
  lendOpen(ear: EarOptions): LentDecoders | null {
    const decoders = this.#decoders;
    if (decoders === null || this.#talkers >= TALKERS_MAX) return null;
    const source = this.#sources.get(ear.grammarKey) ?? NOTHING_PREPARED;
    const pair = decoders.open.take(source.key);
    if (pair === null) return null;
    listenOpenly(pair, source, decoders.dictionary);
    return { pair, closed: null };
  }

  giveBack({ pair, closed }: LentDecoders): void {
    (closed === null ? this.#decoders?.open : this.#decoders?.strict)?.giveBack(pair);
  }

  get #talkers(): number {
    return this.#decoders === null ? 0 : this.#decoders.open.lent + this.#decoders.strict.lent;
  }

  #lendClosed(closed: ClosedGrammar): LentDecoders | null {
    if (this.#talkers >= TALKERS_MAX) return null;
    const pair = this.#decoders?.strict.take(closed.key) ?? null;
    if (pair === null) return null;
    if (pair.grammarKey !== closed.key) {
      pair.words.learn(closed.words, closed.vocabulary);
      pair.words.setJsgf(closed.jsgf, CLOSED_GRAMMAR_SEARCH);
      pair.grammarKey = closed.key;
    }
    return { pair, closed };
  }

  #closedGrammar(
    ear: Pick<EarOptions, "language" | "grammarKey">,
    answer: ExpectedAnswer,
  ): ClosedGrammar | null {
    const { language } = ear;
    const source = this.#sources.get(ear.grammarKey) ?? NOTHING_PREPARED;
    const key = `${language}:${answer}:${language === "en" ? "" : source.key}`;
    const known = this.#closed.get(key);
    if (known !== undefined) return known;
    const made =
      language === "en"
        ? this.#englishGrammar(answer)
        : phraseGrammar(language, answer, source, this.#phonemes);
    if (made === null) return null;
    if (this.#closed.size >= SOURCES_MAX) this.#closed.clear();
    this.#closed.set(key, made);
    return made;
  }

  #englishGrammar(answer: ExpectedAnswer): ClosedGrammar | null {
    return this.#decoders === null ? null : englishGrammar(answer, this.#decoders.dictionary);
  }
}

function listenOpenly(pair: DecoderPair, source: GrammarSource, dictionary: Dictionary): void {
  const key = `open:${source.key}`;
  if (pair.grammarKey === key) return;
  pair.words.setGraph(openGraph(source, pair.words, dictionary), OPEN_GRAPH_SEARCH);
  pair.grammarKey = key;
}
