/**
 * Everything the main thread and a call worker say to each other. Plain data only (structured
 * clone). Main owns SIP, storage and HTTP; the call worker owns audio and the conversation.
 *
 * A call's life here:
 *   open → opened → connect (again on re-INVITE) → answered → … → close → closed
 * `closed` is the last message of a call and always comes, also after `failed`.
 */
import type { AgentLanguage, AgentVoice } from "../../domain/agent/agent.ts";
import type { EndedReason } from "../../core/ended-reason.ts";
import type { EngineSettings } from "../engine/settings.ts";
import type { MediaPlan, MediaStatistics } from "../../core/media-plan.ts";
import type { CallDatum } from "../../domain/conversation/call-datum.ts";

/** The agent as it was when the call began: later edits don't touch a live call. */
export interface AgentSnapshot {
  readonly id: number;
  readonly name: string;
  readonly prompt: string;
  readonly firstMessage: string;
  readonly firstSpeaker: "assistant" | "customer";
  readonly voice: AgentVoice;
  readonly language: AgentLanguage;
  readonly maxDurationSeconds: number;
  readonly voicemailAction: "leave_message" | "hangup";
  /** May press keys on calls that came in, too. */
  readonly sendDigitsInbound: boolean;
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

export interface CallConfig {
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
  /** What the appliance itself knows about the other side, a sentence each, for the prompt. */
  readonly callerFacts?: readonly string[];
  /** What contacts, a CRM and earlier calls say. */
  readonly callerData?: readonly CallDatum[];
  /** How sure it is who is on the other side. Missing: 0. */
  readonly callerLevel?: 0 | 1 | 2;
  /** Earlier calls as a file, for engines that answer from knowledge; not part of the prompt. */
  readonly memory?: KnowledgeSnapshot | null;
  /** Why we call, where the greeting says it. */
  readonly occasion?: "birthday" | null;
  /** More values for `{{…}}`: of a campaign's line. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Absolute path of the stereo WAV to write (left: caller, right: agent), or null for none. */
  readonly recordingPath: string | null;
  /** Said instead of the agent's first message to a person who is known by name, never to a machine. */
  readonly namedGreeting?: string | null;
  /** The tenant's own first sentence; null or missing: `ConversationSettings.disclosure`. */
  readonly disclosure?: string | null;
  /** The conversation's rate, where the codec is known to be a wideband one; missing: 8000. */
  readonly sampleRateHz?: 8000 | 16000;
  /** No RTP: audio comes and goes as messages (`audio_in`, `audio_out`) at this rate. */
  readonly browser?: { readonly sampleRateHz: 8000 | 16000 } | null;
}

/** What is said to a mind without ear and voice. */
export type ChatInput =
  | { readonly type: "utterance"; readonly text: string }
  | {
      readonly type: "tool_result";
      readonly toolCallId: string;
      readonly ok: boolean;
      readonly output: JsonValue;
    };

export interface ChatMessage {
  readonly by: "agent" | "caller";
  readonly text: string;
}

/** What it answers; `done` or `failed` is the last of an input. */
export type ChatEvent =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "tool_call";
      readonly toolCallId: string;
      readonly tool: string;
      readonly arguments: JsonObject;
    }
  | { readonly type: "end_call" }
  | { readonly type: "transfer"; readonly target: string }
  | { readonly type: "message"; readonly text: string }
  | { readonly type: "done" }
  | { readonly type: "failed"; readonly detail: string };

