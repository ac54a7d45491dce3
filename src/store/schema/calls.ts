/** Calls, their turns and tool calls, and schedules. */

import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { RECORDING_STATUSES } from "../../call/stores.ts";
import type { TurnMeasures } from "../../conversation/call-report.ts";
import { CALL_STATUSES, ENDED_REASONS } from "../../core/ended-reason.ts";
import type { JsonObject } from "../../core/json.ts";
import { microEur } from "../../core/money.ts";
import type { TurnSource } from "../../features/knowledge/turn-knowledge.ts";
import { flag, id, json, money, time } from "./columns.ts";
import { tenantId } from "./tenants.ts";

export const calls = sqliteTable(
  "calls",
  {
    id: id(),
    callUuid: text("call_uuid").notNull(),
    tenantId: tenantId(),
    /** No foreign key: a call keeps the id of its agent after the agent is deleted. */
    agentId: integer("agent_id"),
    /** The version of the agent that ran; null if none was stored. */
    agentVersion: integer("agent_version"),
    scheduleId: integer("schedule_id"),
    direction: text("direction", { enum: ["inbound", "outbound"] }).notNull(),
    /** E.164, or as received if the carrier sent something else; empty: withheld. */
    fromNumber: text("from_number").notNull(),
    toNumber: text("to_number").notNull(),
    status: text("status", { enum: CALL_STATUSES }).notNull(),
    endedReason: text("ended_reason", { enum: ENDED_REASONS }),
    /** One sentence for the user. */
    endedExplanation: text("ended_explanation"),
    fault: text("fault"),
    language: text("language"),
    createdAt: time("created_at").notNull(),
    ringingAt: time("ringing_at"),
    answeredAt: time("answered_at"),
    endedAt: time("ended_at"),
    /** Last heartbeat, for recovery after a crash. */
    heartbeatAt: time("heartbeat_at"),
    /** Node that handles the call and has its recording; null: older than node names. */
    node: text("node"),
    answeredBy: text("answered_by", { enum: ["human", "machine", "unknown"] }),
    summary: text("summary"),
    /** Time of the transcript's deletion. The proof of disclosure stays. */
    transcriptExpiredAt: time("transcript_expired_at"),
    recordingStatus: text("recording_status", { enum: RECORDING_STATUSES }).notNull(),
    /** Relative to the recordings directory. */
    recordingFile: text("recording_file"),
    recordingMs: integer("recording_ms"),
    /** When to delete a recording sent by email: after the link of its `recording.ready` expires. */
    recordingDeleteAt: time("recording_delete_at"),
    billableSeconds: integer("billable_seconds").notNull().default(0),
    includedSeconds: integer("included_seconds").notNull().default(0),
    overageSeconds: integer("overage_seconds").notNull().default(0),
    /** The overage rate per minute when the call began. */
    overageRate: money("overage_rate").notNull(),
    cost: money("cost").notNull(),
    costStt: money("cost_stt"),
    costLlm: money("cost_llm"),
    costTts: money("cost_tts"),
    costTrunk: money("cost_trunk"),
    llmInputTokens: integer("llm_input_tokens").notNull().default(0),
    /** Input tokens from the provider's cache; included in the input tokens. */
    llmCachedInputTokens: integer("llm_cached_input_tokens").notNull().default(0),
    llmOutputTokens: integer("llm_output_tokens").notNull().default(0),
    ttsCharacters: integer("tts_characters").notNull().default(0),
    sttSeconds: real("stt_seconds").notNull().default(0),
    /** Discarded speculative work; included in the counts above and their costs. */
    discardedTokens: integer("discarded_tokens").notNull().default(0),
    discardedCharacters: integer("discarded_characters").notNull().default(0),
    discardedSttSeconds: real("discarded_stt_seconds").notNull().default(0),
    costDiscarded: money("cost_discarded"),
    /**
     * Three measurements of the answered time (billing/answered-time-check.ts), ms; null: not
     * measured.
     */
    answeredClockMs: integer("talk_clock_ms"),
    answeredRtpMs: integer("talk_rtp_ms"),
    answeredEngineMs: integer("talk_engine_ms"),
    /** The largest difference between the three. */
    answeredDifferenceMs: integer("talk_difference_ms"),
    latencyP50Ms: integer("latency_p50_ms"),
    latencyP95Ms: integer("latency_p95_ms"),
    sipCallId: text("sip_call_id"),
    sipFinalCode: integer("sip_final_code"),
    codec: text("codec"),
    packetsLost: integer("packets_lost"),
    jitterMs: real("jitter_ms"),
    mos: real("mos"),
    /** Reported by the remote party; null if it sent no receiver reports. */
    sentPacketsLost: integer("sent_packets_lost"),
    sentJitterMs: real("sent_jitter_ms"),
    roundTripMs: integer("round_trip_ms"),
    /** Cipher suite (RFC 4568); `none` for plain RTP. */
    srtp: text("srtp"),
  },
  (t) => [
    uniqueIndex("calls_uuid").on(t.callUuid),
    // Includes the latencies, so that reports of a thousand calls need not read the calls.
    index("calls_tenant_newest").on(t.tenantId, t.createdAt, t.id, t.latencyP50Ms, t.latencyP95Ms),
    index("calls_tenant_agent").on(t.tenantId, t.agentId, t.createdAt, t.id),
    index("calls_tenant_status").on(t.tenantId, t.status, t.createdAt, t.id),
    index("calls_tenant_direction").on(t.tenantId, t.direction, t.createdAt, t.id),
    index("calls_agent_status").on(t.tenantId, t.agentId, t.status, t.createdAt, t.id),
    index("calls_agent_direction").on(t.tenantId, t.agentId, t.direction, t.createdAt, t.id),
    index("calls_status_direction").on(t.tenantId, t.status, t.direction, t.createdAt, t.id),
    index("calls_agent_status_direction").on(
      t.tenantId,
      t.agentId,
      t.status,
      t.direction,
      t.createdAt,
      t.id,
    ),
    index("calls_live").on(t.status),
    // For retention: contains only rows with something left to delete.
    index("calls_transcript_kept")
      .on(t.tenantId, t.endedAt)
      .where(sql`transcript_expired_at IS NULL AND ended_at IS NOT NULL`),
    index("calls_recording_kept").on(t.endedAt).where(sql`recording_file IS NOT NULL`),
    index("calls_recording_delete")
      .on(t.recordingDeleteAt)
      .where(sql`recording_delete_at IS NOT NULL`),
    // Queried every few seconds; contains only recordings in progress.
    index("calls_recording_in_work")
      .on(t.recordingStatus)
      .where(sql`recording_status IN ('processing', 'recording')`),
  ],
);

