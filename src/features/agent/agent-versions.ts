/** Versions of an agent: show, compare, republish; and its draft. */

import type { Author } from "../../core/author.ts";
import type { Clock } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { AppError, conflict, invalidField, notFound } from "../../core/errors.ts";
import type { Random } from "../../core/random.ts";
import { requireUrl, type UrlProblem } from "../../platform/net/tenant-url.ts";
import { toolSecretBinding } from "../../platform/secrets/secret-binding.ts";
import type { Vault } from "../../platform/secrets/vault.ts";
import type { Billing } from "../billing/billing.ts";
import type { Quotas } from "../billing/quotas.ts";
import { checkContent, formatOf } from "../knowledge/content.ts";
import { fileStore } from "../knowledge/file-store.ts";
import { storedText } from "../knowledge/files.ts";
import { type RunRecords, wasGreen } from "../rehearsal/rehearsals.ts";
import { checkToolFields } from "../tool/tool-rules.ts";
import type { AgentContent, VersionTool } from "./agent-content.ts";
import { agentHistoryStore } from "./agent-history-store.ts";
import { type PublishingNote, publishContent } from "./agent-publishing-store.ts";
import { agentRule } from "./agent-rule-store.ts";
import type { AgentFields, AgentRecord } from "./agent-schema.ts";
import { agentSources } from "./agent-source.ts";
import { agentStore } from "./agent-store.ts";
import { deleteUnusedTexts, storeCandidate } from "./agent-version-store.ts";
import { changedParts, compareContents, type PartDifference } from "./version-comparison.ts";

interface VersionDependencies {
  readonly database: Database;
  readonly billing: Pick<Billing, "planOf">;
  readonly quotas: Quotas;
  readonly vault: Pick<Vault, "seal" | "open">;
  readonly urlProblem: UrlProblem;
  /** Rehearsals of this node. */
  readonly rehearsals: Pick<RunRecords, "list">;
  readonly clock: Clock;
  readonly random: Random;
}

type Stored = NonNullable<Awaited<ReturnType<ReturnType<typeof agentHistoryStore>["find"]>>>;
export type AgentDraft = NonNullable<
  Awaited<ReturnType<ReturnType<typeof agentHistoryStore>["draft"]>>
>;
export interface VersionSummary extends Omit<Stored, "content"> {
  /** Names of the parts that differ from the previous version. */
  readonly changes: readonly string[];
  readonly published: boolean;
}
export interface VersionComparison {
  /** Version used as the base; null: it is no longer stored. */
  readonly from: number | null;
  readonly differences: readonly PartDifference[];
}
interface DraftChanges extends Partial<AgentFields> {
  readonly files?: readonly { readonly filename: string; readonly content: string }[];
  readonly tools?: readonly Omit<VersionTool, "shared">[];
}
export interface Published {
  readonly agent: AgentRecord;
  readonly notes: readonly PublishingNote[];
}

const SECRET_BYTES = 24;
/** Prefix of a generated secret, if nobody entered one. */
const NOT_ENTERED = "\0not entered:";

export type AgentVersions = ReturnType<typeof createAgentVersions>;

export function createAgentVersions(deps: VersionDependencies) {
  return {
    ...storedVersions(deps),
    ...comparisons(deps),
    ...agentSources(deps.database),
    ...publishingRule(deps),
    ...drafts(deps),
    ...publishing(deps),
  };
}

/** Throws not_found. */
async function agentOf(queries: Queries, tenantId: number, agentId: number): Promise<AgentRecord> {
  const agent = await agentStore(queries).find(tenantId, agentId);
  if (!agent) throw notFound("agent");
  return agent;
}

/** Throws not_found. */
async function versionOf(queries: Queries, tenantId: number, agentId: number, number: number) {
  const version = await agentHistoryStore(queries).find(tenantId, agentId, number);
  if (!version) throw notFound("version");
  return version;
}

function storedVersions({ database: { read } }: Pick<VersionDependencies, "database">) {
  return {
    /** Newest first. Throws not_found. */
    async list(tenantId: number, agentId: number, page: { limit: number; offset: number }) {
      const agent = await agentOf(read, tenantId, agentId);
      const more = { ...page, limit: page.limit + 1 };
      const rows = await agentHistoryStore(read).list(tenantId, agentId, more);
      return rows.slice(0, page.limit).map(({ content, ...row }, at): VersionSummary => {
        const before = rows[at + 1]?.content;
        const changes = before ? changedParts(before, content) : [];
        return { ...row, changes, published: row.number === agent.version };
      });
    },

    /** Throws not_found. */
    async get(tenantId: number, agentId: number, number: number) {
      const agent = await agentOf(read, tenantId, agentId);
      const version = await versionOf(read, tenantId, agentId, number);
      const before = await agentHistoryStore(read).find(tenantId, agentId, number - 1);
      const changes = before ? changedParts(before.content, version.content) : [];
      return { ...version, changes, published: number === agent.version };
    },

    /** Texts of a version's files, by hash. */
    texts: (tenantId: number, { files }: AgentContent) =>
      agentHistoryStore(read).texts(
        tenantId,
        files.map(({ sha256 }) => sha256),
      ),

    /** Null if the agent has no draft. Throws not_found. */
    async draft(tenantId: number, agentId: number): Promise<AgentDraft | null> {
      const draft = await agentHistoryStore(read).draft(tenantId, agentId);
      if (!draft) await agentOf(read, tenantId, agentId);
      return draft ?? null;
    },
  };
}

