/**
 * The result of a rehearsed call: words and actions with their times, and how it ended. Times are ms since the
 * answer.
 */

import type { SipTraceEntry } from "../../call/diagnostics.ts";
import type { TurnRecord } from "../../conversation/call-report.ts";
import type { EndedReason } from "../../core/ended-reason.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { AgentLanguage } from "../agent/agent.ts";

export type RehearsedTurn = Pick<
  TurnRecord,
  "index" | "speaker" | "text" | "startMs" | "endMs" | "interrupted" | "latencyMs" | "measures"
>;

export interface RehearsedTool {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly ok: boolean;
  readonly output: JsonValue;
  readonly atMs: number;
  readonly durationMs: number;
}

/** Output of a `live` tool if real tools are not supported here. */
export const NOT_LIVE =
  "a live tool is asked only by a running server: rehearse in the dashboard or by REST";

/** The caller's actions, in the order of the script. */
export interface RehearsedStep {
  /** Index in the script. */
  readonly step: number;
  readonly atMs: number;
}

export interface Interruption {
  readonly atMs: number;
  /** Milliseconds until the agent was silent; null if it continued. */
  readonly silentAfterMs: number | null;
}

export interface RehearsedCall {
  readonly turns: readonly RehearsedTurn[];
  readonly steps: readonly RehearsedStep[];
  readonly tools: readonly RehearsedTool[];
  readonly transfers: readonly {
    readonly target: string;
    readonly outcome: string;
    readonly atMs: number;
  }[];
  readonly messages: readonly { readonly text: string; readonly atMs: number }[];
  readonly languages: readonly { readonly language: AgentLanguage; readonly atMs: number }[];
  readonly interruptions: readonly Interruption[];
  /** Tools that the agent called without an answer in the scenario. */
  readonly unanswered: readonly string[];
  readonly endedReason: EndedReason;
  readonly durationMs: number;
  /** Language at the start. */
  readonly language: AgentLanguage;
  /** `2026-11-24`, in the agent's time zone. */
  readonly day: string;
  /** SIP messages; missing for text. */
  readonly sip?: readonly SipTraceEntry[];
  /** MP3 file with both sides; null if none. */
  readonly recording: string | null;
}

/** Transcript for a person or a model. Turns count from 1. */
export const transcriptOf = ({ turns }: Pick<RehearsedCall, "turns">): string =>
  turns
    .map(
      ({ index, speaker, text }) =>
        `${index + 1}. ${speaker === "agent" ? "Agent" : "Caller"}: ${text}`,
    )
    .join("\n");
