/**
 * Input and results of semantic-similarity.ts. In a separate file because the main thread must not load the
 * model.
 */

export interface TopicTexts {
  /** Example questions. */
  readonly asked: readonly string[];
  readonly answer: string;
}

/** Topics that an agent can be asked about. Equal topics have the same key. */
export interface Lesson {
  readonly key: string;
  readonly topics: readonly TopicTexts[];
}

/** Per topic: nearness to its nearest question and to its answer. 1 means the same. */
export interface Nearness {
  readonly asked: readonly number[];
  readonly answered: readonly number[];
}

/** More would take over a minute of one core. */
export const TOPICS_MAX = 300;
/** At most 2 MB each. */
export const LESSONS_MAX = 50;
