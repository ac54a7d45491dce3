/**
 * Code of the knowledge worker: one index per tenant, opened when needed. Files are indexed one
 * after another in steps of some milliseconds, so that a search never waits for a whole file.
 */
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Clock, sleep } from "../../../core/clock.ts";
import { describeError } from "../../../core/errors.ts";
import type { HandlersOf } from "../../../core/thread-messages.ts";
import {
  PreparedTopics,
  type TopicAsk,
  type TopicSource,
} from "../../../engine/embedded/scripted/agent-topics.ts";
import type { IndexedFile, KnowledgeScope } from "../knowledge-index.ts";
import type { FromKnowledgeWorker, KnowledgeCommands } from "./messages.ts";
import { type Meaning, PassageIndex } from "./passage-index.ts";
import type { TextToEmbed } from "./passage-vectors.ts";

interface KnowledgeHostOptions {
  readonly clock: Clock;
  readonly post: (message: FromKnowledgeWorker) => void;
}

const INDEXES_OPEN_MAX = 32;
/** The most recently used ones keep the data for semantic search in memory. */
const INDEXES_IN_MEMORY_MAX = 4;
const PRIVATE = 0o700;
/** Pause between two steps of indexing: the call threads have priority. */
const REST_MS = 2;

export class KnowledgeHost implements HandlersOf<KnowledgeCommands> {
  /** By tenant, the most recently used last. */
  readonly #indexes = new Map<number, PassageIndex>();
  readonly #inWork = new Set<number>();
  #directory = "";
  #work: Promise<void> = Promise.resolve();
  readonly #topics: PreparedTopics;

  constructor(private readonly options: KnowledgeHostOptions) {
    this.#topics = new PreparedTopics({
      nowMs: () => options.clock.monotonic(),
      rest: () => this.#turn(),
    });
  }

  init(directory: string): void {
    mkdirSync(directory, { recursive: true, mode: PRIVATE });
    this.#directory = directory;
    this.options.post({ type: "ready", args: [] });
  }

  compare({ tenantId, files }: KnowledgeScope): void {
    const missing = this.#indexOf(tenantId).missing(files);
    this.options.post({ type: "missing", args: [tenantId, missing] });
  }

  add(tenantId: number, file: IndexedFile, content: string): void {
    this.#later(tenantId, async () => {
      const problem = await this.#indexOf(tenantId)
        .add(file, content, () => this.#turn())
        .then(() => null, describeError);
      this.options.post({ type: "indexed", args: [tenantId, file.id, problem] });
    });
  }

  search(askId: number, scope: KnowledgeScope, question: string, meaning: Meaning | null): void {
    this.#answer(askId, scope, (index, fileIds) => index.search(fileIds, question, meaning));
  }

  sources(askId: number, scope: KnowledgeScope, answer: string): void {
    this.#answer(askId, scope, (index, fileIds) => index.sourcesOf(fileIds, answer));
  }

  topics(askId: number, key: string, ask: TopicAsk): void {
    if (this.#topics.has(key)) void this.#answerTopics(askId, key, ask);
    else this.options.post({ type: "topicsWanted", args: [askId] });
  }

  addTopics(key: string, source: TopicSource): void {
    this.#topics.add(key, source);
  }

  async #answerTopics(askId: number, key: string, ask: TopicAsk): Promise<void> {
    const reply = await this.#topics.ask(key, ask).catch((error) => {
      process.emitWarning(`topics of an agent: ${describeError(error)}`);
      return null;
    });
    this.options.post({ type: "topicsFound", args: [askId, reply] });
  }

  listUnembedded(tenantId: number, model: string, countMax: number): void {
    this.#later(tenantId, async () => {
      let texts: readonly TextToEmbed[] = [];
      try {
        texts = this.#indexOf(tenantId).vectors.missing(model, countMax);
      } finally {
        this.options.post({ type: "unembedded", args: [tenantId, texts] });
      }
    });
  }

  storeVectors(
    tenantId: number,
    model: string,
    ids: readonly number[],
    vectors: readonly Float32Array[],
  ): void {
    this.#later(tenantId, async () => this.#indexOf(tenantId).vectors.store(model, ids, vectors));
  }

  retain(tenantId: number, fileIds: readonly number[]): void {
    if (fileIds.length === 0) {
      this.#later(tenantId, async () => this.#delete(tenantId));
      return;
    }
    const kept = new Set(fileIds);
    this.#later(tenantId, () => this.#indexOf(tenantId).keepOnly(kept, () => this.#turn()));
  }

  retainTenants(tenantIds: readonly number[]): void {
    const kept = new Set(tenantIds);
    for (const name of readdirSync(this.#directory)) {
      const tenantId = Number(/^tenant-(\d+)\.sqlite$/.exec(name)?.[1]);
      if (tenantId > 0 && !kept.has(tenantId))
        this.#later(tenantId, async () => this.#delete(tenantId));
    }
  }

  close(): void {
    for (const index of this.#indexes.values()) index.close();
    this.#indexes.clear();
  }

  #answer(
    askId: number,
    { tenantId, files }: KnowledgeScope,
    find: (index: PassageIndex, fileIds: readonly number[]) => ReturnType<PassageIndex["search"]>,
  ): void {
    const fileIds = files.map(({ id }) => id);
    try {
      const passages = find(this.#indexOf(tenantId), fileIds);
      this.options.post({ type: "found", args: [askId, passages] });
    } catch (error) {
      this.options.post({ type: "found", args: [askId, []] });
      throw error;
    }
  }

  /** One after another. A tenant's index stays open while it is being written. */
  #later(tenantId: number, work: () => Promise<void>): void {
    this.#work = this.#work
      .then(() => {
        this.#inWork.add(tenantId);
        return work();
      })
      .catch((error) => {
        process.emitWarning(`knowledge of tenant ${tenantId}: ${describeError(error)}`);
      })
      .finally(() => this.#inWork.delete(tenantId));
  }

  #turn(): Promise<void> {
    return sleep(this.options.clock, REST_MS);
  }

  #indexOf(tenantId: number): PassageIndex {
    const known = this.#indexes.get(tenantId);
    this.#indexes.delete(tenantId);
    const index = known ?? new PassageIndex(this.#pathOf(tenantId));
    this.#indexes.set(tenantId, index);
    const resting = [...this.#indexes.values()].at(-1 - INDEXES_IN_MEMORY_MAX);
    resting?.vectors.forget();
    for (const [id, other] of this.#indexes) {
      if (this.#indexes.size <= INDEXES_OPEN_MAX) break;
      if (id === tenantId || this.#inWork.has(id)) continue;
      other.close();
      this.#indexes.delete(id);
    }
    return index;
  }

  #delete(tenantId: number): void {
    this.#indexes.get(tenantId)?.close();
    this.#indexes.delete(tenantId);
    const path = this.#pathOf(tenantId);
    for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
  }

  #pathOf(tenantId: number): string {
    return join(this.#directory, `tenant-${tenantId}.sqlite`);
  }
}
