/** Tables for agents and their versions, knowledge, tools and numbers. */

import { sql } from "drizzle-orm";
import {
  customType,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import type { JsonObject } from "../../core/json.ts";
import { AGENT_LANGUAGES } from "../../features/agent/agent.ts";
import { type AgentContent, contentOf } from "../../features/agent/agent-content.ts";
import type { SiteProblem } from "../../features/knowledge/site-problems.ts";
import type { StoredPage } from "../../features/knowledge/sites.ts";
import { flag, id, json, time } from "./columns.ts";
import { tenantId } from "./tenants.ts";

/** Content with defaults for fields newer than the row. */
const agentContent = customType<{ data: AgentContent; driverData: string }>({
  dataType: () => "text",
  toDriver: (content) => JSON.stringify(content),
  fromDriver: (stored) => contentOf(JSON.parse(stored)),
});

export const agents = sqliteTable(
  "agents",
  {
    id: id(),
    tenantId: tenantId(),
    name: text("name").notNull(),
    prompt: text("prompt").notNull(),
    firstMessage: text("first_message").notNull(),
    firstSpeaker: text("first_speaker", { enum: ["assistant", "customer"] }).notNull(),
    /** The tenant's input: one of the four voices, or an alias defined by the operator. */
    voice: text("voice").notNull(),
    language: text("language", { enum: AGENT_LANGUAGES }).notNull(),
    maxDurationSeconds: integer("max_duration_sec").notNull(),
    voicemailAction: text("voicemail_action", { enum: ["leave_message", "hangup"] }).notNull(),
    /** Whether the agent may also press keys on inbound calls. */
    sendDigitsInbound: flag("send_digits_inbound").notNull().default(false),
    fillerPhrases: text("filler_phrases").notNull(),
    webhookUrl: text("webhook_url"),
    transcriptEmail: text("transcript_email"),
    transcriptEmailEnabled: flag("transcript_email_enabled").notNull(),
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
    /** Number of the published version; 0: none is stored. */
    version: integer("version").notNull().default(0),
    /** True if drafts are published only after a passed rehearsal. Not part of a version. */
    publishesRehearsed: flag("publishes_rehearsed").notNull().default(false),
  },
  (t) => [
    index("agents_tenant").on(t.tenantId),
    // Empty once every agent has its first version.
    index("agents_unversioned").on(t.tenantId).where(sql`version = 0`),
  ],
);

/** Immutable rows. agent-version-store.ts adds them with every change of an agent, its tools or files. */
export const agentVersions = sqliteTable(
  "agent_versions",
  {
    id: id(),
    tenantId: tenantId(),
    agentId: integer("agent_id")
      .notNull()
      .references(() => agents.id, { onDelete: "cascade" }),
    number: integer("number").notNull(),
    /** `candidate`: stored for a split test; differs from the agent's record. */
    kind: text("kind", { enum: ["published", "candidate"] }).notNull(),
    /** `key:7`, `member:3`, `operator`, `upgrade` (core/author.ts). */
    author: text("author").notNull(),
    /** Number of the older version to which this one returned; null if none. */
    restoredFrom: integer("restored_from"),
    createdAt: time("created_at").notNull(),
    content: agentContent("content").notNull(),
  },
  (t) => [uniqueIndex("agent_versions_number").on(t.agentId, t.number)],
);

/** The file texts of a version. */
export const agentVersionFiles = sqliteTable(
  "agent_version_files",
  {
    versionId: integer("version_id")
      .notNull()
      .references(() => agentVersions.id, { onDelete: "cascade" }),
    sha256: text("sha256").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.versionId, t.sha256] }),
    index("agent_version_files_text").on(t.sha256),
  ],
);

/** File texts of all versions and drafts, each text of a tenant once. */
export const versionTexts = sqliteTable(
  "version_texts",
  {
    tenantId: tenantId(),
    sha256: text("sha256").notNull(),
    content: text("content").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.sha256] })],
);

/** At most one draft per agent. */
export const agentDrafts = sqliteTable(
  "agent_drafts",
  {
    agentId: integer("agent_id")
      .primaryKey()
      .references(() => agents.id, { onDelete: "cascade" }),
    tenantId: tenantId(),
    /** The version it was copied from. */
    baseVersion: integer("base_version").notNull(),
    author: text("author").notNull(),
    updatedAt: time("updated_at").notNull(),
    content: agentContent("content").notNull(),
  },
  (t) => [index("agent_drafts_tenant").on(t.tenantId)],
);

/** Split tests between two versions; at most one per agent is open. */
export const agentSplits = sqliteTable(
  "agent_splits",
  {
    id: id(),
    tenantId: tenantId(),
    agentId: integer("agent_id")
      .notNull()
      .references(() => agents.id, { onDelete: "cascade" }),
    /** The published version. */
    versionA: integer("version_a").notNull(),
    versionB: integer("version_b").notNull(),
    /** Percentage of callers that get `versionB`. */
    percentB: integer("percent_b").notNull(),
    startedAt: time("started_at").notNull(),
    endedAt: time("ended_at"),
  },
  (t) => [
    index("agent_splits_agent").on(t.agentId, t.startedAt),
    uniqueIndex("agent_splits_open").on(t.agentId).where(sql`ended_at IS NULL`),
  ],
);