export type ToCallWorker =
  | {
      readonly type: "init";
      readonly settings: CallWorkerSettings;
      readonly speechPort: MessagePort;
    }
  /** The speech worker died and was replaced: its port for what comes from now on. */
  | { readonly type: "speech_port"; readonly speechPort: MessagePort }
  /** Binds a socket, prepares the conversation (greeting synthesised ahead). */
  | { readonly type: "open"; readonly call: CallConfig }
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
  /** A transfer begins: finish the sentence, hold the caller, answer with `transfer_ready`. */
  | { readonly type: "transfer_begin"; readonly callId: string }
  /** Back to the agent, who says why. Closes a second leg's audio. */
  | { readonly type: "transfer_failed"; readonly callId: string; readonly cause: TransferFailure }
  /** Bind a socket for a second leg: answered with `bridge_opened` or `bridge_failed`. */
  | { readonly type: "bridge_open"; readonly callId: string }
  | { readonly type: "bridge_connect"; readonly callId: string; readonly plan: MediaPlan }
  /**
   * The second leg is answered: brief the person, then join both. `briefing`: what to say; true: a
   * summary of the call so far; null: nothing. Answered with `bridged`.
   */
  | {
      readonly type: "bridge_join";
      readonly callId: string;
      readonly announcement: string | true | null;
    }
  /** A digit of the second leg, from SIP INFO. */
  | { readonly type: "bridge_digit"; readonly callId: string; readonly digit: string }
  /** Ask for the PIN (again: the last was wrong): answered with `pin_entered`. */
  | { readonly type: "pin_ask"; readonly callId: string; readonly again: boolean }
  /** No PIN is awaited any more. */
  | { readonly type: "pin_done"; readonly callId: string }
  /** Somebody listens in, or no longer: `monitor_audio` comes while it is on. */
  | { readonly type: "monitor"; readonly callId: string; readonly on: boolean }
  /** A browser's microphone: PCM, mono, at the brief's rate, of any length. */
  | { readonly type: "audio_in"; readonly callId: string; readonly pcm: Int16Array }
  /** A conversation in writing: no audio, nothing prepared. Answered with `chat_opened`. */
  | {
      readonly type: "chat_open";
      readonly call: CallConfig;
      /** What was said before, for minds that take it over. */
      readonly history: readonly ChatMessage[];
    }
  | { readonly type: "chat_input"; readonly callId: string; readonly input: ChatInput }
  | { readonly type: "chat_close"; readonly callId: string }
  /** Stop, flush the recording, answer with `closed`. */
  | { readonly type: "close"; readonly callId: string; readonly reason: EndedReason }
  /** Answered with `pong` between two pieces of work. */
  | { readonly type: "ping" }
  | { readonly type: "shutdown" };

export interface CallWorkerSettings {
  /** This worker's slice of `[rtp] ports`, inclusive; even ports carry RTP, odd ones RTCP. */
  readonly rtpPorts: { readonly first: number; readonly last: number };
  readonly rtpTimeoutMs: number;
  readonly holdTimeoutMs: number;
  readonly jitterMsMax: number;
  readonly engine: EngineSettings;
  readonly conversation: ConversationSettings;
}

/** Why a caller comes back from a transfer to the agent. */
export type TransferFailure = "busy" | "no_answer" | "declined" | "failed";

/** `[conversation]`, in milliseconds. */
export interface ConversationSettings {
  /** Silence that ends a finished utterance / an unfinished one / a dictated number. */
  readonly endpointingMs: number;
  readonly endpointingUnfinishedMs: number;
  readonly endpointingDictationMs: number;
  /** No silence is waited for longer, whatever is being dictated. */
  readonly endpointingMsMax: number;
  /** Caller speech, or words, that cut the agent short, and the fade-out of the cut. */
  readonly bargeInMs: number;
  readonly bargeInWords: number;
  readonly bargeInFadeMs: number;
  /** An interruption that turned out to be none: the agent goes on after this much silence. */
  readonly resumeAfterMs: number;
  /** Idle caller: prompted after this long, so many times; the call ends at `silenceTimeoutMs`. */
  readonly idlePromptMs: number;
  readonly idlePrompts: number;
  readonly silenceTimeoutMs: number;
  /** An agent that means to speak and has no audio says a cached phrase after this. */
  readonly neverSilentMs: number;
  readonly fillerDelayMs: number;
  readonly toolTimeoutMs: number;
  /** Spoken first, per language; empty: nothing is said. */
  readonly disclosure: Readonly<Record<AgentLanguage, string>>;
  /** Names with an E.164 number or SIP URI each: where callers may be transferred. */
  readonly transferTargets?: Readonly<Record<string, string>>;
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
  /** Of the same turns: where the latency went. Missing: not measured. */
  readonly measures?: TurnMeasures;
}