const kindOfCall = () => ({
  agentId: integer("agent_id").notNull(),
  direction: text("direction", { enum: ["inbound", "outbound"] }).notNull(),
  status: text("status", { enum: CALL_STATUSES }).notNull(),
});

const sums = () => ({
  calls: integer("calls").notNull(),
  answered: integer("answered").notNull(),
  answeredMs: integer("talk_ms").notNull(),
  billableSeconds: integer("billable_seconds").notNull(),
  includedSeconds: integer("included_seconds").notNull(),
  overageSeconds: integer("overage_seconds").notNull(),
  cost: money("cost").notNull(),
  costOfGoods: money("cost_of_goods").notNull(),
  llmInputTokens: integer("llm_input_tokens").notNull(),
  /** 0 for calls before cached tokens were counted. */
  llmCachedInputTokens: integer("llm_cached_input_tokens").notNull().default(0),
  llmOutputTokens: integer("llm_output_tokens").notNull(),
  ttsCharacters: integer("tts_characters").notNull(),
  sttSeconds: real("stt_seconds").notNull(),
  /** 0 for calls before discarded work was counted. */
  discardedTokens: integer("discarded_tokens").notNull().default(0),
  discardedCharacters: integer("discarded_characters").notNull().default(0),
  discardedSttSeconds: real("discarded_stt_seconds").notNull().default(0),
  costDiscarded: money("cost_discarded").notNull().default(microEur(0)),
});

/**
 * Sums of calls per UTC hour, maintained by triggers on `calls` (migration 0003), so that totals and reports
 * never read a million calls. `hour` is created_at / 3,600,000; `agentId` 0 means no agent. Without rowid
 * (migration 0019), so that a month is read sequentially in key order.
 */
export const callRollups = sqliteTable(
  "call_rollups",
  {
    tenantId: integer("tenant_id").notNull(),
    hour: integer("hour").notNull(),
    ...kindOfCall(),
    ...sums(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.hour, t.agentId, t.direction, t.status] })],
);

/**
 * The same per UTC day (`hour` / 24), maintained by triggers on `call_rollups` (migration 0021). A month of a
 * busy tenant is a few hundred rows instead of ten thousand. Days without calls have no row. A migration that
 * rebuilds `call_rollups` must create its triggers again.
 */
export const callDays = sqliteTable(
  "call_days",
  {
    tenantId: integer("tenant_id").notNull(),
    day: integer("day").notNull(),
    ...kindOfCall(),
    ...sums(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.day, t.agentId, t.direction, t.status] })],
);

/**
 * Sums per UTC hour of all kinds together, without queued calls. Days of a tenant's zone are summed from
 * these hours.
 */
