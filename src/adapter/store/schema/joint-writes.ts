/**
 * Views that are only written to: a trigger (migration 0015) makes of one row what would be several
 * statements, so that a call asks the database less often. Not among the tables of `index.ts`:
 * drizzle-kit would create them as tables.
 */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Stores an event, and a delivery of it to every enabled webhook that selected its type. Migration 0024: to
 * read an event out of JSON takes as long as to store it.
 */
export const eventReports = sqliteTable("event_reports", {
  tenantId: integer("tenant_id").notNull(),
  id: text("id").notNull(),
  type: text("type").notNull(),
  callUuid: text("call_uuid"),
  body: text("body").notNull(),
  createdAt: integer("created_at").notNull(),
});

/** The same for several events of one transaction. */
export const reportedEvents = sqliteTable("reported_events", {
  tenantId: integer("tenant_id").notNull(),
  /** JSON: their ids, types, calls, bodies and times, in order. */
  events: text("events").notNull(),
});

/**
 * Releases a call's hold, posts its charge with its entries, and counts it into wallet and plan month.
 * Fails if the key was posted before.
 */
export const settlements = sqliteTable("settlements", {
  tenantId: integer("tenant_id").notNull(),
  callUuid: text("call_uuid").notNull(),
  month: text("month").notNull(),
  includedSeconds: integer("included_seconds").notNull(),
  key: text("key").notNull(),
  note: text("note").notNull(),
  createdAt: integer("created_at").notNull(),
  /** JSON: accounts and amounts, in order. */
  entries: text("entries").notNull(),
});

/** Changes a call's recording, and stores its waveform. Can be read, too: one row a call. */
export const encodedRecordings = sqliteTable("encoded_recordings", {
  callUuid: text("call_uuid").notNull(),
  tenantId: integer("tenant_id").notNull(),
  agentId: integer("agent_id"),
  recordingStatus: text("recording_status").notNull(),
  recordingFile: text("recording_file"),
  /** JSON, columns of `call_peaks`; null: there is none. */
  peaks: text("peaks"),
});
