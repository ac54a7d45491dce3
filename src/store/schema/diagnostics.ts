/** Tables for a call's diagnostics (signalling, quality, waveform) and for tenants' disclosures. */
import { integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { QualitySample, SipTraceEntry } from "../../call/diagnostics.ts";
import type { PacketHeaders } from "../../core/packet-headers.ts";
import { AGENT_LANGUAGES } from "../../features/agent/agent.ts";
import { callId } from "./calls.ts";
import { json, time } from "./columns.ts";
import { tenantId } from "./tenants.ts";

/** `records` is base64. */
type StoredPacketHeaders = Omit<PacketHeaders, "records"> & { readonly records: string };

/** One row per call, written at its end. Both lists are bounded (call/diagnostics.ts). */
export const callDiagnostics = sqliteTable("call_evidence", {
  callId: callId().primaryKey(),
  tenantId: tenantId(),
  /** SIP messages without numbers, addresses and secrets. */
  sip: json<readonly SipTraceEntry[]>("sip").notNull(),
  /** RTP statistics every few seconds. */
  quality: json<readonly QualitySample[]>("quality").notNull(),
  /** At most 134 KB; null if they were not kept. */
  packetHeaders: json<StoredPacketHeaders>("packet_headers"),
});

/**
 * Waveform of a recording. A trigger (migration 0010) deletes it in the statement that removes the
 * recording's file from its call. So it never outlives the recording.
 */
export const callPeaks = sqliteTable("call_peaks", {
  callId: callId().primaryKey(),
  tenantId: tenantId(),
  durationMs: integer("duration_ms").notNull(),
  slotsPerSecond: real("slots_per_second").notNull(),
  /** Base64 of signed bytes: lowest and highest value per slot. */
  left: text("left_peaks").notNull(),
  right: text("right_peaks").notNull(),
  createdAt: time("created_at").notNull(),
});

/** A tenant's disclosure sentence, instead of the operator's. */
export const tenantDisclosures = sqliteTable(
  "tenant_disclosures",
  {
    tenantId: tenantId(),
    language: text("language", { enum: AGENT_LANGUAGES }).notNull(),
    text: text("text").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.language] })],
);