function comparisons({ database: { read } }: Pick<VersionDependencies, "database">) {
  /** Content of a version or of the draft. */
  async function contentOf(tenantId: number, agentId: number, which: number | "draft") {
    if (which !== "draft") return (await versionOf(read, tenantId, agentId, which)).content;
    const draft = await agentHistoryStore(read).draft(tenantId, agentId);
    if (!draft) throw notFound("draft");
    return draft.content;
  }

  return {
    /** `from` null: the published version. A deleted version counts as empty. Throws not_found. */
    async compare(
      tenantId: number,
      agentId: number,
      { from, to }: { readonly from: number | null; readonly to: number | "draft" },
    ): Promise<VersionComparison> {
      const agent = await agentOf(read, tenantId, agentId);
      const history = agentHistoryStore(read);
      const number = from ?? agent.version;
      const isGone = number < (await history.oldest(tenantId, agentId));
      const before = isGone ? null : await contentOf(tenantId, agentId, number);
      const after = await contentOf(tenantId, agentId, to);
      const hashes = [...(before?.files ?? []), ...after.files].map(({ sha256 }) => sha256);
      const texts = await history.texts(tenantId, hashes);
      const differences = await compareContents(before, after, (sha256) => texts.get(sha256));
      return { from: before ? number : null, differences };
    },
  };
}

/** The draft after a change. Files and the agent's own tools are replaced as a whole; shared tools stay. */
export function draftContent(before: AgentContent, changes: DraftChanges): AgentContent {
  const { files, tools, ...fields } = changes;
  const changed = { ...before, ...fields };
  const shared = before.tools.filter((tool) => tool.shared);
  return {
    ...changed,
    files:
      files?.map(({ filename, content }) => {
        const { sizeBytes, contentSha256: sha256 } = storedText(content);
        return { filename, format: formatOf(filename), sizeBytes, sha256 };
      }) ?? before.files,
    tools: tools ? [...tools.map((tool) => ({ ...tool, shared: false })), ...shared] : before.tools,
  };
}

function drafts({ database, urlProblem, clock }: VersionDependencies) {
  function check({ tools = [], webhookUrl, ...fields }: DraftChanges, content: AgentContent): void {
    requireUrl(urlProblem, "webhook_url", webhookUrl);
    for (const tool of tools) {
      checkToolFields(tool);
      requireUrl(urlProblem, "url", tool.url);
    }
    for (const file of fields.files ?? []) checkContent(formatOf(file.filename), file.content);
    if (content.transcriptEmailEnabled && content.transcriptEmail === null)
      throw invalidField(
        "transcript_email",
        "`transcript_email` must be set before `transcript_email_enabled` can be true.",
      );
  }

  return {
    /** Creates a draft from the published version if none exists. Throws not_found, valid_…_required. */
    changeDraft(tenantId: number, agentId: number, changes: DraftChanges, author: Author) {
      return database.tx(async (queries): Promise<AgentDraft> => {
        const history = agentHistoryStore(queries);
        const agent = await agentOf(queries, tenantId, agentId);
        const before =
          (await history.draft(tenantId, agentId)) ??
          (await versionOf(queries, tenantId, agentId, agent.version));
        const texts = (changes.files ?? []).map(({ content }) => storedText(content));
        const content = draftContent(before.content, changes);
        check(changes, content);
        for (const text of texts) await history.putText(tenantId, text.contentSha256, text.content);
        const baseVersion = "baseVersion" in before ? before.baseVersion : before.number;
        const draft = { baseVersion, author, updatedAt: clock.now(), content };
        await history.putDraft(tenantId, agentId, draft);
        if (texts.length > 0) await deleteUnusedTexts(queries, tenantId);
        const stored = await history.draft(tenantId, agentId);
        if (!stored) throw notFound("draft");
        return stored;
      });
    },

    /** Throws not_found. */
    discardDraft: (tenantId: number, agentId: number): Promise<void> =>
      database.tx(async (queries) => {
        const history = agentHistoryStore(queries);
        if (!(await history.draft(tenantId, agentId))) throw notFound("draft");
        await history.removeDraft(tenantId, agentId);
        await deleteUnusedTexts(queries, tenantId);
      }),
  };
}

