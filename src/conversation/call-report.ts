/** Records that a conversation produces: turns, notes, measurements and the final report. */

import type { MediaStatistics } from "../core/media-plan.ts";
import type { PacketHeaders } from "../core/packet-headers.ts";
import type { AgentLanguage } from "../features/agent/agent.ts";
import type { TurnSource } from "../features/knowledge/turn-knowledge.ts";

/** Why a transferred caller returns to the agent. */
export type TransferFailure = "busy" | "no_answer" | "declined" | "failed";

type Speaker = "agent" | "customer";

export interface TurnRecord {
  /** 0, 1, 2, … in the order in which the turns began. */
  readonly index: number;
  readonly speaker: Speaker;
  /** For agent turns: the text that was really heard, cut at the interruption. */
  readonly text: string;
  /** Milliseconds since the call was answered. */
  readonly startMs: number;
  readonly endMs: number;
  readonly interrupted: boolean;
  /**
   * Agent turns that answer the caller: milliseconds from the caller's last speech to the first agent audio;
   * else null.
   */
  readonly latencyMs: number | null;
  /** Latency breakdown of the same turns. Missing: not measured. */
  readonly measures?: TurnMeasures;
  /** Agent turns: knowledge passages that they repeat. Missing: none, or not searched yet. */
  readonly sources?: readonly TurnSource[];
  /** Customer turns: normal form of a question that the agent could not answer. */
  readonly unanswered?: string;
}

/** Milliseconds from the caller's last voiced frame to each step; null: the step did not happen. */
export interface TurnMeasures {
  /** End of the required silence. */
  readonly endpointMs: number | null;
  /** The recogniser's final text. */
  readonly sttFinalMs: number | null;
  /** First words of the LLM. */
  readonly firstTokenMs: number | null;
  /** First samples of the voice. */
  readonly firstAudioMs: number | null;
  /** First RTP packet with these samples. */
  readonly firstPacketMs: number | null;
  /** True if the LLM was asked before the caller's silence was long enough. */
  readonly early: boolean;
}

export interface EngineUsage {
  readonly llmInputTokens: number;
  /** Input tokens that the provider had cached. */
  readonly llmCachedInputTokens: number;
  readonly llmOutputTokens: number;
  /** Embedding tokens for semantic look-ups in knowledge. */
  readonly embeddingTokens?: number;
  readonly ttsCharacters: number;
  readonly sttSeconds: number;
  /** Part of this usage for early, then discarded work. */
  readonly discarded: DiscardedWork;
}

export interface DiscardedWork {
  readonly llmInputTokens: number;
  readonly llmOutputTokens: number;
  readonly ttsCharacters: number;
  readonly sttSeconds: number;
}

export const NOTHING_DISCARDED: DiscardedWork = {
  llmInputTokens: 0,
  llmOutputTokens: 0,
  ttsCharacters: 0,
  sttSeconds: 0,
};

export interface RecordingInfo {
  readonly path: string;
  readonly durationMs: number;
  readonly bytes: number;
}

/** Stored with the call and shown in its details. `atMs`: milliseconds since the answer. */
export type CallNote =
  /** Proof that the disclosure was said. `heard` is false if the call ended before the last word. */
  | {
      readonly kind: "disclosure";
      readonly atMs: number;
      readonly text: string;
      readonly language: AgentLanguage;
      readonly endMs: number;
      readonly heard: boolean;
    }
  | {
      readonly kind: "message";
      readonly atMs: number;
      readonly text: string;
      readonly callerName: string | null;
      readonly callback: string | null;
    }
  | {
      readonly kind: "answered_by";
      readonly atMs: number;
      readonly result: "human" | "machine" | "unknown";
      /** Evidence for the result, such as `beep`, `greeting_words`, `short_greeting`, `call_screening`. */
      readonly cause: string;
    }
  /** The model had to answer without tools, because the limit per utterance or per call was reached. */
  | { readonly kind: "tool_limit"; readonly atMs: number; readonly toolCalls: number }
  | { readonly kind: "language"; readonly atMs: number; readonly language: AgentLanguage }
  | {
      readonly kind: "transfer";
      readonly atMs: number;
      readonly to: string;
      readonly method: "refer" | "bridge";
      readonly outcome: "transferred" | TransferFailure;
      readonly sipCode: number | null;
    }
  /** Line quality became bad. `received`: the audio from the remote party; `sent`: the audio to it. */
  | {
      readonly kind: "line";
      readonly atMs: number;
      readonly side: "received" | "sent" | "both";
      readonly lossPercent: number;
      /** Jitter in milliseconds; for `both` the round-trip time. */
      readonly delayMs: number;
    };

/** Final report of a call after its media is closed. */
export interface CallReport {
  readonly turns: readonly TurnRecord[];
  readonly media: MediaStatistics;
  /** Missing or null: capture was off. */
  readonly packetHeaders?: PacketHeaders | null;
  readonly usage: EngineUsage;
  readonly recording: RecordingInfo | null;
  /** Milliseconds of RTP clock since the answer. Missing: not answered, or the worker died. */
  readonly answeredRtpMs?: number;
  readonly answeredBy: "human" | "machine" | "unknown";
  readonly summary: string;
  /** One-line topic and outcome of the call without private details; empty if unknown. */
  readonly line: string;
}
