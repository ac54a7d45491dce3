/**
 * Messages between the main thread and the knowledge worker. Plain data only (structured clone).
 */
import type { MessageOf } from "../../../core/thread-messages.ts";
import type {
  TopicAsk,
  TopicReply,
  TopicSource,
} from "../../../engine/embedded/scripted/agent-topics.ts";
import type { IndexedFile, KnowledgePassage, KnowledgeScope } from "../knowledge-index.ts";
import type { Meaning } from "./passage-index.ts";
import type { TextToEmbed } from "./passage-vectors.ts";

/** Main to the worker. */
export interface KnowledgeCommands {
  /** Directory of the derived files. */
  init: [directory: string];
  /** Answered with `missing`. */
  compare: [scope: KnowledgeScope];
  /** Answered with `indexed`. */
  add: [tenantId: number, file: IndexedFile, content: string];
  /** Answered with `found`. Without `meaning`, only words are compared. */
  search: [askId: number, scope: KnowledgeScope, question: string, meaning: Meaning | null];
  /** Answered with `found`. */
  sources: [askId: number, scope: KnowledgeScope, answer: string];
  /** Answered with `topicsFound`, or with `topicsWanted` if the key is unknown. */
  topics: [askId: number, key: string, ask: TopicAsk];
  /** An agent's topics, under the key of their content. */
  addTopics: [key: string, source: TopicSource];
  /** Answered with `unembedded`: passages without a vector of this model. */
  listUnembedded: [tenantId: number, model: string, countMax: number];
  storeVectors: [
    tenantId: number,
    model: string,
    ids: readonly number[],
    vectors: readonly Float32Array[],
  ];
  /** The tenant's current files. Data derived from other files is deleted. */
  retain: [tenantId: number, fileIds: readonly number[]];
  /** All tenants with files. Data derived for other tenants is deleted. */
  retainTenants: [tenantIds: readonly number[]];
}

/** The worker to main. */
export interface KnowledgeEvents {
  ready: [];
  /** Files of the scope without a current index. */
  missing: [tenantId: number, files: readonly IndexedFile[]];
  /** `problem`: null if the file can be searched. */
  indexed: [tenantId: number, fileId: number, problem: string | null];
  /** Empty if all have one. */
  unembedded: [tenantId: number, texts: readonly TextToEmbed[]];
  found: [askId: number, passages: readonly KnowledgePassage[]];
  topicsFound: [askId: number, reply: TopicReply | null];
  topicsWanted: [askId: number];
}

export type ToKnowledgeWorker = MessageOf<KnowledgeCommands>;
export type FromKnowledgeWorker = MessageOf<KnowledgeEvents>;
