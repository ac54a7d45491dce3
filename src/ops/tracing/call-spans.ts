/**
 * Converts a call to a trace: set-up, turns with the steps of each answer, tools, hang-up. Pure. Contains
 * only times and kinds: no numbers, names or spoken words.
 */
import { stagesOf, type TimedTurn } from "../../call/timeline.ts";
import type { Trace, TraceSpan } from "./span.ts";

export interface TracedTool {
  readonly tool: string;
  readonly ok: boolean;
  readonly httpStatus: number | null;
  readonly startMs: number;
  readonly endMs: number;
}

/** Times are epoch ms. */
export interface TracedCall {
  readonly callUuid: string;
  readonly direction: "inbound" | "outbound";
  readonly tenantId: number;
  readonly agentId: number | null;
  readonly sipCallId: string | null;
  readonly beganMs: number;
  /** Start of ringing; null: it did not ring, or it rang from the start. */
  readonly ringingMs: number | null;
  readonly answeredMs: number | null;
  readonly endedMs: number;
  /** Time when media was closed and the transcript and charge were stored. */
  readonly settledMs: number;
  readonly status: string;
  readonly reason: string;
  readonly sipCode: number | null;
  readonly fault: string | null;
  readonly turns: readonly TimedTurn[];
  readonly tools: readonly TracedTool[];
  readonly media: {
    readonly codec: string | null;
    readonly packetsReceived: number;
    readonly packetsLost: number;
    readonly jitterMs: number;
    readonly mos: number;
    readonly reported?: { readonly packetsLost: number; readonly jitterMs: number } | null;
    readonly roundTripMs?: number | null;
    readonly srtp?: string | null;
  } | null;
}

const ROOT = 0;
const inner = { kind: "internal", parent: ROOT, attributes: {}, error: null } as const;

export function traceOfCall(call: TracedCall): Trace {
  const spans: TraceSpan[] = [rootOf(call), setupOf(call)];
  const zeroMs = call.answeredMs ?? call.beganMs;
  for (const turn of call.turns) addTurn(spans, turn, zeroMs);
  for (const tool of call.tools)
    spans.push({
      ...inner,
      name: `tool ${tool.tool}`,
      kind: "client",
      startMs: tool.startMs,
      endMs: tool.endMs,
      attributes: { "linevoice.tool": tool.tool, "http.response.status_code": tool.httpStatus },
      error: tool.ok ? null : "tool_failed",
    });
  spans.push({ ...inner, name: "hang-up", startMs: call.endedMs, endMs: call.settledMs });
  return { traceId: call.callUuid.replaceAll("-", ""), spans };
}

function rootOf(call: TracedCall): TraceSpan {
  const { media } = call;
  return {
    name: `call ${call.direction}`,
    kind: call.direction === "inbound" ? "server" : "client",
    startMs: call.beganMs,
    endMs: call.settledMs,
    parent: null,
    attributes: {
      "linevoice.call_uuid": call.callUuid,
      "linevoice.tenant_id": call.tenantId,
      "linevoice.agent_id": call.agentId,
      "linevoice.direction": call.direction,
      "linevoice.status": call.status,
      "linevoice.ended_reason": call.reason,
      "linevoice.fault": call.fault,
      "linevoice.turns": call.turns.length,
      "sip.call_id": call.sipCallId,
      "sip.response_code": call.sipCode,
      "rtp.codec": media?.codec,
      "rtp.packets_received": media?.packetsReceived,
      "rtp.packets_lost": media?.packetsLost,
      "rtp.jitter_ms": media?.jitterMs,
      "rtp.sent_packets_lost": media?.reported?.packetsLost,
      "rtp.sent_jitter_ms": media?.reported?.jitterMs,
      "rtp.round_trip_ms": media?.roundTripMs ?? undefined,
      "rtp.srtp": media?.srtp ?? undefined,
      "rtp.mos": media?.mos,
    },
    error: call.status === "failed" ? call.reason : null,
  };
}

/** From the first INVITE to the answer, or to the end if the call was not answered. */
function setupOf(call: TracedCall): TraceSpan {
  const ringingAfterMs = call.ringingMs === null ? null : call.ringingMs - call.beganMs;
  return {
    ...inner,
    name: "setup",
    startMs: call.beganMs,
    endMs: call.answeredMs ?? call.endedMs,
    attributes: {
      "linevoice.answered": call.answeredMs !== null,
      "linevoice.ringing_after_ms": ringingAfterMs,
    },
  };
}

/**
 * An answer begins when the caller's speech ends. Its steps are child spans, in order; the audible playback
 * comes last.
 */
function addTurn(spans: TraceSpan[], turn: TimedTurn, zeroMs: number): void {
  const latencyMs = turn.latencyMs ?? 0;
  const [spokenMs, endMs] = [zeroMs + turn.startMs, zeroMs + turn.endMs];
  const parent = spans.length;
  spans.push({
    ...inner,
    name: `turn ${turn.speaker}`,
    startMs: spokenMs - latencyMs,
    endMs,
    attributes: {
      "linevoice.speaker": turn.speaker,
      "linevoice.turn_latency_ms": turn.latencyMs,
      "linevoice.characters": turn.text.length,
    },
  });
  const stages = stagesOf(turn.measures);
  if (!stages || turn.latencyMs === null) return;
  let atMs = spokenMs - latencyMs;
  const steps = [
    ["endpointing", stages.endpointingMs],
    ["stt", stages.sttMs],
    ["llm", stages.llmFirstMs],
    ["tts", stages.ttsFirstMs],
    ["playout", stages.playoutMs],
  ] as const;
  for (const [name, lastedMs] of steps) {
    if (lastedMs === null) continue;
    spans.push({ ...inner, parent, name, startMs: atMs, endMs: atMs + lastedMs });
    atMs += lastedMs;
  }
  spans.push({ ...inner, parent, name: "speech", startMs: spokenMs, endMs });
}
