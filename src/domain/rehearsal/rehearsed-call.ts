/** What a rehearsed call left: who said what and when, what the agent did, and how it ended. Times in ms since the answer. */
import type { EndedReason } from "../../core/ended-reason.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { AgentLanguage } from "../agent/agent.ts";
import type { SipTraceEntry } from "../call/diagnostics.ts";
import type { TurnRecord } from "../conversation/call-report.ts";

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

/** What a tool's output says where the scenario has it `live`, and nobody asks real tools. */
export const NOT_LIVE =
  "a live tool is asked only by a running server: rehearse in the dashboard or by REST";

/** What the caller did, in the order of the script. */
export interface RehearsedStep {
  /** Place in the script. */
  readonly step: number;
  readonly atMs: number;
}

export interface Interruption {
  readonly atMs: number;
  /** How long the agent was still heard; null: it went on. */
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
  /** Tools that were called and that the scenario does not answer. */
  readonly unanswered: readonly string[];
  readonly endedReason: EndedReason;
  readonly durationMs: number;
  /** The language at the beginning. */
  readonly language: AgentLanguage;
  /** `2026-11-24`, in the agent's time zone. */
  readonly day: string;
  /** What was signalled; missing: in writing nothing is. */
  readonly sip?: readonly SipTraceEntry[];
  /** An MP3 file with both sides; null: there is none. */
  readonly recording: string | null;
}

/** The transcript as a person, or a model, reads it. Turns count from 1. */
export const transcriptOf = ({ turns }: Pick<RehearsedCall, "turns">): string =>
  turns
    .map(
      ({ index, speaker, text }) =>
        `${index + 1}. ${speaker === "agent" ? "Agent" : "Caller"}: ${text}`,
    )
    .join("\n");
