/**
 * Log lines for the operator: the newest of the running server. For one call, also its stored events in
 * chronological order: SIP messages, turns, tools, deliveries, charges and its end. Personal data is left
 * out. Words, numbers and arguments are in the call's details, which need a sign-in.
 */

import type { Database } from "../../core/database.ts";
import { notFound } from "../../core/errors.ts";
import { microToEur } from "../../core/money.ts";
import type { LogLevel, LogRing } from "../../ops/log-ring.ts";
import { callHistoryStore } from "../call-log/call-history-store.ts";
import { diagnosticsStore } from "../call-log/diagnostics-store.ts";

export interface LogQuestion {
  readonly call: string | null;
  readonly level: LogLevel;
  readonly limit: number;
}

/** A log line or a stored event of a call, in chronological order. Contains no personal data. */
export interface LogEntry {
  readonly atMs: number;
  readonly layer: "log" | "call" | "sip" | "media" | "turn" | "tool" | "webhook" | "billing";
  readonly level: LogLevel;
  readonly text: string;
  readonly fields: Readonly<Record<string, string | number | boolean | null>>;
}

/** Oldest first, at most `limit`. Throws not_found for an unknown call. */
export async function readLogs(
  database: Database,
  ring: LogRing | null,
  { call, level, limit }: LogQuestion,
): Promise<readonly LogEntry[]> {
  const lines = (
    ring?.read({ limit, offset: 0, level, ...(call ? { callUuid: call } : {}) }).lines ?? []
  ).map(
    (line): LogEntry => ({
      atMs: line.atMs,
      layer: "log",
      level: line.level,
      text: line.event,
      fields: line.callUuid && !call ? { call_id: line.callUuid, ...line.fields } : line.fields,
    }),
  );
  if (call) lines.push(...(await storedLines(database, call)));
  return lines.sort((a, b) => a.atMs - b.atMs).slice(-limit);
}

async function storedLines(database: Database, callUuid: string): Promise<LogEntry[]> {
  const history = callHistoryStore(database.read);
  const diagnostics = diagnosticsStore(database.read);
  const call = await history.findAnywhere(callUuid);
  if (!call) throw notFound("call");
  const zeroMs = call.answeredAt ?? call.createdAt;
  return [
    ...callLines(call),
    ...(await diagnostics.find(call.id)).sip.map((step) =>
      line(step.atMs, "sip", `${step.direction === "in" ? "←" : "→"} ${step.line}`),
    ),
    ...(await history.turns(call.id)).map((turn) =>
      line(zeroMs + turn.startMs, "turn", turn.speaker, {
        ms: turn.endMs - turn.startMs,
        latency_ms: turn.latencyMs,
        interrupted: turn.interrupted,
      }),
    ),
    ...(await history.toolCalls(call.id)).map(
      ({ createdAt, durationMs, tool, ok, httpStatus }): LogEntry => ({
        ...line(createdAt - durationMs, "tool", tool, {
          ok,
          http_status: httpStatus,
          ms: durationMs,
        }),
        level: ok ? "info" : "warn",
      }),
    ),
    ...(await diagnostics.deliveries(call.tenantId, callUuid)).map(
      ({ createdAt, type, attempt, status, httpStatus }): LogEntry => ({
        ...line(createdAt, "webhook", type, { attempt, status, http_status: httpStatus }),
        level: status === "delivered" ? "info" : "warn",
      }),
    ),
  ];
}

const line = (
  atMs: number,
  layer: LogEntry["layer"],
  text: string,
  fields: LogEntry["fields"] = {},
): LogEntry => ({ atMs, layer, level: "info", text, fields });

type StoredCall = NonNullable<
  Awaited<ReturnType<ReturnType<typeof callHistoryStore>["findAnywhere"]>>
>;

/** Events from the call's own row. */
function callLines(call: StoredCall): LogEntry[] {
  const { createdAt, ringingAt, answeredAt, endedAt } = call;
  const begun = [
    line(createdAt, "call", "created", { direction: call.direction, tenant: call.tenantId }),
    ...(ringingAt === null ? [] : [line(ringingAt, "call", "ringing")]),
    ...(answeredAt === null ? [] : [line(answeredAt, "call", "answered", { by: call.answeredBy })]),
  ];
  if (endedAt === null) return begun;
  return [
    ...begun,
    line(endedAt, "call", `ended: ${call.endedReason}`, {
      status: call.status,
      sip_code: call.sipFinalCode,
      fault: call.fault,
      explanation: call.endedExplanation,
    }),
    line(endedAt, "billing", "charged", {
      billable_seconds: call.billableSeconds,
      cost_eur: microToEur(call.cost),
    }),
    line(endedAt, "media", "quality", {
      codec: call.codec,
      srtp: call.srtp,
      packets_lost: call.packetsLost,
      jitter_ms: call.jitterMs,
      sent_packets_lost: call.sentPacketsLost,
      sent_jitter_ms: call.sentJitterMs,
      round_trip_ms: call.roundTripMs,
      mos: call.mos,
    }),
  ];
}