function publishingRule({ database, clock, rehearsals }: VersionDependencies) {
  return {
    /** True if drafts need a passed rehearsal before publishing. Throws not_found. */
    async publishesRehearsed(tenantId: number, agentId: number): Promise<boolean> {
      await agentOf(database.read, tenantId, agentId);
      return await agentRule(database.read).isSet(agentId);
    },

    /** Creates no version. Throws not_found. */
    setPublishesRehearsed: (tenantId: number, agentId: number, isOn: boolean): Promise<void> =>
      database.tx(async (queries) => {
        await agentOf(queries, tenantId, agentId);
        await agentRule(queries).set(agentId, isOn);
      }),

    /**
     * Stores the draft as an unpublished version and returns its number. Throws not_found; conflict if a
     * required rehearsal is missing.
     */
    async storeDraft(
      queries: Queries,
      [tenantId, agentId]: readonly [number, number],
      author: Author,
    ): Promise<number> {
      const draft = await agentHistoryStore(queries).draft(tenantId, agentId);
      if (!draft) throw notFound("draft");
      await requireGreen(queries, rehearsals, [tenantId, agentId], draft.content);
      return await storeCandidate(queries, tenantId, agentId, { author, nowMs: clock.now() });
    },
  };
}

/** Returns a function that publishes a content within a transaction. */
function publisher({ billing, quotas, vault, clock, random }: VersionDependencies) {
  return async (
    queries: Queries,
    [tenantId, agentId]: readonly [number, number],
    content: AgentContent,
    note: { readonly author: Author; readonly restoredFrom: number | null },
  ): Promise<Published> => {
    const hashes = content.files.map(({ sha256 }) => sha256);
    const texts = await agentHistoryStore(queries).texts(tenantId, hashes);
    const nowMs = clock.now();
    const notes = await publishContent(queries, content, {
      tenantId,
      agentId,
      nowMs,
      textOf: (sha256) => texts.get(sha256) ?? missingText(),
      noSecret: (toolId) =>
        vault.seal(
          NOT_ENTERED + Buffer.from(random.bytes(SECRET_BYTES)).toString("hex"),
          toolSecretBinding(toolId),
        ),
      isSecret: (sealed, toolId) =>
        !vault.open(sealed, toolSecretBinding(toolId)).startsWith(NOT_ENTERED),
    });
    const { maxFiles, slug } = await billing.planOf(queries, tenantId);
    const { files, tools, ...fields } = content;
    if ((await fileStore(queries).count(tenantId)) > maxFiles)
      throw new AppError({
        code: "plan_limit_reached",
        publicMessage: `The plan ${slug} allows ${maxFiles} files. Delete one or change the plan.`,
      });
    await quotas.require(queries, tenantId, "knowledgeBytes", 0);
    await quotas.require(queries, tenantId, "tools", 0);
    const changes = { ...fields, updatedAt: nowMs };
    const agent = await agentStore(queries).update(tenantId, agentId, changes, { ...note, nowMs });
    if (!agent) throw notFound("agent");
    return { agent, notes };
  };
}

function publishing(deps: VersionDependencies) {
  const { database } = deps;
  const publish = publisher(deps);

  async function publishIn(
    queries: Queries,
    [tenantId, agentId]: readonly [number, number],
    number: number,
    author: Author,
  ): Promise<Published> {
    await agentOf(queries, tenantId, agentId);
    const { content } = await versionOf(queries, tenantId, agentId, number);
    const note = { author, restoredFrom: number };
    return await publish(queries, [tenantId, agentId], content, note);
  }

  return {
    /** Republishes an older version as a new one. Throws not_found, plan_limit_reached. */
    publishVersion: (tenantId: number, agentId: number, number: number, author: Author) =>
      database.tx((queries) => publishIn(queries, [tenantId, agentId], number, author)),

    publishIn,

    /** Throws not_found, plan_limit_reached; conflict (outdated, or a required rehearsal is missing). */
    publishDraft: (tenantId: number, agentId: number, force: boolean, author: Author) =>
      database.tx(async (queries) => {
        const { version } = await agentOf(queries, tenantId, agentId);
        const history = agentHistoryStore(queries);
        const draft = await history.draft(tenantId, agentId);
        if (!draft) throw notFound("draft");
        const { baseVersion, content } = draft;
        if (baseVersion !== version && !force) throw outdatedBase(baseVersion, version);
        await requireGreen(queries, deps.rehearsals, [tenantId, agentId], content);
        await history.removeDraft(tenantId, agentId);
        return await publish(queries, [tenantId, agentId], content, { author, restoredFrom: null });
      }),
  };
}

function missingText(): never {
  throw conflict("The text of a file of this version is not stored.");
}

/** Throws conflict if the agent needs a passed rehearsal and none exists. */
async function requireGreen(
  queries: Queries,
  rehearsals: VersionDependencies["rehearsals"],
  [tenantId, agentId]: readonly [number, number],
  content: AgentContent,
): Promise<void> {
  if (!(await agentRule(queries).isSet(agentId))) return;
  const isGreen = wasGreen(rehearsals.list(tenantId), agentId, content);
  if (isGreen) return;
  throw new AppError({
    code: "conflict",
    reason: isGreen === null ? "not_rehearsed" : "rehearsal_failed",
    publicMessage:
      isGreen === null
        ? "This agent requires a passed rehearsal before publishing. Rehearse the current draft, then publish it."
        : "This agent requires a passed rehearsal before publishing, and the last rehearsal of this draft failed. Change the draft or rehearse it again.",
  });
}

const outdatedBase = (base: number, published: number) =>
  conflict(
    `Version ${published} was published after this draft was created from version ${base}. Compare them, then publish with force.`,
  );
