/** Knowledge files and the agents that use them (decisions 4). */

import { createHash } from "node:crypto";
import { type Author, OPERATOR, type VersionNote } from "../../core/author.ts";
import { type Clock, yieldToEventLoop } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { AppError, notFound } from "../../core/errors.ts";
import type { Billing } from "../billing/billing.ts";
import type { Quotas } from "../billing/quotas.ts";
import { checkContent, type FileFormat, formatOf } from "./content.ts";
import type { KnowledgeIndex } from "./knowledge-index.ts";

/** Maximum size of a file's text, in UTF-8. */
export const FILE_BYTES_MAX = 512_000;

export interface FileRecord {
  readonly id: number;
  readonly filename: string;
  readonly format: FileFormat;
  readonly sizeBytes: number;
  readonly agentIds: readonly number[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface StoredFile {
  readonly filename: string;
  readonly format: FileFormat;
  readonly content: string;
  readonly sizeBytes: number;
  readonly contentSha256: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Columns stored for a text. */
export const storedText = (content: string) => ({
  content,
  sizeBytes: Buffer.byteLength(content),
  contentSha256: createHash("sha256").update(content).digest("hex"),
});

/** Implemented by store/knowledge/file-store.ts. */
export interface FileRecords {
  /** Without contents. */
  list(tenantId: number): Promise<FileRecord[]>;
  find(tenantId: number, id: number): Promise<FileRecord | undefined>;
  content(tenantId: number, id: number): Promise<string | undefined>;
  count(tenantId: number): Promise<number>;
  insert(tenantId: number, file: StoredFile): Promise<number>;
  update(tenantId: number, id: number, changes: Partial<StoredFile>): Promise<void>;
  remove(tenantId: number, id: number): Promise<boolean>;
  attach(fileId: number, agentId: number): Promise<void>;
  detachAll(fileId: number): Promise<void>;
  /** Bytes of each agent's files. Agents without files are absent. */
  bytesOfAgents(tenantId: number): Promise<ReadonlyMap<number, number>>;
  /** How many of these ids are agents of the tenant. */
  countAgents(tenantId: number, agentIds: readonly number[]): Promise<number>;
  /** Stores the file's text for the versions of agents, before a version refers to it. */
  keepText(tenantId: number, id: number): Promise<void>;
  /** Stores a version of every changed agent. */
  recordVersions(tenantId: number, note: VersionNote): Promise<void>;
}

interface NewFile {
  readonly filename: string;
  readonly content: string;
  readonly agentId: number | null;
}

interface FileToStore {
  readonly file: StoredFile;
  readonly agentId: number | null;
}

interface FileChanges {
  readonly filename?: string;
  readonly content?: string;
  /** Agent that gets the file; null detaches it from all agents. */
  readonly agentId?: number | null;
  /** Agents that use the file; replaces the previous set. */
  readonly agentIds?: readonly number[];
}

/** Derives the change from the content at the time of the write. */
type FileChange = (before: FileRecord & { readonly content: string }) => FileChanges;

interface FileDependencies {
  readonly database: Database;
  readonly records: (queries: Queries) => FileRecords;
  readonly billing: Billing;
  readonly quotas: Quotas;
  readonly clock: Clock;
  /** Missing: files are indexed when a call needs them. */
  readonly index?: Pick<KnowledgeIndex, "prepare" | "retain"> | undefined;
}

export class Files {
  constructor(private readonly deps: FileDependencies) {}

  async #found(queries: Queries, tenantId: number, id: number): Promise<FileRecord> {
    const file = await this.deps.records(queries).find(tenantId, id);
    if (!file) throw notFound("file");
    return file;
  }

  /** Throws not_found. */
  async requireAgents(
    queries: Queries,
    tenantId: number,
    agentIds: readonly number[],
  ): Promise<void> {
    const wanted = [...new Set(agentIds)];
    if (wanted.length === 0) return;
    if ((await this.deps.records(queries).countAgents(tenantId, wanted)) !== wanted.length)
      throw notFound("agent");
  }

  async #assign(
    queries: Queries,
    tenantId: number,
    fileId: number,
    changes: FileChanges,
  ): Promise<void> {
    const { agentId, agentIds } = changes;
    const store = this.deps.records(queries);
    await this.requireAgents(queries, tenantId, [
      ...(agentIds ?? []),
      ...(agentId ? [agentId] : []),
    ]);
    if (agentIds !== undefined || agentId === null) await store.detachAll(fileId);
    for (const id of new Set(agentIds ?? [])) await store.attach(fileId, id);
    if (agentId) await store.attach(fileId, agentId);
  }

  async #textChanges(
    queries: Queries,
    tenantId: number,
    before: FileRecord,
    changes: FileChanges,
  ): Promise<Partial<StoredFile>> {
    if (changes.filename === undefined && changes.content === undefined) return {};
    const filename = changes.filename ?? before.filename;
    const format = formatOf(filename);
    const content =
      changes.content ?? (await this.deps.records(queries).content(tenantId, before.id)) ?? "";
    checkContent(format, content);
    if (changes.content === undefined) return { filename, format };
    return { filename, format, ...storedText(content) };
  }

