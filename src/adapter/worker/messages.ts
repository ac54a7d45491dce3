/**
 * Everything the main thread and a call worker say to each other. Plain data only (structured
 * clone). Main owns SIP, storage and HTTP; the call worker owns audio and the conversation.
 *
 * A call's life here:
 *   open → opened → connect (again on re-INVITE) → answered → … → close → closed
 * `closed` is the last message of a call and always comes, also after `failed`.
 */
import type { EndedReason } from "../../core/ended-reason.ts";
import type { JsonObject } from "../../core/json.ts";
import type { MediaPlan, MediaStatistics } from "../../core/media-plan.ts";
import type { CallConfig, ToolResult } from "../../domain/conversation/call-config.ts";
import type {
  CallNote,
  CallReport,
  EngineUsage,
  TransferFailure,
  TurnRecord,
} from "../../domain/conversation/call-report.ts";
import type { ChatEvent, ChatInput, ChatMessage } from "../../domain/conversation/chat.ts";
import type { ConversationSettings } from "../../domain/conversation/conversation-settings.ts";
import type { EngineSettings } from "../engine/settings.ts";

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
