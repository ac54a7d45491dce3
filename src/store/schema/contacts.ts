/** Tables for contacts, memories of calls, features and campaigns. */
import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { agents } from "./agents.ts";
import { flag, id, json, time } from "./columns.ts";
import { tenantId, tenants } from "./tenants.ts";

export const contacts = sqliteTable(
  "contacts",
  {
    id: id(),
    tenantId: tenantId(),
    numberE164: text("number_e164").notNull(),
    firstName: text("first_name").notNull().default(""),
    lastName: text("last_name").notNull().default(""),
    /** Form of address if the language's rules give a wrong one; null: by the rules. */
    vocative: text("vocative"),
    /** `1980-02-29`, or `--02-29` without a year; null: unknown. */
    birthday: text("birthday"),
    /** Null: the agent's language. */
    language: text("language", { enum: ["lt", "lv", "en", "ru"] }),
    notes: text("notes").notNull().default(""),
    /** Consent to birthday and campaign calls. */
    consent: flag("consent").notNull().default(false),
    doNotCall: flag("do_not_call").notNull().default(false),
    /** Argon2id of the telephone PIN, PHC string; null: no PIN. */
    pinHash: text("pin_hash"),
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
  },
  (t) => [
    index("contacts_number").on(t.tenantId, t.numberE164),
    index("contacts_name").on(t.tenantId, t.lastName, t.firstName, t.id),
    index("contacts_birthday").on(t.tenantId, t.birthday),
  ],
);

/** The purpose of an outbound call; no row if none was given. Deleted with the call's memory. */
export const callPurposes = sqliteTable("call_purposes", {
  callUuid: text("call_uuid").primaryKey(),
  tenantId: tenantId(),
  reason: text("reason").notNull(),
  sensitive: flag("sensitive").notNull().default(false),
  origin: text("origin", { enum: ["api", "birthday", "campaign"] }).notNull(),
  createdAt: time("created_at").notNull(),
});

/** Topics and results of outbound attempts. The agent uses them when the person calls back. */
export const callMemories = sqliteTable(
  "call_memories",
  {
    id: id(),
    tenantId: tenantId(),
    numberE164: text("number_e164").notNull(),
    callUuid: text("call_uuid").notNull(),
    /** Topic of the call. */
    reason: text("reason").notNull(),
    /** The result, in words. */
    outcome: text("outcome").notNull(),
    /** Promise of the agent; empty: none. */
    promise: text("promise").notNull().default(""),
    /** Mentioned only to a caller with verified identity. */
    sensitive: flag("sensitive").notNull().default(false),
    attemptedAt: time("attempted_at").notNull(),
  },
  (t) => [
    uniqueIndex("call_memories_call").on(t.callUuid),
    index("call_memories_number").on(t.tenantId, t.numberE164, t.attemptedAt),
    index("call_memories_age").on(t.attemptedAt),
  ],
);

/** PIN attempts, for the lock-out and for the record. */
export const pinAttempts = sqliteTable(
  "pin_attempts",
  {
    id: id(),
    tenantId: tenantId(),
    numberE164: text("number_e164").notNull(),
    callUuid: text("call_uuid").notNull(),
    ok: flag("ok").notNull(),
    attemptedAt: time("attempted_at").notNull(),
  },
  (t) => [index("pin_attempts_number").on(t.tenantId, t.numberE164, t.attemptedAt)],
);

/** A tenant's feature settings. One row per tenant; no row: the defaults. */
export const featureSettings = sqliteTable("feature_settings", {
  tenantId: integer("tenant_id")
    .primaryKey()
    .references(() => tenants.id),
  /** Calling hours: minutes after midnight in the tenant's zone. */
  callingFrom: integer("calling_from").notNull().default(600),
  callingTo: integer("calling_to").notNull().default(1080),
  /** Country code of the public holidays without calls, such as LT; null: none. */
  holidays: text("holidays"),
  birthdayAgentId: integer("birthday_agent_id").references(() => agents.id, {
    onDelete: "set null",
  }),
  crmUrl: text("crm_url"),
  crmSecretSealed: text("crm_secret_sealed"),
  /** Maps our fields to the CRM's. */
  crmMapping: json<Record<string, string>>("crm_mapping"),
  updatedAt: time("updated_at").notNull(),
});

