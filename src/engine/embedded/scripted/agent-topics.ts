/**
 * The knowledge of the scripted agents: files and tools, prepared once and then searched. Runs in
 * the knowledge worker, so no audio thread parses them. It pauses every few milliseconds for other
 * companies' requests. Conversations use `AskTopics`.
 */

import type { KnowledgeSnapshot, ToolSnapshot } from "../../../conversation/call-config.ts";
import type { AgentLanguage } from "../../../features/agent/agent.ts";
import { QUESTION_CHARACTERS_MAX } from "../../../features/knowledge/knowledge-index.ts";
import { type Lesson, type Nearness, TOPICS_MAX } from "../meaning/lessons.ts";
import { entriesInSteps } from "./knowledge.ts";
import type { Match } from "./retrieval.ts";
import { type Finding, lessonOf, type Topic, type Topics, topicsInSteps } from "./topics.ts";

export interface TopicSource {
  readonly language: AgentLanguage;
  readonly tools: readonly ToolSnapshot[];
  readonly knowledge: readonly KnowledgeSnapshot[];
}

/** The agent of one conversation. Earlier calls of its caller are one more small file. */
export interface TopicSubject extends TopicSource {
  readonly callId: string;
  readonly memory: KnowledgeSnapshot | null;
}

export interface TopicAsk {
  readonly texts: readonly string[];
  /** Confidence of the recogniser, 0 to 1. */
  readonly confidence: number;
  /** Nearness in meaning between the texts and the topics; null if unknown. */
  readonly nearness: Nearness | null;
  /** Whether to return the topics for a menu. */
  readonly offers: boolean;
  /** Whether to return the texts for comparing meanings. */
  readonly lesson: boolean;
}

/** Best match for one text. */
interface Found {
  readonly finding: Finding;
  readonly match: Match | null;
}

export interface TopicReply {
  /** One per text. */
  readonly found: readonly Found[];
  readonly offered: readonly Topic[];
  /** Null if not requested, or if there are too many topics. */
  readonly lesson: Lesson | null;
}

/** Resolves with null on a time-out. Never rejects. */
export type AskTopics = (subject: TopicSubject, ask: TopicAsk) => Promise<TopicReply | null>;

const QUESTION_WORDS_MAX = 40;
const TEXTS_MAX = 4;
/** Maximum topics in a menu: forty pages. */
const OFFERED_MAX = 200;
/** Maximum characters of all prepared sources. The newest source always stays. */
const CHARACTERS_KEPT_MAX = 4_000_000;
/** Entries between two checks of the clock. */
const STEPS_PER_LOOK = 4;
const TURN_MS = 5;

interface Prepared {
  readonly topics: Topics;
  readonly lesson: Lesson | null;
}

interface PreparedTopicsOptions {
  /** Milliseconds, monotonic. */
  readonly nowMs: () => number;
  /** Resolves after other work of this thread has run. */
  readonly rest: () => Promise<void>;
}

export class PreparedTopics {
  /** By key, the most recently used last. */
  readonly #sources = new Map<
    string,
    { readonly characters: number; readonly prepared: Promise<Prepared> }
  >();

  constructor(private readonly options: PreparedTopicsOptions) {}

  has(key: string): boolean {
    return this.#sources.has(key);
  }

  /** Equal sources have the same key. */
  add(key: string, source: TopicSource): void {
    if (this.#sources.has(key)) return;
    const characters = source.knowledge.reduce((sum, { content }) => sum + content.length, 0);
    const prepared = this.#prepare(source);
    prepared.catch(() => this.#sources.delete(key));
    this.#sources.set(key, { characters, prepared });
    let kept = [...this.#sources.values()].reduce((sum, each) => sum + each.characters, 0);
    for (const [oldest, { characters: freed }] of this.#sources) {
      if (kept <= CHARACTERS_KEPT_MAX || oldest === key) break;
      this.#sources.delete(oldest);
      kept -= freed;
    }
  }

  /** Null if the key is unknown. */
  async ask(key: string, ask: TopicAsk): Promise<TopicReply | null> {
    const source = this.#sources.get(key);
    if (source === undefined) return null;
    this.#sources.delete(key);
    this.#sources.set(key, source);
    const { topics, lesson } = await source.prepared;
    const found = ask.texts.slice(0, TEXTS_MAX).map((text) => {
      const question = boundedQuestion(text);
      const match = topics.match(question);
      const finding = topics.find(question, ask.confidence, ask.nearness);
      return { finding, match };
    });
    return {
      found,
      offered: ask.offers ? topics.offered.slice(0, OFFERED_MAX) : [],
      lesson: ask.lesson ? lesson : null,
    };
  }

  async #prepare({ language, tools, knowledge }: TopicSource): Promise<Prepared> {
    const entries = await this.#inTurns(entriesInSteps(knowledge));
    const topics = await this.#inTurns(topicsInSteps(entries, tools, language));
    const isLearnt = entries.length > 0 && entries.length + tools.length <= TOPICS_MAX;
    return { topics, lesson: isLearnt && language === "en" ? lessonOf(entries, tools) : null };
  }

  async #inTurns<Result>(work: Generator<void, Result>): Promise<Result> {
    const { nowMs, rest } = this.options;
    let startedAt = nowMs();
    for (let steps = 1; ; steps++) {
      const step = work.next();
      if (step.done) return step.value;
      if (steps % STEPS_PER_LOOK !== 0 || nowMs() - startedAt < TURN_MS) continue;
      await rest();
      startedAt = nowMs();
    }
  }
}

export function boundedQuestion(text: string): string {
  const words = text.slice(0, QUESTION_CHARACTERS_MAX).split(/\s+/, QUESTION_WORDS_MAX);
  return words.join(" ");
}

const ZONES: readonly Finding["zone"][] = ["unknown", "unsure", "sure"];

/** The better match for a text; the first if both are equal. */
export function betterOf(one: Found, other: Found): Found {
  const lead = ZONES.indexOf(one.finding.zone) - ZONES.indexOf(other.finding.zone);
  if (lead !== 0) return lead > 0 ? one : other;
  return (one.match?.score ?? 0) >= (other.match?.score ?? 0) ? one : other;
}