/** Rehearsal scenarios of an agent. Not part of a version. */
export const agentScenarios = sqliteTable(
  "agent_scenarios",
  {
    id: id(),
    tenantId: tenantId(),
    agentId: integer("agent_id")
      .notNull()
      .references(() => agents.id, { onDelete: "cascade" }),
    /** The name from the YAML. */
    name: text("name").notNull(),
    yaml: text("yaml").notNull(),
    /** The call that it was made of; null: none. It is deleted with that call's transcript. */
    callUuid: text("call_uuid"),
    updatedAt: time("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("agent_scenarios_name").on(t.agentId, t.name),
    index("agent_scenarios_tenant").on(t.tenantId),
    index("agent_scenarios_call").on(t.callUuid).where(sql`call_uuid IS NOT NULL`),
  ],
);

export const files = sqliteTable(
  "files",
  {
    id: id(),
    tenantId: tenantId(),
    filename: text("filename").notNull(),
    format: text("format", { enum: ["txt", "md", "csv", "json"] }).notNull(),
    content: text("content").notNull(),
    sizeBytes: integer("size_bytes").notNull(),
    /** Hash of the content; null: stored before versions existed. */
    contentSha256: text("content_sha256"),
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
  },
  (t) => [
    // Contains all columns except the text, so that lists need not read it: a row's last columns follow its
    // text.
    index("files_listed").on(
      t.tenantId,
      t.id,
      t.filename,
      t.format,
      t.sizeBytes,
      t.createdAt,
      t.updatedAt,
      t.contentSha256,
    ),
    index("files_unversioned").on(t.tenantId).where(sql`content_sha256 IS NULL`),
  ],
);

export const agentFiles = sqliteTable(
  "agent_files",
  {
    agentId: integer("agent_id")
      .notNull()
      .references(() => agents.id, { onDelete: "cascade" }),
    fileId: integer("file_id")
      .notNull()
      .references(() => files.id, { onDelete: "cascade" }),
  },
  (t) => [primaryKey({ columns: [t.agentId, t.fileId] }), index("agent_files_file").on(t.fileId)],
);

/** Web sites whose pages are stored as files. */
export const knowledgeSites = sqliteTable(
  "knowledge_sites",
  {
    id: id(),
    tenantId: tenantId(),
    url: text("url").notNull(),
    depthMax: integer("depth_max").notNull(),
    pagesMax: integer("pages_max").notNull(),
    /** Hours between crawls; 0: only on request. */
    everyHours: integer("every_hours").notNull(),
    agentId: integer("agent_id").references(() => agents.id, { onDelete: "set null" }),
    fileIds: json<readonly number[]>("file_ids").notNull(),
    pages: json<readonly StoredPage[]>("pages").notNull(),
    problems: json<readonly SiteProblem[]>("problem"),
    readAt: time("read_at"),
    dueAt: time("due_at"),
    readingUntil: time("reading_until"),
  },
  (t) => [index("knowledge_sites_tenant").on(t.tenantId), index("knowledge_sites_due").on(t.dueAt)],
);

export const tools = sqliteTable(
  "tools",
  {
    id: id(),
    tenantId: tenantId(),
    /** Null: all agents of the tenant may use it. */
    agentId: integer("agent_id").references(() => agents.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    description: text("description").notNull(),
    url: text("url").notNull(),
    secretHeader: text("secret_header").notNull(),
    secretSealed: text("secret_sealed").notNull(),
    parameters: json<JsonObject>("parameters").notNull(),
    enabled: flag("enabled").notNull().default(true),
    /** Required certainty about the caller. 0: anybody; 1: the number of a contact; 2: also a correct PIN. */
    callerLevel: integer("caller_level").$type<0 | 1 | 2>().notNull().default(0),
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
  },
  (t) => [uniqueIndex("tools_name").on(t.tenantId, t.name)],
);

export const phoneNumbers = sqliteTable(
  "phone_numbers",
  {
    id: id(),
    tenantId: tenantId(),
    numberE164: text("number_e164").notNull(),
    label: text("label"),
    agentId: integer("agent_id").references(() => agents.id, { onDelete: "set null" }),
    inboundEnabled: flag("inbound_enabled").notNull(),
    createdAt: time("created_at").notNull(),
    /** Time of the first call over the tenant's trunk, or of the operator's confirmation; null: only claimed. */
    confirmedAt: time("confirmed_at"),
  },
  (t) => [
    /** A confirmed number belongs to one tenant on the whole appliance (decisions 5). */
    uniqueIndex("phone_numbers_confirmed").on(t.numberE164).where(sql`confirmed_at IS NOT NULL`),
    index("phone_numbers_number").on(t.numberE164),
    uniqueIndex("phone_numbers_tenant").on(t.tenantId, t.numberE164),
  ],
);
