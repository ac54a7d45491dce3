/**
 * Which decoders listen with which grammar for whom: the open graph of an agent, or the closed
 * grammar of an expected answer. Keeps the agents' sources, bounded, by content.
 *
 * Decoders take 45 MB, so they exist only while the recogniser is loaded; what was learnt about the agents
 * outlasts that. While it is unloaded, no decoders can be acquired.
 */

import type { AgentLanguage } from "../../../../domain/agent/agent.ts";
import type { ExpectedAnswer } from "../../../../domain/conversation/engine-port.ts";
import type { GrammarSource } from "../speech-messages.ts";
import { CONCURRENT_UTTERANCES_MAX } from "../talkers.ts";
import { type ClosedGrammar, englishGrammar, phraseGrammar, phrasesFor } from "./closed-grammar.ts";
import { createEstimator, type DecoderPair, DecoderPool } from "./decoder-pool.ts";
import { type Dictionary, loadDictionary } from "./dictionary.ts";
import { CLOSED_GRAMMAR_SEARCH, OPEN_GRAPH_SEARCH, openGraph } from "./grammar.ts";
import { loadRecogniserModule } from "./soundswallower.ts";

/** Sources kept; the least recently prepared is dropped first. */
const SOURCES_MAX = 64;
const NOTHING_PREPARED: GrammarSource = {
  key: "",
  language: "en",
  questions: [],
  context: [],
  kinds: [],
};

/** Whose grammar is wanted. */
export interface GrammarChoice {
  readonly language: AgentLanguage;
  /** Key of a prepared source; one that is not prepared (yet) knows commands only. */
  readonly grammarKey: string;
}

export interface AcquiredDecoders {
  readonly pair: DecoderPair;
  /** Null: the open graph. */
  readonly closed: ClosedGrammar | null;
}

/** What is unloaded. */
interface Decoders {
  readonly dictionary: Dictionary;
  readonly open: DecoderPool;
  readonly strict: DecoderPool;
}

/** Who wants decoders. */
interface DecoderUser {
  /** Decoders that know the caller already need not adapt again. */
  readonly caller: object;
  take(acquired: AcquiredDecoders): void;
  /** The grammar cannot be used. */
  fail(error: unknown): void;
}

interface Waiter {
  readonly choice: GrammarChoice;
  readonly answer: ExpectedAnswer | null;
  readonly user: DecoderUser;
}

export class DecoderAllocator {
  readonly #phonemes: (text: string, language: string) => string;
  #decoders: Decoders | null = null;
  readonly #sources = new Map<string, GrammarSource>();
  readonly #closed = new Map<string, ClosedGrammar>();
  /** Those who wait, in the order in which they came. */
  readonly #waiters = new Set<Waiter>();

  constructor(phonemes: (text: string, language: string) => string) {
    this.#phonemes = phonemes;
  }

  get isLoaded(): boolean {
    return this.#decoders !== null;
  }