/** At most one row per contact and year. */
export const birthdayCalls = sqliteTable(
  "birthday_calls",
  {
    id: id(),
    tenantId: tenantId(),
    contactId: integer("contact_id")
      .notNull()
      .references(() => contacts.id, { onDelete: "cascade" }),
    year: integer("year").notNull(),
    attempts: integer("attempts").notNull().default(0),
    callUuid: text("call_uuid"),
    state: text("state", { enum: ["scheduled", "done", "given_up"] }).notNull(),
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("birthday_calls_once").on(t.contactId, t.year),
    index("birthday_calls_call").on(t.callUuid),
    index("birthday_calls_state").on(t.state, t.updatedAt),
  ],
);

/** The CRM's last data about a number, used if the CRM does not respond in time. */
export const crmCache = sqliteTable(
  "crm_cache",
  {
    id: id(),
    tenantId: tenantId(),
    numberE164: text("number_e164").notNull(),
    answer: json<Record<string, string>>("answer").notNull(),
    fetchedAt: time("fetched_at").notNull(),
  },
  (t) => [
    uniqueIndex("crm_cache_number").on(t.tenantId, t.numberE164),
    index("crm_cache_age").on(t.fetchedAt),
  ],
);

/** Results queued for a CRM. All attempts for a call have the same key. */
export const crmPosts = sqliteTable(
  "crm_posts",
  {
    id: id(),
    tenantId: tenantId(),
    callUuid: text("call_uuid").notNull(),
    body: text("body").notNull(),
    status: text("status", { enum: ["pending", "delivered", "failed"] }).notNull(),
    attempts: integer("attempts").notNull().default(0),
    nextAttemptAt: time("next_attempt_at").notNull(),
    leasedBy: text("leased_by"),
    leasedUntil: time("leased_until"),
    lastHttpStatus: integer("last_http_status"),
    lastError: text("last_error"),
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("crm_posts_call").on(t.callUuid),
    index("crm_posts_due").on(t.status, t.nextAttemptAt),
    index("crm_posts_tenant").on(t.tenantId, t.id),
  ],
);

export const campaigns = sqliteTable(
  "campaigns",
  {
    id: id(),
    tenantId: tenantId(),
    name: text("name").notNull(),
    agentId: integer("agent_id").references(() => agents.id, { onDelete: "set null" }),
    fromNumber: text("from_number"),
    status: text("status", {
      enum: ["draft", "running", "paused", "stopped_by_breaker", "finished", "cancelled"],
    }).notNull(),
    callingFrom: integer("calling_from").notNull(),
    callingTo: integer("calling_to").notNull(),
    concurrencyMax: integer("concurrency_max").notNull(),
    attemptsMax: integer("attempts_max").notNull(),
    retryAfterMin: integer("retry_after_min").notNull(),
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
  },
  (t) => [index("campaigns_status").on(t.status, t.id), index("campaigns_tenant").on(t.tenantId)],
);

export const campaignTargets = sqliteTable(
  "campaign_targets",
  {
    id: id(),
    tenantId: tenantId(),
    campaignId: integer("campaign_id")
      .notNull()
      .references(() => campaigns.id, { onDelete: "cascade" }),
    numberE164: text("number_e164").notNull(),
    variables: json<Record<string, string>>("variables").notNull(),
    status: text("status", {
      enum: ["waiting", "calling", "done", "failed", "skipped"],
    }).notNull(),
    attempts: integer("attempts").notNull().default(0),
    notBefore: time("not_before").notNull(),
    callUuid: text("call_uuid"),
    outcome: text("outcome"),
    updatedAt: time("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("campaign_targets_once").on(t.campaignId, t.numberE164),
    index("campaign_targets_due").on(t.campaignId, t.status, t.notBefore),
    // For pages of the list in the file's order: every index ends with the row id.
    index("campaign_targets_listed").on(t.campaignId),
    index("campaign_targets_listed_state").on(t.campaignId, t.status),
    // The newest results, for the circuit breaker.
    index("campaign_targets_results").on(t.campaignId, t.updatedAt),
    index("campaign_targets_call").on(t.callUuid),
    // Queried in every round; contains only numbers in a call.
    index("campaign_targets_calling").on(t.callUuid).where(sql`status = 'calling'`),
  ],
);
