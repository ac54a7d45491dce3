/**
 * Tool settings of a tenant: names, schemas, endpoints, and secrets. The dashboard and the command line
 * use the same rules. run-tool.ts runs tools.
 */

import { type Author, OPERATOR, type VersionNote } from "../../core/author.ts";
import type { Clock } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { AppError, invalidField, notFound } from "../../core/errors.ts";
import { isSameServer, requireUrl, type UrlProblem } from "../../platform/net/tenant-url.ts";
import { toolSecretBinding } from "../../platform/secrets/secret-binding.ts";
import type { Quotas } from "../billing/quotas.ts";
import { checkToolFields } from "./tool-rules.ts";
import type { NewTool, ToolChanges, ToolFields } from "./tool-schema.ts";

export interface ToolRecord extends ToolFields {
  readonly id: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Implemented by store/agent/tool-store.ts. */
export interface ToolRecords {
  list(tenantId: number): Promise<ToolRecord[]>;
  find(tenantId: number, id: number): Promise<ToolRecord | undefined>;
  idOf(tenantId: number, name: string): Promise<number | null>;
  hasAgent(tenantId: number, agentId: number): Promise<boolean>;
  /** Inserts without a secret: it is sealed to the id, so the row must exist first. */
  insert(tenantId: number, tool: Omit<ToolRecord, "id">): Promise<ToolRecord>;
  setSecret(tenantId: number, id: number, sealed: string): Promise<void>;
  update(
    tenantId: number,
    id: number,
    changes: Partial<ToolFields> & { updatedAt: number },
  ): Promise<ToolRecord | undefined>;
  remove(tenantId: number, id: number): Promise<boolean>;
  /** Stores a version of every changed agent. */
  recordVersions(tenantId: number, note: VersionNote): Promise<void>;
}

interface ToolsDependencies {
  readonly database: Database;
  readonly records: (queries: Queries) => ToolRecords;
  readonly vault: { seal(plain: string, binding: string): string };
  readonly clock: Clock;
  readonly quotas: Quotas;
  readonly urlProblem: UrlProblem;
}

export class Tools {
  constructor(private readonly deps: ToolsDependencies) {}

  #check(fields: ToolChanges): void {
    checkToolFields(fields);
    requireUrl(this.deps.urlProblem, "url", fields.url);
  }

  async #checkAgent(store: ToolRecords, tenantId: number, agentId: number | null) {
    if (agentId !== null && !(await store.hasAgent(tenantId, agentId))) throw notFound("agent");
  }

  async #checkName(store: ToolRecords, tenantId: number, name: string, id: number | null) {
    const taken = await store.idOf(tenantId, name);
    if (taken !== null && taken !== id)
      throw new AppError({
        code: "conflict",
        reason: "tool_taken",
        publicMessage: `A tool named ${name} already exists. Choose another name, or change that tool.`,
        field: "name",
      });
  }

  list(tenantId: number) {
    return this.deps.records(this.deps.database.read).list(tenantId);
  }

  /** Throws not_found. */
  async get(tenantId: number, id: number): Promise<ToolRecord> {
    const tool = await this.deps.records(this.deps.database.read).find(tenantId, id);
    if (!tool) throw notFound("tool");
    return tool;
  }

  /** Throws valid_…_required, conflict (name), not_found (agent), plan_limit_reached. */
  create(tenantId: number, draft: NewTool, author: Author = OPERATOR): Promise<ToolRecord> {
    this.#check(draft);
    const { secret, ...fields } = draft;
    const now = this.deps.clock.now();
    return this.deps.database.tx(async (queries) => {
      const store = this.deps.records(queries);
      await this.#checkName(store, tenantId, draft.name, null);
      await this.#checkAgent(store, tenantId, draft.agentId);
      await this.deps.quotas.require(queries, tenantId, "tools", 1);
      const tool = await store.insert(tenantId, { ...fields, createdAt: now, updatedAt: now });
      await store.setSecret(
        tenantId,
        tool.id,
        this.deps.vault.seal(secret, toolSecretBinding(tool.id)),
      );
      await store.recordVersions(tenantId, { author, nowMs: now });
      return tool;
    });
  }

  /** Throws like `create`, and not_found. Live calls continue to use the previous version. */
  update(
    tenantId: number,
    id: number,
    changes: ToolChanges,
    author: Author = OPERATOR,
  ): Promise<ToolRecord> {
    this.#check(changes);
    const { secret, ...fields } = changes;
    return this.deps.database.tx(async (queries) => {
      const store = this.deps.records(queries);
      const before = await store.find(tenantId, id);
      if (!before) throw notFound("tool");
      if (secret === undefined && fields.url !== undefined && !isSameServer(before.url, fields.url))
        throw invalidField(
          "secret",
          "The stored secret is not sent to a new server. Enter it again.",
        );
      if (fields.name !== undefined) await this.#checkName(store, tenantId, fields.name, id);
      if (fields.agentId !== undefined) await this.#checkAgent(store, tenantId, fields.agentId);
      if (secret !== undefined)
        await store.setSecret(tenantId, id, this.deps.vault.seal(secret, toolSecretBinding(id)));
      const nowMs = this.deps.clock.now();
      const tool = await store.update(tenantId, id, { ...fields, updatedAt: nowMs });
      await store.recordVersions(tenantId, { author, nowMs });
      if (!tool) throw notFound("tool");
      return tool;
    });
  }

  /** Throws not_found. */
  async remove(tenantId: number, id: number, author: Author = OPERATOR): Promise<void> {
    const removed = await this.deps.database.tx(async (queries) => {
      const store = this.deps.records(queries);
      const removed = await store.remove(tenantId, id);
      await store.recordVersions(tenantId, { author, nowMs: this.deps.clock.now() });
      return removed;
    });
    if (!removed) throw notFound("tool");
  }
}