/** Milliseconds from the caller's last voiced frame to each step; null: there was none. */
export interface TurnMeasures {
  /** The silence was judged long enough. */
  readonly endpointMs: number | null;
  /** The recogniser's final text. */
  readonly sttFinalMs: number | null;
  /** The mind's first words. */
  readonly firstTokenMs: number | null;
  /** The voice's first samples. */
  readonly firstAudioMs: number | null;
  /** The first packet with them left. */
  readonly firstPacketMs: number | null;
  /** The mind was asked on stable words before the caller's silence was long enough. */
  readonly early: boolean;
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
  /** The answer to `ping`: the thread still turns. */
  | { readonly type: "pong" }
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
      readonly type: "tool_call_requested";
      readonly callId: string;
      readonly toolCallId: string;
      readonly tool: string;
      readonly arguments: JsonObject;
    }
  | {
      readonly type: "digit_received";
      readonly callId: string;
      readonly digit: string;
      /** The agent offered this key against further calls, and asks for no other. */
      readonly optsOut: boolean;
    }
  /** Keyed and closed with `#`; null: nothing in time. Goes into the check and nowhere else. */
  | { readonly type: "pin_entered"; readonly callId: string; readonly digits: string | null }
  /** The conversation wants the call to end; main sends BYE, then `close`. */
  | { readonly type: "hangup_requested"; readonly callId: string; readonly reason: EndedReason }
  /** `briefing`: the person is to hear this first (true: a summary); null: a blind transfer. */
  | {
      readonly type: "transfer_requested";
      readonly callId: string;
      readonly target: string;
      readonly announcement: string | true | null;
    }
  /** The agent has finished its sentence; the caller is held. */
  | { readonly type: "transfer_ready"; readonly callId: string }
  | { readonly type: "bridge_opened"; readonly callId: string; readonly rtpPort: number }
  | { readonly type: "bridge_failed"; readonly callId: string; readonly detail: string }
  /** Both people hear each other from now on. */
  | { readonly type: "bridged"; readonly callId: string }
  /** Something about the call that is kept with it. */
  | { readonly type: "note"; readonly callId: string; readonly note: CallNote }
  /** Both sides: PCM, 8 kHz, interleaved (left caller, right agent). */
  | { readonly type: "monitor_audio"; readonly callId: string; readonly pcm: Int16Array }
  /** For a browser's loudspeaker: 20 ms of PCM, mono, at the brief's rate. */
  | { readonly type: "audio_out"; readonly callId: string; readonly pcm: Int16Array }
  /** What was sent but not yet played is void: the agent was interrupted. */
  | { readonly type: "audio_clear"; readonly callId: string }
  /** `opening`: the words the agent begins with, empty where the caller has the first word. */
  | { readonly type: "chat_opened"; readonly callId: string; readonly opening: string }
  | { readonly type: "chat_event"; readonly callId: string; readonly event: ChatEvent }
  /** Once a second while media flows: proof of life for billing and recovery. */
  | {
      readonly type: "heartbeat";
      readonly callId: string;
      readonly media: MediaStatistics;
      readonly usage: EngineUsage;
    }
  | { readonly type: "closed"; readonly callId: string; readonly report: CallReport };

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
  | { readonly kind: "language"; readonly atMs: number; readonly language: AgentLanguage }
  | {
      readonly kind: "transfer";
      readonly atMs: number;
      readonly to: string;
      readonly method: "refer" | "bridge";
      readonly outcome: "transferred" | TransferFailure;
      readonly sipCode: number | null;
    };

/** What is left of a call when its media is gone. */
export interface CallReport {
  readonly turns: readonly TurnRecord[];
  readonly media: MediaStatistics;
  readonly usage: EngineUsage;
  readonly recording: RecordingInfo | null;
  /** Milliseconds of RTP clock since the answer. Missing: not answered, or the worker died. */
  readonly answeredRtpMs?: number;
  readonly answeredBy: "human" | "machine" | "unknown";
  readonly summary: string;
  /** What the call was about and how it went, without private details; empty: nobody knows. */
  readonly line: string;
}
