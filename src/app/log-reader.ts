/**
 * Log lines for the operator: the newest of the running server; of one call also what is stored about it on
 * every layer: SIP messages, turns, tools, deliveries, its money and its end, in the order of time.
 * Personal data is left out: words, numbers and arguments are in the call's details, behind a sign-in.
 */

import { callHistoryStore } from "../adapter/store/call-history-store.ts";
import { diagnosticsStore } from "../adapter/store/diagnostics-store.ts";
import { isoUtc } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import { notFound } from "../core/errors.ts";
import { microToEur } from "../core/money.ts";
import type { ShownLogLine } from "../interface/control/operator-port.ts";
import type { LogLevel, LogRing } from "../operations/ops/log-ring.ts";

export interface LogQuestion {
  readonly call: string | null;
  readonly level: LogLevel;
  readonly limit: number;
}

/** Oldest first. Throws not_found for a call that is not there. */
export async function readLogs(
  database: Database,
  ring: LogRing | null,
  { call, level, limit }: LogQuestion,
): Promise<readonly ShownLogLine[]> {
  const lines = (
    ring?.read({ limit, offset: 0, level, ...(call ? { callUuid: call } : {}) }).lines ?? []
  ).map(
    (line): Timed => ({
      atMs: line.atMs,
      layer: "log",
      level: line.level,
      text: line.event,
      fields: line.callUuid && !call ? { call_id: line.callUuid, ...line.fields } : line.fields,
    }),
  );
  if (call) lines.push(...(await storedLines(database, call)));
  return lines
    .sort((a, b) => a.atMs - b.atMs)
    .slice(-limit)
    .map(({ atMs, ...line }) => ({ at: isoUtc(atMs), ...line }));
}

type Timed = Omit<ShownLogLine, "at"> & { readonly atMs: number };

async function storedLines(database: Database, callUuid: string): Promise<Timed[]> {
  const queries = database.read;
  const history = callHistoryStore(queries);
  const call = await history.findAnywhere(callUuid);
  if (!call) throw notFound("call");
  const diagnostics = diagnosticsStore(queries);
  const zeroMs = call.answeredAt ?? call.createdAt;
  const line = (
    atMs: number,
    layer: ShownLogLine["layer"],
    text: string,
    fields: ShownLogLine["fields"] = {},
  ): Timed => ({ atMs, layer, level: "info", text, fields });
  const lines: Timed[] = [
    line(call.createdAt, "call", "created", { direction: call.direction, tenant: call.tenantId }),
  ];
  if (call.ringingAt !== null) lines.push(line(call.ringingAt, "call", "ringing"));
  if (call.answeredAt !== null)
    lines.push(line(call.answeredAt, "call", "answered", { by: call.answeredBy }));
  if (call.endedAt !== null)
    lines.push(
      line(call.endedAt, "call", `ended: ${call.endedReason}`, {
        status: call.status,
        sip_code: call.sipFinalCode,
        fault: call.fault,
        explanation: call.endedExplanation,
      }),
      line(call.endedAt, "billing", "charged", {
        billable_seconds: call.billableSeconds,
        cost_eur: microToEur(call.cost),
      }),
      line(call.endedAt, "media", "quality", {
        codec: call.codec,
        packets_lost: call.packetsLost,
        jitter_ms: call.jitterMs,
        mos: call.mos,
      }),
    );
  for (const step of (await diagnostics.find(call.id)).sip)
    lines.push(line(step.atMs, "sip", `${step.direction === "in" ? "←" : "→"} ${step.line}`));
  for (const turn of await history.turns(call.id))
    lines.push(
      line(zeroMs + turn.startMs, "turn", turn.speaker, {
        ms: turn.endMs - turn.startMs,
        latency_ms: turn.latencyMs,
        interrupted: turn.interrupted,
      }),
    );
  for (const tool of await history.toolCalls(call.id))
    lines.push({
      ...line(tool.createdAt - tool.durationMs, "tool", tool.tool, {
        ...{ ok: tool.ok, http_status: tool.httpStatus, ms: tool.durationMs },
      }),
      level: tool.ok ? "info" : "warn",
    });
  for (const attempt of await diagnostics.deliveries(call.tenantId, callUuid))
    lines.push({
      ...line(attempt.createdAt, "webhook", attempt.type, {
        ...{ attempt: attempt.attempt, status: attempt.status, http_status: attempt.httpStatus },
      }),
      level: attempt.status === "delivered" ? "info" : "warn",
    });
  return lines;
}
