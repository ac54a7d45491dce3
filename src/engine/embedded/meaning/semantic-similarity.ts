/**
 * Compares a caller's words by meaning with the topics of an agent. Each topic is encoded once, one
 * text at a time, while the thread has no utterance to read. Until then, only the words decide.
 */
import type { Clock } from "../../../core/clock.ts";
import { LESSONS_MAX, type Lesson, type Nearness, TOPICS_MAX, type TopicTexts } from "./lessons.ts";
import { dot, SentenceEncoder } from "./sentence-encoder.ts";

interface Learnt {
  readonly asked: readonly (readonly Float32Array[])[];
  readonly answered: readonly Float32Array[];
}

const BETWEEN_TEXTS_MS = 5;

export class SemanticSimilarity {
  #encoder: SentenceEncoder | null = null;
  /** Null while the topics are encoded. */
  readonly #lessons = new Map<string, Learnt | null>();
  #learning: Promise<void> = Promise.resolve();

  constructor(
    private readonly clock: Clock,
    /** True if somebody waits for this thread. Default: nobody does. */
    private readonly isBusy: () => boolean = () => false,
  ) {}

  /** Resolves when the topics are encoded. */
  learn({ key, topics }: Lesson): Promise<void> {
    if (this.#lessons.has(key) || topics.length > TOPICS_MAX) return this.#learning;
    this.#lessons.set(key, null);
    for (const oldest of this.#lessons.keys()) {
      if (this.#lessons.size <= LESSONS_MAX) break;
      this.#lessons.delete(oldest);
    }
    this.#learning = this.#learning.then(() => this.#learn(key, topics));
    return this.#learning;
  }

  async #learn(key: string, topics: readonly TopicTexts[]): Promise<void> {
    try {
      const asked: Float32Array[][] = [];
      const answered: Float32Array[] = [];
      for (const topic of topics) {
        const ways: Float32Array[] = [];
        for (const text of topic.asked) ways.push(await this.#encodedLater(text));
        answered.push(await this.#encodedLater(topic.answer));
        asked.push(ways);
      }
      if (this.#lessons.has(key)) this.#lessons.set(key, { asked, answered });
    } catch {
      // The next call tries again. Until then, its words alone decide.
      this.#lessons.delete(key);
    }
  }

  async #encodedLater(text: string): Promise<Float32Array> {
    do
      await new Promise<void>((resolve) => {
        this.clock.after(BETWEEN_TEXTS_MS, resolve);
      });
    while (this.isBusy());
    return this.#encoded(text);
  }

  #encoded(text: string): Float32Array {
    this.#encoder ??= SentenceEncoder.load();
    return this.#encoder.encode(text);
  }

  /** Null if the topics are not encoded (yet). */
  compare(key: string, text: string): Nearness | null {
    const learnt = this.#lessons.get(key) ?? null;
    if (learnt === null) return null;
    this.#lessons.delete(key);
    this.#lessons.set(key, learnt);
    const meaning = this.#encoded(text);
    const answered = learnt.answered.map((answer) => dot(meaning, answer));
    const asked = learnt.asked.map((ways, topic) =>
      Math.max(
        ...(ways.length === 0 ? [answered[topic] ?? 0] : ways.map((way) => dot(meaning, way))),
      ),
    );
    return { asked, answered };
  }
}
