/** What the main thread and the knowledge worker say to each other. Plain data only (structured clone). */
import type { MessageOf } from "../../core/thread-messages.ts";
import type {
  IndexedFile,
  KnowledgePassage,
  KnowledgeScope,
} from "../../domain/knowledge/knowledge-index.ts";
import type {
  TopicAsk,
  TopicReply,
  TopicSource,
} from "../engine/embedded/scripted/agent-topics.ts";
import type { Meaning } from "./passage-index.ts";
import type { TextToEmbed } from "./passage-vectors.ts";

/** Main to the worker. */
export interface KnowledgeCommands {
  /** Where the derived files lie. */
  init: [directory: string];
  /** Answered with `missing`. */
  compare: [scope: KnowledgeScope];
  /** Answered with `indexed`. */
  add: [tenantId: number, file: IndexedFile, content: string];
  /** Answered with `found`. Without its meaning a question is looked up by its words. */
  search: [askId: number, scope: KnowledgeScope, question: string, meaning: Meaning | null];
  /** Answered with `found`. */
  sources: [askId: number, scope: KnowledgeScope, answer: string];
  /** Answered with `topicsFound`, or with `topicsWanted` if the key is unknown. */
  topics: [askId: number, key: string, ask: TopicAsk];
  /** What an agent can be asked, under the key of its content. */
  addTopics: [key: string, source: TopicSource];
  /** Answered with `unembedded`: passages that have no vector of this model yet. */
  listUnembedded: [tenantId: number, model: string, countMax: number];
  storeVectors: [
    tenantId: number,
    model: string,
    ids: readonly number[],
    vectors: readonly Float32Array[],
  ];
  /** The files that a tenant has: what was derived from others is deleted. */
  retain: [tenantId: number, fileIds: readonly number[]];
  /** All tenants that have files: what was derived for others is deleted. */
  retainTenants: [tenantIds: readonly number[]];
}

/** The worker to main. */
export interface KnowledgeEvents {
  ready: [];
  /** Files of the scope that are not indexed as they are. */
  missing: [tenantId: number, files: readonly IndexedFile[]];
  /** `problem` null: it can be searched. */
  indexed: [tenantId: number, fileId: number, problem: string | null];
  /** None: all have one. */
  unembedded: [tenantId: number, texts: readonly TextToEmbed[]];
  found: [askId: number, passages: readonly KnowledgePassage[]];
  topicsFound: [askId: number, reply: TopicReply | null];
  topicsWanted: [askId: number];
}

export type ToKnowledgeWorker = MessageOf<KnowledgeCommands>;
export type FromKnowledgeWorker = MessageOf<KnowledgeEvents>;
