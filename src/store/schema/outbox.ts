/** Tables for webhook events and email, stored with the change that they report. */
import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import type { RecordingWords } from "../../features/mail/ports.ts";
import { flag, id, json, time } from "./columns.ts";
import { tenantId } from "./tenants.ts";

export const webhooks = sqliteTable(
  "webhooks",
  {
    id: id(),
    tenantId: tenantId(),
    url: text("url").notNull(),
    events: json<string[]>("events").notNull(),
    secretSealed: text("secret_sealed").notNull(),
    enabled: flag("enabled").notNull(),
    /** Start of the current series of failures; null if the last delivery succeeded. */
    failingSince: time("failing_since"),
    disabledReason: text("disabled_reason"),
    createdAt: time("created_at").notNull(),
  },
  (t) => [index("webhooks_tenant").on(t.tenantId)],
);

/** Agents' legacy webhook_urls that are failing or disabled; a working one has no row. */
export const legacyEndpoints = sqliteTable(
  "legacy_endpoints",
  {
    tenantId: tenantId(),
    url: text("url").notNull(),
    failingSince: time("failing_since").notNull(),
    /** Set: nothing is sent until the URL is set for an agent again. */
    disabledReason: text("disabled_reason"),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.url] })],
);

/** One event. Every subscriber gets the same bytes. */
export const events = sqliteTable(
  "events",
  {
    /** `evt_…` */
    id: text("id").primaryKey(),
    tenantId: tenantId(),
    type: text("type").notNull(),
    callUuid: text("call_uuid"),
    body: text("body").notNull(),
    createdAt: time("created_at").notNull(),
  },
  (t) => [
    index("events_tenant").on(t.tenantId, t.createdAt),
    index("events_call").on(t.callUuid),
    index("events_age").on(t.createdAt),
  ],
);

/** One subscriber's copy of an event, with its attempts. */
export const outbox = sqliteTable(
  "outbox",
  {
    id: id(),
    tenantId: tenantId(),
    eventId: text("event_id")
      .notNull()
      .references(() => events.id, { onDelete: "cascade" }),
    /** Null for the agent's legacy webhook_url. */
    webhookId: integer("webhook_id").references(() => webhooks.id, { onDelete: "cascade" }),
    legacyUrl: text("legacy_url"),
    status: text("status", { enum: ["pending", "delivered", "failed"] }).notNull(),
    attempts: integer("attempts").notNull(),
    nextAttemptAt: time("next_attempt_at"),
    leaseOwner: text("lease_owner"),
    leaseUntil: time("lease_until"),
    createdAt: time("created_at").notNull(),
  },
  (t) => [
    index("outbox_due").on(t.status, t.nextAttemptAt),
    index("outbox_webhook").on(t.webhookId),
    index("outbox_event").on(t.eventId),
    // Pending deliveries per endpoint, oldest first: the claim queries each endpoint.
    index("outbox_ready_webhook")
      .on(t.webhookId, t.nextAttemptAt)
      .where(sql`status = 'pending' AND webhook_id IS NOT NULL`),
    // Counted on pages. Partial, because most stored rows are delivered.
    index("outbox_failed_webhook")
      .on(t.webhookId)
      .where(sql`status = 'failed' AND webhook_id IS NOT NULL`),
    index("outbox_ready_legacy")
      .on(t.legacyUrl, t.nextAttemptAt)
      .where(sql`status = 'pending' AND legacy_url IS NOT NULL`),
  ],
);

/** The delivery log: one row per attempt, never the payload. */
export const deliveries = sqliteTable(
  "deliveries",
  {
    /** `del_…` */
    id: text("id").primaryKey(),
    tenantId: tenantId(),
    outboxId: integer("outbox_id").references(() => outbox.id, { onDelete: "cascade" }),
    webhookId: integer("webhook_id").references(() => webhooks.id, { onDelete: "cascade" }),
    eventId: text("event_id").notNull(),
    type: text("type").notNull(),
    attempt: integer("attempt").notNull(),
    status: text("status", { enum: ["delivered", "failed"] }).notNull(),
    httpStatus: integer("http_status"),
    durationMs: integer("duration_ms").notNull(),
    error: text("error"),
    createdAt: time("created_at").notNull(),
    nextAttemptAt: time("next_attempt_at"),
  },
  (t) => [
    index("deliveries_webhook").on(t.webhookId, t.createdAt),
    index("deliveries_outbox").on(t.outboxId),
    index("deliveries_age").on(t.createdAt),
  ],
);

export const mails = sqliteTable(
  "mails",
  {
    id: id(),
    tenantId: tenantId(),
    /** Idempotency key: `transcript:<call uuid>`. */
    key: text("key").notNull(),
    callUuid: text("call_uuid"),
    recipient: text("recipient").notNull(),
    subject: text("subject").notNull(),
    body: text("body").notNull(),
    /** Recording to attach, relative to the recordings directory; deleted after sending. */
    attachment: text("attachment"),
    /** How the recording is sent; `attachment` is null if it is not attached. */
    recordingForm: text("recording_form", { enum: ["attached", "linked", "unreachable"] })
      .notNull()
      .default("attached"),
    /** Closing texts for each way to send the recording; null if the body contains everything. */
    recordingWords: json<RecordingWords>("recording_words"),
    status: text("status", { enum: ["pending", "sent", "dead"] }).notNull(),
    attempts: integer("attempts").notNull(),
    nextAttemptAt: time("next_attempt_at"),
    leaseOwner: text("lease_owner"),
    leaseUntil: time("lease_until"),
    lastError: text("last_error"),
    createdAt: time("created_at").notNull(),
    sentAt: time("sent_at"),
  },
  (t) => [
    uniqueIndex("mails_key").on(t.key),
    index("mails_due").on(t.status, t.nextAttemptAt),
    index("mails_age").on(t.createdAt),
  ],
);

/** Stored responses to POST requests (Idempotency-Key, 24 h). */
export const idempotency = sqliteTable(
  "idempotency",
  {
    id: id(),
    tenantId: tenantId(),
    key: text("key").notNull(),
    method: text("method").notNull(),
    path: text("path").notNull(),
    bodyHash: text("body_hash").notNull(),
    /** Null while the first request is running. */
    status: integer("status"),
    response: text("response"),
    createdAt: time("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("idempotency_key").on(t.tenantId, t.key),
    index("idempotency_age").on(t.createdAt),
  ],
);

/**
 * Requests of the last minute, by key, for the limit shared by the nodes of one store. A future time marks a
 * reservation: the node may use it until then.
 */
export const rateRequests = sqliteTable(
  "rate_requests",
  {
    id: id(),
    keyId: integer("key_id").notNull(),
    at: time("at").notNull(),
    count: integer("count").notNull().default(1),
  },
  (t) => [index("rate_requests_key").on(t.keyId, t.at)],
);
