/**
 * Everything the main thread and a call worker say to each other. Plain data only (structured
 * clone). Main owns SIP, storage and HTTP; the call worker owns audio and the conversation.
 *
 * A call's life here:
 *   open → opened → connect (again on re-INVITE) → answered → … → close → closed
 * `closed` is the last message of a call and always comes, also after `failed`.
 */
import type { AgentLanguage, AgentVoice } from "../agent/agent.ts";
import type { EndedReason } from "../call/ended-reason.ts";
import type { MediaPlan, MediaStatistics } from "../media/plan.ts";

/** The agent as it was when the call began: later edits don't touch a live call. */
export interface AgentSnapshot {
  readonly id: number;
  readonly name: string;
  readonly prompt: string;
  readonly firstMessage: string;
  readonly firstSpeaker: "assistant" | "customer";
  readonly voice: AgentVoice;
  readonly language: AgentLanguage;
  readonly maxDurationSec: number;
  readonly voicemailAction: "leave_message" | "hangup";
  readonly fillerPhrases: readonly string[];
}

export interface KnowledgeSnapshot {
  readonly filename: string;
  readonly format: "txt" | "md" | "csv" | "json";
  readonly content: string;
}

/** A tool as the conversation sees it; url and secret stay on the main thread. */
export interface ToolSnapshot {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
}

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export interface CallBrief {
  readonly callId: string;
  readonly direction: "inbound" | "outbound";
  readonly fromNumber: string;
  readonly toNumber: string;
  readonly agent: AgentSnapshot;
  readonly knowledge: readonly KnowledgeSnapshot[];
  readonly tools: readonly ToolSnapshot[];
  readonly tenantName: string;
  /** IANA zone, for dates in the prompt. */
  readonly timeZone: string;
  /** Address the RTP socket binds to. */
  readonly rtpHost: string;
  /** Absolute path of the stereo WAV to write (left: caller, right: agent), or null for none. */
  readonly recordingPath: string | null;
}

export type ToCallWorker =
  | {
      readonly type: "init";
      readonly settings: CallWorkerSettings;
      readonly speechPort: MessagePort;
    }
  /** The speech worker died and was replaced: its port for what comes from now on. */
  | { readonly type: "speech_port"; readonly speechPort: MessagePort }
  /** Binds a socket, prepares the conversation (greeting synthesised ahead). */
  | { readonly type: "open"; readonly call: CallBrief }
  | { readonly type: "connect"; readonly callId: string; readonly plan: MediaPlan }
  /** The call is answered: billing runs, the conversation starts. */
  | { readonly type: "answered"; readonly callId: string }
  | { readonly type: "tool_result"; readonly callId: string; readonly result: ToolResult }
  /** Digits from SIP INFO, to be treated like telephone-events. */
  | { readonly type: "digit"; readonly callId: string; readonly digit: string }
  /** Speak this text, whatever is going on, and then ask main to end the call with `reason`. */
  | {
      readonly type: "say_and_end";
      readonly callId: string;
      readonly text: string;
      readonly reason: EndedReason;
    }
  /** Stop, flush the recording, answer with `closed`. */
  | { readonly type: "close"; readonly callId: string; readonly reason: EndedReason }
  | { readonly type: "shutdown" };

export interface CallWorkerSettings {
  /** This worker's slice of `[rtp] ports`, inclusive; even ports carry RTP, odd ones RTCP. */
  readonly rtpPorts: { readonly first: number; readonly last: number };
  readonly rtpTimeoutMs: number;
  readonly jitterMsMax: number;
  readonly engineKind: "embedded" | "openai" | "realtime";
  readonly conversation: ConversationSettings;
}

/** `[conversation]`, in milliseconds. */
export interface ConversationSettings {
  /** Silence that ends a finished utterance / an unfinished one / a dictated number. */
  readonly endpointingMs: number;
  readonly endpointingUnfinishedMs: number;
  readonly endpointingDictationMs: number;
  /** Caller speech that cuts the agent short, and the fade-out of the cut. */
  readonly bargeInMs: number;
  readonly bargeInFadeMs: number;
  /** Idle caller: prompted after this long, twice; the call ends at `silenceTimeoutMs`. */
  readonly idlePromptMs: number;
  readonly silenceTimeoutMs: number;
  readonly fillerDelayMs: number;
  readonly toolTimeoutMs: number;
  /** Spoken first, per language; empty: nothing is said. */
  readonly disclosure: Readonly<Record<AgentLanguage, string>>;
}

export interface ToolResult {
  /** The id of the tool wish it answers. */
  readonly toolCallId: string;
  readonly ok: boolean;
  readonly httpStatus: number | null;
  readonly durationMs: number;
  /** Body of the answer, parsed when it was JSON; or the reason it failed. */
  readonly output: JsonValue;
}

export type Speaker = "agent" | "customer";

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
}

export interface EngineUsage {
  readonly llmInputTokens: number;
  readonly llmOutputTokens: number;
  readonly ttsCharacters: number;
  readonly sttSeconds: number;
}

export interface RecordingInfo {
  readonly path: string;
  readonly durationMs: number;
  readonly bytes: number;
}

export type FromCallWorker =
  | { readonly type: "ready" }
  /** A line for main's log; personal data is masked before it leaves the worker. */
  | {
      readonly type: "log";
      readonly level: "debug" | "info" | "warn" | "error";
      readonly event: string;
      readonly fields: Readonly<Record<string, string | number | boolean | null>>;
    }
  | { readonly type: "opened"; readonly callId: string; readonly rtpPort: number }
  /** The call cannot go on (no port left, engine broken). Main ends it; `closed` follows `close`. */
  | {
      readonly type: "failed";
      readonly callId: string;
      readonly reason: EndedReason;
      readonly detail: string;
    }
  | { readonly type: "turn"; readonly callId: string; readonly turn: TurnRecord }
  | {
      readonly type: "tool_wish";
      readonly callId: string;
      readonly toolCallId: string;
      readonly tool: string;
      readonly arguments: JsonObject;
    }
  | { readonly type: "digit_received"; readonly callId: string; readonly digit: string }
  /** The conversation wants the call to end; main sends BYE, then `close`. */
  | { readonly type: "end_wish"; readonly callId: string; readonly reason: EndedReason }
  | { readonly type: "transfer_wish"; readonly callId: string; readonly target: string }
  /** Once a second while media flows: proof of life for billing and recovery. */
  | {
      readonly type: "heartbeat";
      readonly callId: string;
      readonly media: MediaStatistics;
      readonly usage: EngineUsage;
    }
  | { readonly type: "closed"; readonly callId: string; readonly report: CallReport };

/** What is left of a call when its media is gone. */
export interface CallReport {
  readonly turns: readonly TurnRecord[];
  readonly media: MediaStatistics;
  readonly usage: EngineUsage;
  readonly recording: RecordingInfo | null;
  /** Milliseconds of RTP clock since the answer. Missing: not answered, or the worker died. */
  readonly talkRtpMs?: number;
  readonly answeredBy: "human" | "machine" | "unknown";
  readonly summary: string;
}