  /** Indexes the file now, so that the first call does not wait for it. */
  #indexed(tenantId: number, file: FileRecord): FileRecord {
    const { id, filename, format, updatedAt: version } = file;
    this.deps.index?.prepare({ tenantId, files: [{ id, filename, format, version }] });
    return file;
  }

  list(tenantId: number) {
    return this.deps.records(this.deps.database.read).list(tenantId);
  }

  /** Bytes of each agent's files. Agents without files are absent. */
  bytesOfAgents(tenantId: number) {
    return this.deps.records(this.deps.database.read).bytesOfAgents(tenantId);
  }

  /** Throws not_found. */
  async get(tenantId: number, id: number): Promise<FileRecord & { readonly content: string }> {
    const { read } = this.deps.database;
    return await this.#withContent(read, tenantId, await this.#found(read, tenantId, id));
  }

  /** Throws valid_content_required, plan_limit_reached, not_found (agent). */
  async create(tenantId: number, input: NewFile, author: Author = OPERATOR): Promise<FileRecord> {
    const [file] = await this.createAll(tenantId, [input], author);
    if (!file) throw new Error("one file was asked for");
    return file;
  }

  /**
   * Creates all files, or none if it throws (as `create` does).
   *
   * Each text is written in a separate transaction, since other writers wait while the disk stores one. The
   * last transaction attaches the files to agents. A crash in between leaves files without agents.
   */
  async createAll(
    tenantId: number,
    inputs: readonly NewFile[],
    author: Author,
  ): Promise<FileRecord[]> {
    if (inputs.length === 0) return [];
    const { database, clock } = this.deps;
    const nowMs = clock.now();
    const waiting: FileToStore[] = [];
    for (const { filename, content, agentId } of inputs) {
      const format = formatOf(filename);
      checkContent(format, content);
      const times = { createdAt: nowMs, updatedAt: nowMs };
      waiting.push({ agentId, file: { filename, format, ...storedText(content), ...times } });
      if (inputs.length > 1) await yieldToEventLoop();
    }
    const ids: number[] = [];
    try {
      for (let at = 0; at < waiting.length - 1; at++)
        ids.push(
          await database.tx((queries) => this.#insertFirst(queries, tenantId, waiting.slice(at))),
        );
      const files = await database.tx(async (queries) => {
        const last = await this.#insertFirst(queries, tenantId, waiting.slice(-1));
        const made: FileRecord[] = [];
        for (const [at, id] of [...ids, last].entries()) {
          await this.#assign(queries, tenantId, id, agentsOf(waiting[at]));
          made.push(await this.#found(queries, tenantId, id));
        }
        await this.deps.records(queries).recordVersions(tenantId, { author, nowMs });
        return made;
      });
      return files.map((file) => this.#indexed(tenantId, file));
    } catch (error) {
      for (const id of ids)
        await database
          .tx((queries) => this.deps.records(queries).remove(tenantId, id))
          .catch(() => false);
      throw error;
    }
  }

  /** Throws if the plan has no room for all of them, or an agent does not exist. */
  async #insertFirst(
    queries: Queries,
    tenantId: number,
    waiting: readonly FileToStore[],
  ): Promise<number> {
    const [first] = waiting;
    if (!first) throw new Error("a file was to be stored");
    const store = this.deps.records(queries);
    const { slug, maxFiles } = await this.deps.billing.planOf(queries, tenantId);
    if ((await store.count(tenantId)) + waiting.length > maxFiles) throw fileCap(slug, maxFiles);
    const bytes = waiting.reduce((sum, { file }) => sum + file.sizeBytes, 0);
    await this.deps.quotas.require(queries, tenantId, "knowledgeBytes", bytes);
    const agentIds = waiting.flatMap(({ agentId }) => agentId ?? []);
    await this.requireAgents(queries, tenantId, agentIds);
    const id = await store.insert(tenantId, first.file);
    if (waiting.length > 1 && first.agentId !== null) await store.keepText(tenantId, id);
    return id;
  }

  async #withContent(queries: Queries, tenantId: number, file: FileRecord) {
    const content = await this.deps.records(queries).content(tenantId, file.id);
    if (content === undefined) throw notFound("file");
    return { ...file, content };
  }

  /** Throws not_found (file or agent), valid_content_required, plan_limit_reached. */
  async update(
    tenantId: number,
    id: number,
    change: FileChanges | FileChange,
    author: Author = OPERATOR,
  ): Promise<FileRecord> {
    const nowMs = this.deps.clock.now();
    const file = await this.deps.database.tx(async (queries) => {
      const before = await this.#found(queries, tenantId, id);
      const changes =
        typeof change === "function"
          ? change(await this.#withContent(queries, tenantId, before))
          : change;
      const text = await this.#textChanges(queries, tenantId, before, changes);
      const moreBytes = (text.sizeBytes ?? before.sizeBytes) - before.sizeBytes;
      if (moreBytes > 0)
        await this.deps.quotas.require(queries, tenantId, "knowledgeBytes", moreBytes);
      await this.#assign(queries, tenantId, id, changes);
      if (Object.values(changes).some((change) => change !== undefined))
        await this.deps.records(queries).update(tenantId, id, { ...text, updatedAt: nowMs });
      await this.deps.records(queries).recordVersions(tenantId, { author, nowMs });
      return this.#found(queries, tenantId, id);
    });
    return this.#indexed(tenantId, file);
  }

  /** Throws not_found. */
  async remove(tenantId: number, id: number, author: Author = OPERATOR): Promise<void> {
    const removed = await this.deps.database.tx(async (queries) => {
      const store = this.deps.records(queries);
      const removed = await store.remove(tenantId, id);
      await store.recordVersions(tenantId, { author, nowMs: this.deps.clock.now() });
      return removed;
    });
    if (!removed) throw notFound("file");
    const left = await this.list(tenantId);
    this.deps.index?.retain(
      tenantId,
      left.map((file) => file.id),
    );
  }
}

const agentsOf = (stored: FileToStore | undefined): FileChanges =>
  stored?.agentId ? { agentId: stored.agentId } : {};

const fileCap = (slug: string, filesMax: number) =>
  new AppError({
    code: "plan_limit_reached",
    publicMessage: `The plan ${slug} allows ${filesMax} files. Delete one or change the plan.`,
  });
