/**
 * The knowledge worker on the main thread. Reads at most one file at a time from the store, so that
 * a large library does not slow down requests. Every search has a deadline. A dead worker is
 * started again with the next question. Lost data is indexed again, because it is derived from
 * files.
 */
import { createHash } from "node:crypto";
import type { Clock } from "../../../core/clock.ts";
import { describeError } from "../../../core/errors.ts";
import type { Log } from "../../../core/log.ts";
import { dispatch, type HandlersOf } from "../../../core/thread-messages.ts";
import type { WorkerHandle } from "../../../core/worker-handle.ts";
import {
  type AskTopics,
  betterOf,
  type TopicAsk,
  type TopicReply,
  type TopicSource,
} from "../../../engine/embedded/scripted/agent-topics.ts";
import type { Embedder } from "../embedder.ts";
import type {
  IndexedFile,
  KnowledgeIndex,
  KnowledgePassage,
  KnowledgeScope,
} from "../knowledge-index.ts";
import { EmbeddingWork } from "./embedding-work.ts";
import type { FromKnowledgeWorker, KnowledgeEvents, ToKnowledgeWorker } from "./messages.ts";

interface WorkerIndexOptions {
  readonly spawn: () => WorkerHandle;
  readonly directory: string;
  /** Undefined if the file no longer exists. */
  readonly content: (tenantId: number, fileId: number) => Promise<string | undefined>;
  /** If missing, only words find passages. */
  readonly embedder?: Embedder | null;
  readonly clock: Clock;
  readonly log: Log;
}

export interface WorkerIndex extends KnowledgeIndex {
  /** The scripted agent's topics. The worker prepares equal contents once. */
  readonly askTopics: AskTopics;
  /** All tenants with files. Data derived for other tenants is deleted. */
  retainTenants(tenantIds: readonly number[]): void;
  /** Reason why semantic search does not work, for the operator; null if it works or is off. */
  problem(): string | null;
  /** Resolves when all requested files are indexed. */
  idle(): Promise<void>;
  /** Resolves when every indexed passage has its vector; at once if embeddings are off. */
  embedded(): Promise<void>;
  close(): void;
}

const SEARCH_MS_MAX = 2_000;
const ASKS_WAITING_MAX = 1_000;
/** Enough to prepare the largest knowledge on a busy machine. */
const TOPICS_MS_MAX = 20_000;
/** Files sent to the worker that wait for indexing. */
const FILES_UNDER_WAY_MAX = 2;

type Ask = (passages: readonly KnowledgePassage[]) => void;

interface TopicQuestion {
  readonly key: string;
  readonly source: TopicSource;
  readonly ask: TopicAsk;
  readonly settle: (reply: TopicReply | null) => void;
  /** The worker has the source of this question. */
  isSent: boolean;
}

/** The caller must `close` it. */
export function createWorkerIndex(options: WorkerIndexOptions): WorkerIndex {
  return new Client(options);
}

