/**
 * A call as parallel lanes over time: signalling, speech, recognition, LLM, synthesis and tool calls. Times are
 * milliseconds since the answer (negative before it). Pure.
 */

import type { CallNote, TurnMeasures } from "../conversation/call-report.ts";
import type { SipTraceEntry } from "./diagnostics.ts";

export const LANES = ["sip", "caller", "agent", "stt", "llm", "tts", "tool"] as const;
type Lane = (typeof LANES)[number];

interface Span {
  readonly lane: Lane;
  readonly startMs: number;
  /** Equal to `startMs` for a single moment. */
  readonly endMs: number;
  readonly label: string;
}

export interface TimedTurn {
  readonly speaker: "agent" | "customer";
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly latencyMs: number | null;
  readonly measures?: TurnMeasures | null;
}

interface TimedToolCall {
  readonly tool: string;
  readonly durationMs: number;
  /** Epoch ms of the tool's result. */
  readonly createdAt: number;
}

/** Duration of each step of an answer, ms; null if not measured. */
interface Stages {
  readonly endpointingMs: number | null;
  readonly sttMs: number | null;
  readonly llmFirstMs: number | null;
  readonly ttsFirstMs: number | null;
  readonly playoutMs: number | null;
}

const between = (from: number | null, to: number | null): number | null =>
  from === null || to === null ? null : Math.max(0, to - from);

/**
 * Durations between milestones.
 * Speculative work begins before the previous step ends. It counts from the end of that step, so that no
 * duration is negative.
 */
export function stagesOf(measures: TurnMeasures | null | undefined): Stages | null {
  if (!measures) return null;
  const { endpointMs, sttFinalMs, firstTokenMs, firstAudioMs, firstPacketMs } = measures;
  const transcribedMs = sttFinalMs === null ? endpointMs : Math.max(sttFinalMs, endpointMs ?? 0);
  const repliedMs =
    firstTokenMs === null ? transcribedMs : Math.max(firstTokenMs, transcribedMs ?? 0);
  const soundMs = firstAudioMs === null ? repliedMs : Math.max(firstAudioMs, repliedMs ?? 0);
  return {
    endpointingMs: endpointMs,
    sttMs: between(endpointMs, sttFinalMs === null ? null : transcribedMs),
    llmFirstMs: between(transcribedMs, firstTokenMs === null ? null : repliedMs),
    ttsFirstMs: between(repliedMs, firstAudioMs === null ? null : soundMs),
    playoutMs: between(soundMs, firstPacketMs),
  };
}

export function timelineOf(call: {
  /** Epoch ms of the answer, or of the beginning if there was no answer. */
  readonly zeroMs: number;
  readonly createdAt: number;
  readonly answeredAt: number | null;
  readonly endedAt: number | null;
  readonly turns: readonly TimedTurn[];
  readonly toolCalls: readonly TimedToolCall[];
  readonly sip: readonly SipTraceEntry[];
  readonly notes: readonly CallNote[];
}): Span[] {
  const { zeroMs, createdAt, answeredAt, endedAt } = call;
  const until = answeredAt ?? endedAt;
  const setUp: Span[] =
    until === null
      ? []
      : [{ lane: "sip", startMs: createdAt - zeroMs, endMs: until - zeroMs, label: "setup" }];
  return [
    ...setUp,
    ...call.sip.map((step): Span => {
      const atMs = step.atMs - zeroMs;
      return { lane: "sip", startMs: atMs, endMs: atMs, label: step.line };
    }),
    ...call.notes.flatMap(spanOfNote),
    ...call.turns.flatMap(spansOfTurn),
    ...call.toolCalls.map((toolCall): Span => {
      const endMs = toolCall.createdAt - zeroMs;
      return { lane: "tool", startMs: endMs - toolCall.durationMs, endMs, label: toolCall.tool };
    }),
  ].sort((a, b) => a.startMs - b.startMs);
}

/** Notes that changed the course of the call. Words and messages are shown elsewhere. */
function spanOfNote(note: CallNote): Span[] {
  const moment = { startMs: note.atMs, endMs: note.atMs };
  switch (note.kind) {
    case "transfer":
      return [{ ...moment, lane: "sip", label: `transfer: ${note.outcome}` }];
    case "answered_by":
      return [{ ...moment, lane: "caller", label: `${note.result} (${note.cause})` }];
    case "tool_limit":
      return [{ ...moment, lane: "llm", label: `no more tools after ${note.toolCalls} calls` }];
    case "line":
      return [{ ...moment, lane: "sip", label: `line_${note.side}` }];
    case "disclosure":
      return [{ ...moment, endMs: note.endMs, lane: "agent", label: note.text }];
    default:
      return [];
  }
}

function spansOfTurn(turn: TimedTurn): Span[] {
  const { startMs, endMs, text, latencyMs } = turn;
  const spokenSpan: Span = {
    startMs,
    endMs,
    label: text,
    lane: turn.speaker === "agent" ? "agent" : "caller",
  };
  const stages = stagesOf(turn.measures);
  if (!stages || latencyMs === null) return [spokenSpan];
  const spans: Span[] = [spokenSpan];
  let atMs = startMs - latencyMs + (stages.endpointingMs ?? 0);
  const add = (lane: Lane, lasted: number | null) => {
    if (lasted === null) return;
    spans.push({ lane, startMs: atMs, endMs: atMs + lasted, label: `${Math.round(lasted)} ms` });
    atMs += lasted;
  };
  add("stt", stages.sttMs);
  add("llm", stages.llmFirstMs);
  add("tts", stages.ttsFirstMs);
  return spans;
}
