/** What must leave the appliance: webhook events and mail, stored with the change they report. */
import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import type { RecordingWords } from "../../../domain/mail/ports.ts";
import { flag, id, json, time } from "./columns.ts";
import { tenants } from "./tenants.ts";

const tenantId = () =>
  integer("tenant_id")
    .notNull()
    .references(() => tenants.id);

export const webhooks = sqliteTable(
  "webhooks",
  {
    id: id(),
    tenantId: tenantId(),
    url: text("url").notNull(),
    events: json<string[]>("events").notNull(),
    secretSealed: text("secret_sealed").notNull(),
    enabled: flag("enabled").notNull(),
    /** Since when every delivery failed; null while the last one succeeded. */
    failingSince: time("failing_since"),
    disabledReason: text("disabled_reason"),
    createdAt: time("created_at").notNull(),
  },
  (t) => [index("webhooks_tenant").on(t.tenantId)],
);

/** Agents' legacy webhook_urls that are failing or were switched off; one that works has no row. */
export const legacyEndpoints = sqliteTable(
  "legacy_endpoints",
  {
    tenantId: tenantId(),
    url: text("url").notNull(),
    failingSince: time("failing_since").notNull(),
    /** Not null: nothing is sent there until an agent is given the URL anew. */
    disabledReason: text("disabled_reason"),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.url] })],
);

/** One event as it happened; the body is what every subscriber gets, byte for byte. */
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

/** One subscriber's copy of an event: the thing that is claimed, attempted and retried. */
export const outbox = sqliteTable(
  "outbox",
  {
    id: id(),
    tenantId: tenantId(),
    eventId: text("event_id")
      .notNull()
      .references(() => events.id, { onDelete: "cascade" }),
    /** null: the agent's legacy webhook_url. */
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
    // What waits for one endpoint, oldest first: the claim asks endpoint by endpoint.
    index("outbox_ready_webhook")
      .on(t.webhookId, t.nextAttemptAt)
      .where(sql`status = 'pending' AND webhook_id IS NOT NULL`),
    index("outbox_ready_legacy")
      .on(t.legacyUrl, t.nextAttemptAt)
      .where(sql`status = 'pending' AND legacy_url IS NOT NULL`),
  ],
);

/** The delivery log: one row an attempt, never the payload. */
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
    /** Makes it happen once: `transcript:<call uuid>`. */
    key: text("key").notNull(),
    callUuid: text("call_uuid"),
    recipient: text("recipient").notNull(),
    subject: text("subject").notNull(),
    body: text("body").notNull(),
    /** Recording to attach, relative to the recordings directory; deleted after hand-over. */
    attachment: text("attachment"),
    /** How the recording goes; `attachment` is null where it is not attached. */
    recordingForm: text("recording_form", { enum: ["attached", "linked", "unreachable"] })
      .notNull()
      .default("attached"),
    /** Last words of the text, by what becomes of the recording; null: they stand in the body. */
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

/** Replayed answers of POST requests (Idempotency-Key, 24 h). */
export const idempotency = sqliteTable(
  "idempotency",
  {
    id: id(),
    tenantId: tenantId(),
    key: text("key").notNull(),
    method: text("method").notNull(),
    path: text("path").notNull(),
    bodyHash: text("body_hash").notNull(),
    /** null: the first request is still running. */
    status: integer("status"),
    response: text("response"),
    createdAt: time("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("idempotency_key").on(t.tenantId, t.key),
    index("idempotency_age").on(t.createdAt),
  ],
);

/** Requests of the last minute, by key: the limit that nodes on one store share. */
export const rateRequests = sqliteTable(
  "rate_requests",
  {
    id: id(),
    keyId: integer("key_id").notNull(),
    at: time("at").notNull(),
  },
  (t) => [index("rate_requests_key").on(t.keyId, t.at)],
);
