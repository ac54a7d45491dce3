/** What a conversation writes down: its turns, notes, measures and the report that is left when its media is gone. */

import type { MediaStatistics } from "../../core/media-plan.ts";
import type { PacketHeaders } from "../../core/packet-headers.ts";
import type { AgentLanguage } from "../agent/agent.ts";
import type { TurnSource } from "../knowledge/turn-knowledge.ts";

/** Why a caller comes back from a transfer to the agent. */
export type TransferFailure = "busy" | "no_answer" | "declined" | "failed";

type Speaker = "agent" | "customer";

export interface TurnRecord {
  /** 0, 1, 2, … in the order the turns began. */
  readonly index: number;
  readonly speaker: Speaker;
  /** For the agent: what was really heard, cut where it was interrupted. */
  readonly text: string;
  /** Milliseconds since the call was answered. */
  readonly startMs: number;
  readonly endMs: number;
  readonly interrupted: boolean;
  /** Agent turns that answer the caller: caller's last speech → first agent audio; else null. */
  readonly latencyMs: number | null;
  /** Of the same turns: where the latency went. Missing: not measured. */
  readonly measures?: TurnMeasures;
  /** Agent turns: the passages that they repeat. Missing: none, or not looked for yet. */
  readonly sources?: readonly TurnSource[];
  /** Customer turns: the normal form of a question that the agent could not answer. */
  readonly unanswered?: string;
}

/** Milliseconds from the caller's last voiced frame to each step; null: there was none. */
export interface TurnMeasures {
  /** The silence was judged long enough. */
  readonly endpointMs: number | null;
  /** The recogniser's final text. */
  readonly sttFinalMs: number | null;
  /** The LLM's first words. */
  readonly firstTokenMs: number | null;
  /** The voice's first samples. */
  readonly firstAudioMs: number | null;
  /** The first packet with them left. */
  readonly firstPacketMs: number | null;
  /** The LLM was asked on stable words before the caller's silence was long enough. */
  readonly early: boolean;
}

export interface EngineUsage {
  readonly llmInputTokens: number;
  /** Of these, what the provider still had from an earlier request. */
  readonly llmCachedInputTokens: number;
  readonly llmOutputTokens: number;
  /** Of questions that were looked up in knowledge by their meaning. */
  readonly embeddingTokens?: number;
  readonly ttsCharacters: number;
  readonly sttSeconds: number;
  /** Of all this, what was begun before the caller had finished and then thrown away. */
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

/** Kept with the call and shown in its details. `atMs`: milliseconds since the answer. */
export type CallNote =
  /** Proof that it was said: `heard` false when the line went before its end. */
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
      /** What told it, e.g. `beep`, `greeting_words`, `short_greeting`, `call_screening`. */
      readonly cause: string;
    }
  /** The model was made to answer without tools: it had used all that an utterance, or the call, may use. */
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
  /** A bad stretch of the line begins. `received`: what we hear; `sent`: what the remote party hears. */
  | {
      readonly kind: "line";
      readonly atMs: number;
      readonly side: "received" | "sent" | "both";
      readonly lossPercent: number;
      /** Jitter; for `both` the delay there and back. */
      readonly delayMs: number;
    };

/** What is left of a call when its media is gone. */
export interface CallReport {
  readonly turns: readonly TurnRecord[];
  readonly media: MediaStatistics;
  /** Missing or null: they were not kept. */
  readonly packetHeaders?: PacketHeaders | null;
  readonly usage: EngineUsage;
  readonly recording: RecordingInfo | null;
  /** Milliseconds of RTP clock since the answer. Missing: not answered, or the worker died. */
  readonly answeredRtpMs?: number;
  readonly answeredBy: "human" | "machine" | "unknown";
  readonly summary: string;
  /** What the call was about and how it went, without private details; empty: nobody knows. */
  readonly line: string;
}
