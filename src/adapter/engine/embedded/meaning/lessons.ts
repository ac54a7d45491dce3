/** What meanings.ts learns and answers. Apart from it, because the main thread must not load the model. */

export interface TopicTexts {
  /** Ways to ask for it. */
  readonly asked: readonly string[];
  readonly answer: string;
}

/** What an agent can be asked. Equal topics have the same key. */
export interface Lesson {
  readonly key: string;
  readonly topics: readonly TopicTexts[];
}

/** Each topic's nearness to the nearest way to ask for it, and to its answer: 1 means the same. */
export interface Nearness {
  readonly asked: readonly number[];
  readonly answered: readonly number[];
}

/** More would take a minute of a core to learn. */
export const TOPICS_MAX = 300;
/** At most 2 MB each. */
export const LESSONS_MAX = 50;