  /**
   * Loads the recogniser and makes the first decoders; more are made as they are needed. About 0.3 s
   * in steps of some 50 ms; `between` is awaited between them, so that others can use the thread.
   */
  async load(betweenSteps: () => Promise<void> = async () => {}): Promise<void> {
    const module = await loadRecogniserModule();
    await betweenSteps();
    const dictionary = await loadDictionary(this.#phonemes);
    const onIdle = () => this.#serve();
    const estimator = await createEstimator(module);
    await betweenSteps();
    const open = new DecoderPool(module, estimator, false, onIdle);
    const strict = new DecoderPool(module, estimator, true, onIdle);
    for (const pool of [open, strict]) {
      await betweenSteps();
      await pool.grow(1, betweenSteps);
    }
    this.#decoders = { dictionary, open, strict };
    this.#serve();
  }

  /** Reads everything that decoders are made of, and makes the smallest. Nothing of it is kept. */
  async selfTest(): Promise<void> {
    const module = await loadRecogniserModule();
    await loadDictionary(this.#phonemes);
    await createEstimator(module);
  }

  /** Gives the decoders' memory back. False, and nothing happens, while somebody talks. */
  unload(): boolean {
    if (this.#activeUtterances + this.#waiters.size > 0) return false;
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
    const pair = decoders?.open.acquire(openGraphKey(source), null) ?? null;
    if (decoders === null || pair === null) return;
    try {
      useOpenGraph(pair, source, decoders.dictionary);
    } finally {
      decoders.open.release(pair);
    }
  }

  /** False: whatever is said, nothing is heard. */
  listensFor({ language, grammarKey }: GrammarChoice, answer: ExpectedAnswer): boolean {
    const source = this.#sources.get(grammarKey) ?? NOTHING_PREPARED;
    return language === "en" || phrasesFor(language, answer, source) !== null;
  }

  /** Spelling the phrases in borrowed sounds takes a second: not while a caller is talking. */
  #prepareClosed(source: GrammarSource): void {
    const choice = { language: source.language, grammarKey: source.key };
    for (const answer of ["yes_no", "open"] as const) {
      const grammar = this.#closedGrammar(choice, answer);
      const acquired = grammar === null ? null : this.#acquireClosed(grammar, null);
      if (acquired !== null) this.release(acquired);
    }
  }

  /**
   * Decoders for this answer (null: for the open graph, whatever is expected), at once or as soon as others
   * have done with theirs. Returns how to stop waiting.
   */
  request(choice: GrammarChoice, answer: ExpectedAnswer | null, user: DecoderUser): () => void {
    const waiter = { choice, answer, user };
    this.#waiters.add(waiter);
    this.#serve();
    return () => void this.#waiters.delete(waiter);
  }

  release({ pair, closed }: AcquiredDecoders): void {
    (closed === null ? this.#decoders?.open : this.#decoders?.strict)?.release(pair);
  }

  #serve(): void {
    for (const waiter of this.#waiters) {
      const { user } = waiter;
      try {
        const acquired = this.#acquire(waiter);
        if (acquired === null) continue;
        this.#waiters.delete(waiter);
        user.take(acquired);
      } catch (error) {
        this.#waiters.delete(waiter);
        user.fail(error);
      }
    }
  }

  #acquire({ choice, answer, user: { caller } }: Waiter): AcquiredDecoders | null {
    const closed = answer === null ? null : this.#closedGrammar(choice, answer);
    return closed === null
      ? this.#acquireOpen(choice, caller)
      : this.#acquireClosed(closed, caller);
  }

  #acquireOpen(choice: GrammarChoice, caller: object): AcquiredDecoders | null {
    const decoders = this.#decoders;
    if (decoders === null || this.#activeUtterances >= CONCURRENT_UTTERANCES_MAX) return null;
    const source = this.#sources.get(choice.grammarKey) ?? NOTHING_PREPARED;
    const pair = decoders.open.acquire(openGraphKey(source), caller);
    if (pair === null) return null;
    return withPair(pair, decoders.open, () => {
      useOpenGraph(pair, source, decoders.dictionary);
      return { pair, closed: null };
    });
  }

  get #activeUtterances(): number {
    return this.#decoders === null
      ? 0
      : this.#decoders.open.acquired + this.#decoders.strict.acquired;
  }

  #acquireClosed(closed: ClosedGrammar, caller: object | null): AcquiredDecoders | null {
    if (this.#activeUtterances >= CONCURRENT_UTTERANCES_MAX) return null;
    const strict = this.#decoders?.strict;
    const pair = strict?.acquire(closed.key, caller) ?? null;
    if (strict === undefined || pair === null) return null;
    return withPair(pair, strict, () => {
      if (pair.grammarKey !== closed.key) {
        pair.words.learn(closed.words, closed.vocabulary);
        pair.words.setJsgf(closed.jsgf, CLOSED_GRAMMAR_SEARCH);
        pair.grammarKey = closed.key;
      }
      return { pair, closed };
    });
  }

  #closedGrammar(choice: GrammarChoice, answer: ExpectedAnswer): ClosedGrammar | null {
    const { language } = choice;
    const source = this.#sources.get(choice.grammarKey) ?? NOTHING_PREPARED;
    const key = `${language}:${answer}:${language === "en" ? "" : source.key}`;
    const known = this.#closed.get(key);
    if (known !== undefined) return known;
    const grammar =
      language === "en"
        ? this.#englishGrammar(answer)
        : phraseGrammar(language, answer, source, this.#phonemes);
    if (grammar === null) return null;
    if (this.#closed.size >= SOURCES_MAX) this.#closed.clear();
    this.#closed.set(key, grammar);
    return grammar;
  }

  #englishGrammar(answer: ExpectedAnswer): ClosedGrammar | null {
    return this.#decoders === null ? null : englishGrammar(answer, this.#decoders.dictionary);
  }
}

/** A pair whose grammar cannot be used goes back. */
function withPair(
  pair: DecoderPair,
  pool: DecoderPool,
  use: () => AcquiredDecoders,
): AcquiredDecoders {
  try {
    return use();
  } catch (error) {
    pair.grammarKey = "";
    pool.release(pair);
    throw error;
  }
}

function openGraphKey({ key }: GrammarSource): string {
  return `open:${key}`;
}

function useOpenGraph(pair: DecoderPair, source: GrammarSource, dictionary: Dictionary): void {
  const key = openGraphKey(source);
  if (pair.grammarKey === key) return;
  pair.words.setGraph(openGraph(source, pair.words, dictionary), OPEN_GRAPH_SEARCH);
  pair.grammarKey = key;
}
