/**
 * Which decoders listen with which grammar for whom: the open graph of an agent, or the closed
 * grammar of an expected answer. Keeps the agents' sources, bounded, by content.
 */
import type { GrammarSource } from "../../../worker/speech-messages.ts";
import type { ExpectedAnswer } from "../../ports.ts";
import { type ClosedGrammar, englishGrammar, phraseGrammar } from "./closed-grammar.ts";
import { type DecoderPair, DecoderPool, TALKERS_MAX } from "./decoder-pool.ts";
import type { Dictionary } from "./dictionary.ts";
import { CLOSED_GRAMMAR_SEARCH, OPEN_GRAPH_SEARCH, openGraph } from "./grammar.ts";
import type { EarOptions } from "./recogniser.ts";
import type { RecogniserModule } from "./soundswallower.ts";

/** Sources kept; the least recently prepared is dropped first. */
const SOURCES_MAX = 64;
const NOTHING_PREPARED: GrammarSource = { key: "", language: "en", questions: [], context: [] };

export interface LentDecoders {
  readonly pair: DecoderPair;
  /** Null: the open graph. */
  readonly closed: ClosedGrammar | null;
}

export class Listening {
  readonly #dictionary: Dictionary;
  readonly #phonemes: (text: string, language: string) => string;
  readonly #open: DecoderPool;
  readonly #strict: DecoderPool;
  readonly #sources = new Map<string, GrammarSource>();
  readonly #closed = new Map<string, ClosedGrammar>();

  constructor(
    module: RecogniserModule,
    dictionary: Dictionary,
    phonemes: (text: string, language: string) => string,
  ) {
    this.#dictionary = dictionary;
    this.#phonemes = phonemes;
    this.#open = new DecoderPool(module, false);
    this.#strict = new DecoderPool(module, true);
  }

  /** Makes the first decoders; more are made as they are needed. */
  async start(): Promise<void> {
    await this.#open.grow(1);
    await this.#strict.grow(1);
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
    const pair = this.#open.take(source.key);
    if (pair === null) return;
    this.#listenOpenly(pair, source);
    this.#open.giveBack(pair);
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
    if (this.#talkers >= TALKERS_MAX) return null;
    const source = this.#sources.get(ear.grammarKey) ?? NOTHING_PREPARED;
    const pair = this.#open.take(source.key);
    if (pair === null) return null;
    this.#listenOpenly(pair, source);
    return { pair, closed: null };
  }

  giveBack({ pair, closed }: LentDecoders): void {
    (closed === null ? this.#open : this.#strict).giveBack(pair);
  }

  get #talkers(): number {
    return this.#open.lent + this.#strict.lent;
  }

  #lendClosed(closed: ClosedGrammar): LentDecoders | null {
    if (this.#talkers >= TALKERS_MAX) return null;
    const pair = this.#strict.take(closed.key);
    if (pair === null) return null;
    if (pair.grammarKey !== closed.key) {
      pair.words.learn(closed.words, closed.vocabulary);
      pair.words.setJsgf(closed.jsgf, CLOSED_GRAMMAR_SEARCH);
      pair.grammarKey = closed.key;
    }
    return { pair, closed };
  }

  #listenOpenly(pair: DecoderPair, source: GrammarSource): void {
    const key = `open:${source.key}`;
    if (pair.grammarKey === key) return;
    pair.words.setGraph(openGraph(source, pair.words, this.#dictionary), OPEN_GRAPH_SEARCH);
    pair.grammarKey = key;
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
        ? englishGrammar(answer, this.#dictionary)
        : phraseGrammar(language, answer, source, this.#phonemes);
    if (made === null) return null;
    if (this.#closed.size >= SOURCES_MAX) this.#closed.clear();
    this.#closed.set(key, made);
    return made;
  }
}
