/**
 * Messages between the main thread and a running conversation, each described once. Main owns SIP, storage
 * and HTTP. The conversation owns audio and words, and runs in a call worker.
 *
 * A new command needs an entry in `CallCommands` and a method with its name in `Session`. A new event needs
 * an entry in `CallEvents` and a listener.
 */
import type { EndedReason } from "../core/ended-reason.ts";
import type { JsonObject } from "../core/json.ts";
import type { MediaPlan, MediaStatistics } from "../core/media-plan.ts";
import type { MessageOf } from "../core/thread-messages.ts";
import type { ToolResult } from "./call-config.ts";
import type { CallNote, EngineUsage, TransferFailure, TurnRecord } from "./call-report.ts";

/** Main to conversation. */
export interface CallCommands {
  /** Sends the caller's media plan; sent again after a re-INVITE. */
  connect: [plan: MediaPlan];
  /** The call is answered: billing runs and the conversation starts. */
  answered: [];
  toolResult: [result: ToolResult];
  /** A digit from SIP INFO, treated like a telephone-event. */
  digit: [digit: string];
  /** Early media for a caller who is not answered: say this text, then emit `hangup_requested` with `reason`. */
  announce: [text: string, reason: EndedReason];
  /** Interrupts everything to say this text; then `hangup_requested` follows with `reason`. */
  sayAndEnd: [text: string, reason: EndedReason];
  /** A transfer begins: finish the sentence and hold the caller. `transfer_ready` follows. */
  transferBegin: [];
  /** The caller returns to the agent, who explains why. Closes the second leg's audio. */
  transferFailed: [cause: TransferFailure];
  /** Bind a port for a second leg: `bridge_opened` or `bridge_failed` follows. */
  bridgeOpen: [];
  bridgeConnect: [plan: MediaPlan];
  /**
   * The second leg is answered: say the announcement to the person, then join both. `true`: a summary of the
   * call so far; null: no announcement. `bridged` follows.
   */
  bridgeJoin: [announcement: string | true | null];
  /** A digit of the second leg, from SIP INFO. */
  bridgeDigit: [digit: string];
  /**
   * Ask for the PIN (`again`: the last one was wrong); `pin_entered` follows. The caller is muted for
   * everybody until `pinDone`.
   */
  askPin: [again: boolean];
  pinDone: [];
  /** A supervisor listens: `monitor_audio` is sent while on. */
  monitor: [on: boolean];
  /** A browser's microphone: mono PCM of any length, at the call's browser rate. */
  audioIn: [pcm: Int16Array];
}

/** Conversation to main. */
export interface CallEvents {
  readonly turn: { readonly turn: TurnRecord };
  readonly tool_call_requested: {
    readonly toolCallId: string;
    readonly tool: string;
    readonly arguments: JsonObject;
  };
  readonly digit_received: {
    readonly digit: string;
    /** True if this key was the only one that the agent offered, and it refuses further calls. */
    readonly optsOut: boolean;
  };
  /** The other party wants no more calls and confirmed it. */
  readonly opted_out: object;
  /** The PIN as keyed, ended with `#`; null: not entered in time. Used for the check only, never stored. */
  readonly pin_entered: { readonly digits: string | null };
  /** The conversation wants to end the call. Main sends BYE, then closes the call. */
  readonly hangup_requested: { readonly reason: EndedReason };
  /** `announcement`: what the person hears first (true: a summary); null: a blind transfer. */
  readonly transfer_requested: {
    readonly target: string;
    readonly announcement: string | true | null;
  };
  /** The agent has finished its sentence; the caller is on hold. */
  readonly transfer_ready: object;
  readonly bridge_opened: { readonly rtpPort: number };
  readonly bridge_failed: { readonly detail: string };
  /** Caller and person are connected. */
  readonly bridged: object;
  /** A note to store with the call. */
  readonly note: { readonly note: CallNote };
  /** Both sides: PCM, 8 kHz, interleaved (left caller, right agent). */
  readonly monitor_audio: { readonly pcm: Int16Array };
  /** For a browser's loudspeaker: 20 ms of mono PCM at the call's browser rate. */
  readonly audio_out: { readonly pcm: Int16Array };
  /** Discard sent audio that has not been played: the agent was interrupted. */
  readonly audio_clear: object;
  /** Sent every second while media flows, for billing and recovery. */
  readonly heartbeat: { readonly media: MediaStatistics; readonly usage: EngineUsage };
  /** The call cannot continue (no free port, broken engine). Main ends it. */
  readonly failed: { readonly reason: EndedReason; readonly detail: string };
}

export type CallCommand = MessageOf<CallCommands>;

export type CallEvent = {
  [Name in keyof CallEvents]: { readonly type: Name } & CallEvents[Name];
}[keyof CallEvents];
