/** Tables for agents, knowledge, tools and numbers. */
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import type { JsonObject } from "../../../core/json.ts";
import { AGENT_LANGUAGES } from "../../../domain/agent/agent.ts";
import { flag, id, json, time } from "./columns.ts";
import { tenants } from "./tenants.ts";

const tenantId = () =>
  integer("tenant_id")
    .notNull()
    .references(() => tenants.id);

export const agents = sqliteTable(
  "agents",
  {
    id: id(),
    tenantId: tenantId(),
    name: text("name").notNull(),
    prompt: text("prompt").notNull(),
    firstMessage: text("first_message").notNull(),
    firstSpeaker: text("first_speaker", { enum: ["assistant", "customer"] }).notNull(),
    /** As the tenant wrote it: one of the four voices, or an alias defined by the operator. */
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
  },
  (t) => [index("agents_tenant").on(t.tenantId)],
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
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
  },
  (t) => [index("files_tenant").on(t.tenantId)],
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

export const tools = sqliteTable(
  "tools",
  {
    id: id(),
    tenantId: tenantId(),
    /** Null: every agent of the tenant may use it. */
    agentId: integer("agent_id").references(() => agents.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    description: text("description").notNull(),
    url: text("url").notNull(),
    secretHeader: text("secret_header").notNull(),
    secretSealed: text("secret_sealed").notNull(),
    parameters: json<JsonObject>("parameters").notNull(),
    enabled: flag("enabled").notNull().default(true),
    /**
     * Required certainty about the caller: 0 anybody, 1 the number belongs to a contact, 2 a PIN
     * was also entered.
     */
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
  },
  (t) => [
    /** A number belongs to one tenant on the whole appliance (decisions.md 5). */
    uniqueIndex("phone_numbers_number").on(t.numberE164),
    index("phone_numbers_tenant").on(t.tenantId),
  ],
);