class Client implements WorkerIndex {
  #worker: WorkerHandle | null = null;
  #closed = false;
  #nextAsk = 1;
  readonly #asks = new Map<number, Ask>();
  readonly #topicAsks = new Map<number, TopicQuestion>();
  /** Files waiting for indexing, by tenant and file. */
  readonly #waiting = new Map<string, { readonly tenantId: number; readonly file: IndexedFile }>();
  readonly #underWay = new Map<string, IndexedFile>();
  #comparing = 0;
  readonly #embedding: EmbeddingWork | null;
  readonly #idle: (() => void)[] = [];
  readonly #events: HandlersOf<KnowledgeEvents> = {
    ready: () => {},
    missing: (tenantId, files) => {
      this.#comparing--;
      if (files.length === 0) this.#embedding?.begin(tenantId);
      for (const file of files) this.#waiting.set(keyOf(tenantId, file.id), { tenantId, file });
      this.#sendNext();
    },
    indexed: (tenantId, fileId, problem) => {
      this.#underWay.delete(keyOf(tenantId, fileId));
      if (problem !== null)
        this.options.log.warn("knowledge.not_indexed", { tenant: tenantId, file: fileId, problem });
      else this.#embedding?.begin(tenantId);
      this.#sendNext();
    },
    unembedded: (tenantId, texts) => void this.#embedding?.listed(tenantId, texts),
    found: (askId, passages) => this.#asks.get(askId)?.(passages),
    topicsFound: (askId, reply) => this.#topicAsks.get(askId)?.settle(reply),
    topicsWanted: (askId) => this.#sendTopics(askId),
  };

  constructor(private readonly options: WorkerIndexOptions) {
    const { embedder, clock, log } = options;
    const post = (message: ToKnowledgeWorker) => this.#post(message);
    this.#embedding = embedder ? new EmbeddingWork({ embedder, post, clock, log }) : null;
  }

  problem(): string | null {
    return this.#embedding?.problem() ?? null;
  }

  prepare(scope: KnowledgeScope): void {
    if (scope.files.length === 0 || this.#closed) return;
    this.#comparing++;
    this.#post({ type: "compare", args: [scope] });
  }

  async search(
    scope: KnowledgeScope,
    question: string,
    used: (tokens: number) => void = () => {},
  ): Promise<readonly KnowledgePassage[]> {
    const isAsked = scope.files.length > 0 && question.trim() !== "";
    const meaning = (isAsked && (await this.#embedding?.meaningOf(question, used))) || null;
    const args = [scope, question, meaning] as const;
    return await this.#ask(scope, (askId) => ({ type: "search", args: [askId, ...args] }));
  }

  sourcesOf(scope: KnowledgeScope, answer: string): Promise<readonly KnowledgePassage[]> {
    return this.#ask(scope, (askId) => ({ type: "sources", args: [askId, scope, answer] }));
  }

  askTopics: AskTopics = async ({ memory, ...agent }, ask) => {
    const ofAgent = this.#askSource(agent, ask);
    if (memory === null || ask.texts.length === 0) return await ofAgent;
    const { language } = agent;
    const ofCaller = this.#askSource(
      { language, tools: [], knowledge: [memory] },
      { ...ask, nearness: null, offers: false, lesson: false },
    );
    const [reply, remembered] = await Promise.all([ofAgent, ofCaller]);
    if (reply === null || remembered === null) return reply;
    const found = reply.found.map((one, at) => betterOf(one, remembered.found[at] ?? one));
    return { ...reply, found };
  };

  #askSource(
    { language, tools, knowledge }: TopicSource,
    ask: TopicAsk,
  ): Promise<TopicReply | null> {
    if (this.#closed || this.#topicAsks.size >= ASKS_WAITING_MAX) return Promise.resolve(null);
    const askId = this.#nextAsk++;
    const source = { language, tools, knowledge };
    return new Promise((resolve) => {
      const settle = (reply: TopicReply | null) => {
        timer.cancel();
        this.#topicAsks.delete(askId);
        resolve(reply);
      };
      const timer = this.options.clock.after(TOPICS_MS_MAX, () => settle(null));
      const key = topicKey(source);
      this.#topicAsks.set(askId, { key, source, ask, settle, isSent: false });
      this.#post({ type: "topics", args: [askId, key, ask] });
    });
  }

  #sendTopics(askId: number): void {
    const asked = this.#topicAsks.get(askId);
    if (asked === undefined) return;
    const { key, source, ask } = asked;
    if (asked.isSent) {
      asked.settle(null);
      return;
    }
    asked.isSent = true;
    this.#post({ type: "addTopics", args: [key, source] });
    this.#post({ type: "topics", args: [askId, key, ask] });
  }

  retain(tenantId: number, fileIds: readonly number[]): void {
    const kept = new Set(fileIds.map((id) => keyOf(tenantId, id)));
    for (const [key, { tenantId: owner }] of this.#waiting)
      if (owner === tenantId && !kept.has(key)) this.#waiting.delete(key);
    this.#post({ type: "retain", args: [tenantId, fileIds] });
  }

  retainTenants(tenantIds: readonly number[]): void {
    this.#post({ type: "retainTenants", args: [tenantIds] });
  }

  idle(): Promise<void> {
    if (this.#isIdle) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  embedded(): Promise<void> {
    return this.#embedding?.done() ?? Promise.resolve();
  }

  close(): void {
    this.#closed = true;
    this.#embedding?.close();
    this.#forgetWork();
    this.#worker?.terminate();
    this.#worker = null;
  }

  get #isIdle(): boolean {
    return this.#comparing === 0 && this.#waiting.size === 0 && this.#underWay.size === 0;
  }

  #ask(
    scope: KnowledgeScope,
    message: (askId: number) => ToKnowledgeWorker,
  ): Promise<readonly KnowledgePassage[]> {
    const isFull = this.#asks.size >= ASKS_WAITING_MAX;
    if (scope.files.length === 0 || this.#closed || isFull) return Promise.resolve([]);
    const askId = this.#nextAsk++;
    return new Promise((resolve) => {
      const settle = (passages: readonly KnowledgePassage[]) => {
        timer.cancel();
        this.#asks.delete(askId);
        resolve(passages);
      };
      const timer = this.options.clock.after(SEARCH_MS_MAX, () => {
        this.options.log.warn("knowledge.search_late", { tenant: scope.tenantId });
        settle([]);
      });
      this.#asks.set(askId, settle);
      this.#post(message(askId));
    });
  }

  #sendNext(): void {
    for (const [key, { tenantId, file }] of this.#waiting) {
      if (this.#underWay.size >= FILES_UNDER_WAY_MAX) break;
      this.#waiting.delete(key);
      this.#underWay.set(key, file);
      void this.#send(tenantId, file);
    }
    if (this.#isIdle) for (const settle of this.#idle.splice(0)) settle();
  }

  async #send(tenantId: number, file: IndexedFile): Promise<void> {
    try {
      const content = await this.options.content(tenantId, file.id);
      if (content === undefined || this.#closed) this.#events.indexed(tenantId, file.id, null);
      else this.#post({ type: "add", args: [tenantId, file, content] });
    } catch (error) {
      this.#events.indexed(tenantId, file.id, describeError(error));
    }
  }

  #post(message: ToKnowledgeWorker): void {
    if (this.#closed) return;
    this.#worker ??= this.#start();
    this.#worker.postMessage(message);
  }

  #start(): WorkerHandle {
    const worker = this.options.spawn();
    worker.addEventListener("message", (event) => {
      if (worker === this.#worker)
        dispatch<KnowledgeEvents>(this.#events, event.data as FromKnowledgeWorker);
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault?.();
      this.#died(worker, describeError(event.message));
    });
    worker.addEventListener("close", () => this.#died(worker, "the knowledge worker ended"));
    const init: ToKnowledgeWorker = { type: "init", args: [this.options.directory] };
    worker.postMessage(init);
    return worker;
  }

  #died(worker: WorkerHandle, detail: string): void {
    if (worker !== this.#worker) return;
    this.#worker = null;
    worker.terminate();
    this.options.log.error("knowledge_worker.died", { detail });
    this.#forgetWork();
  }

  #forgetWork(): void {
    this.#comparing = 0;
    this.#embedding?.forget();
    this.#waiting.clear();
    this.#underWay.clear();
    for (const settle of [...this.#asks.values()]) settle([]);
    for (const { settle } of [...this.#topicAsks.values()]) settle(null);
    for (const settle of this.#idle.splice(0)) settle();
  }
}

/** Digests of contents, calculated once per call. */
const digests = new WeakMap<TopicSource["knowledge"], string>();

function topicKey({ language, tools, knowledge }: TopicSource): string {
  const known = digests.get(knowledge);
  const digest = known ?? sha256(knowledge);
  digests.set(knowledge, digest);
  return sha256([language, tools, digest]);
}

const sha256 = (content: unknown): string =>
  createHash("sha256").update(JSON.stringify(content)).digest("hex");

const keyOf = (tenantId: number, fileId: number) => `${tenantId} ${fileId}`;