export const callHours = sqliteTable(
  "call_hours",
  {
    tenantId: integer("tenant_id").notNull(),
    hour: integer("hour").notNull(),
    calls: integer("calls").notNull(),
    answered: integer("answered").notNull(),
    billableSeconds: integer("billable_seconds").notNull(),
    cost: money("cost").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.hour] })],
);

/** The total number of calls of each kind per tenant: a few rows, for `total` without dates. */
export const callTotals = sqliteTable(
  "call_totals",
  { tenantId: integer("tenant_id").notNull(), ...kindOfCall(), calls: integer("calls").notNull() },
  (t) => [primaryKey({ columns: [t.tenantId, t.agentId, t.direction, t.status] })],
);

/**
 * Counts changes and deletions of ended calls' list fields, in one row maintained by triggers on `calls`
 * (migration 0016). No row means no change.
 */
export const endedCallChanges = sqliteTable("ended_call_changes", {
  id: integer("id").primaryKey(),
  changes: integer("changes").notNull(),
});

/** Reference to a call. The row is deleted with the call. */
export const callId = () =>
  integer("call_id")
    .notNull()
    .references(() => calls.id, { onDelete: "cascade" });

export const turns = sqliteTable(
  "turns",
  {
    callId: callId(),
    turnIndex: integer("turn_index").notNull(),
    speaker: text("speaker", { enum: ["agent", "customer"] }).notNull(),
    text: text("text").notNull(),
    startMs: integer("start_ms").notNull(),
    endMs: integer("end_ms").notNull(),
    interrupted: flag("interrupted").notNull(),
    latencyMs: integer("latency_ms"),
    measures: json<TurnMeasures>("measures"),
    /** Agent turns: knowledge passages that they repeat. */
    sources: json<readonly TurnSource[]>("sources"),
    /** Customer turns: normal form of an unanswered question. */
    unanswered: text("unanswered"),
  },
  (t) => [
    primaryKey({ columns: [t.callId, t.turnIndex] }),
    index("turns_unanswered").on(t.callId).where(sql`unanswered IS NOT NULL`),
  ],
);

export const toolCalls = sqliteTable(
  "tool_calls",
  {
    id: id(),
    callId: callId(),
    tool: text("tool").notNull(),
    arguments: json<JsonObject>("arguments").notNull(),
    ok: flag("ok").notNull(),
    httpStatus: integer("http_status"),
    durationMs: integer("duration_ms").notNull(),
    createdAt: time("created_at").notNull(),
  },
  (t) => [index("tool_calls_call").on(t.callId)],
);

export const SCHEDULE_STATUSES = ["pending", "fired", "cancelled", "missed", "failed"] as const;
export type ScheduleStatus = (typeof SCHEDULE_STATUSES)[number];

export const schedules = sqliteTable(
  "schedules",
  {
    id: id(),
    tenantId: tenantId(),
    callUuid: text("call_uuid").notNull(),
    /** Set to null in pending entries if the agent is deleted; other entries keep it as history. */
    agentId: integer("agent_id"),
    toNumber: text("to_number").notNull(),
    fromNumber: text("from_number").notNull(),
    scheduleAt: time("schedule_at").notNull(),
    status: text("status", { enum: SCHEDULE_STATUSES }).notNull(),
    /** Error code of decisions 2, if it failed. */
    reason: text("reason"),
    /**
     * True for POST /calls without schedule_at. Stored so that it runs exactly once; hidden from GET
     * /schedules.
     */
    immediate: flag("immediate").notNull(),
    firedAt: time("fired_at"),
    /** ISO 3166 country of a dialled foreign number; null: own country, or not dialled. */
    toCountry: text("to_country"),
    /** Node that holds the lease. */
    leaseOwner: text("lease_owner"),
    leaseUntil: time("lease_until"),
    /** Fencing token: increases with every claim, so that a node with an expired lease cannot use it. */
    leaseToken: integer("lease_token").notNull().default(0),
    createdAt: time("created_at").notNull(),
  },
  (t) => [
    index("schedules_due").on(t.status, t.scheduleAt),
    index("schedules_tenant").on(t.tenantId, t.immediate, t.scheduleAt, t.id),
    index("schedules_tenant_status").on(t.tenantId, t.immediate, t.status, t.scheduleAt, t.id),
    // For the limit of calls per minute.
    index("schedules_fired").on(t.tenantId, t.firedAt).where(sql`fired_at IS NOT NULL`),
    // For stopping bursts of new numbers and countries.
    index("schedules_number")
      .on(t.tenantId, t.toNumber, t.firedAt)
      .where(sql`fired_at IS NOT NULL`),
    index("schedules_abroad")
      .on(t.tenantId, t.toCountry, t.firedAt)
      .where(sql`to_country IS NOT NULL`),
    uniqueIndex("schedules_call").on(t.callUuid),
  ],
);
