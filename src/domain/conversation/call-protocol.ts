/**
 * What main and a running conversation say to each other, each message described once. Main owns
 * SIP, storage and HTTP; the conversation owns audio and words, and runs in a call worker.
 *
 * A new command is an entry of `CallCommands` and the method of that name in `Session`; a new event
 * is an entry of `CallEvents` and whoever listens to it.
 */
import type { EndedReason } from "../../core/ended-reason.ts";
import type { JsonObject } from "../../core/json.ts";
import type { MediaPlan, MediaStatistics } from "../../core/media-plan.ts";
import type { MessageOf } from "../../core/thread-messages.ts";
import type { ToolResult } from "./call-config.ts";
import type { CallNote, EngineUsage, TransferFailure, TurnRecord } from "./call-report.ts";

/** Main to conversation. */
export interface CallCommands {
  /** Where the caller's RTP goes; again after a re-INVITE. */
  connect: [plan: MediaPlan];
  /** The call is answered: billing runs, the conversation starts. */
  answered: [];
  toolResult: [result: ToolResult];
  /** A digit from SIP INFO, to be treated like a telephone-event. */
  digit: [digit: string];
  /** To a caller who is not answered (early media): say this text, then `hangup_requested` with `reason`. */
  announce: [text: string, reason: EndedReason];
  /** Speak this text, whatever is going on; then `hangup_requested` follows with `reason`. */
  sayAndEnd: [text: string, reason: EndedReason];
  /** A transfer begins: finish the sentence and hold the caller. `transfer_ready` follows. */
  transferBegin: [];
  /** The caller returns to the agent, who says why. Closes a second leg's audio. */
  transferFailed: [cause: TransferFailure];
  /** Bind a port for a second leg: `bridge_opened` or `bridge_failed` follows. */
  bridgeOpen: [];
  bridgeConnect: [plan: MediaPlan];
  /**
   * The second leg is answered: say the announcement to the person, then join both. `true`: a
   * summary of the call so far; null: nothing. `bridged` follows.
   */
  bridgeJoin: [announcement: string | true | null];
  /** A digit of the second leg, from SIP INFO. */
  bridgeDigit: [digit: string];
  /**
   * Ask for the PIN (again: the last was wrong): `pin_entered` follows. Nobody hears the caller
   * until `pinDone`.
   */
  askPin: [again: boolean];
  pinDone: [];
  /** A supervisor listens: `monitor_audio` comes while it is on. */
  monitor: [on: boolean];
  /** A browser's microphone: PCM, mono, at the call's browser rate, of any length. */
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
    /** The agent offered this key against further calls, and asks for no other. */
    readonly optsOut: boolean;
  };
  /** The other side wants no more calls, and confirmed it. */
  readonly opted_out: object;
  /** Keyed and closed with `#`; null: nothing in time. Goes into the check and nowhere else. */
  readonly pin_entered: { readonly digits: string | null };
  /** The conversation wants the call to end; main sends BYE, then closes the call. */
  readonly hangup_requested: { readonly reason: EndedReason };
  /** `announcement`: the person hears this first (true: a summary); null: a blind transfer. */
  readonly transfer_requested: {
    readonly target: string;
    readonly announcement: string | true | null;
  };
  /** The agent has finished its sentence; the caller is held. */
  readonly transfer_ready: object;
  readonly bridge_opened: { readonly rtpPort: number };
  readonly bridge_failed: { readonly detail: string };
  /** Caller and person hear each other from now on. */
  readonly bridged: object;
  /** Something about the call that is kept with it. */
  readonly note: { readonly note: CallNote };
  /** Both sides: PCM, 8 kHz, interleaved (left caller, right agent). */
  readonly monitor_audio: { readonly pcm: Int16Array };
  /** For a browser's loudspeaker: 20 ms of PCM, mono, at the call's browser rate. */
  readonly audio_out: { readonly pcm: Int16Array };
  /** What was sent but not yet played is void: the agent was interrupted. */
  readonly audio_clear: object;
  /** Once a second while media flows: proof of life for billing and recovery. */
  readonly heartbeat: { readonly media: MediaStatistics; readonly usage: EngineUsage };
  /** The call cannot go on (no port left, engine broken). Main ends it. */
  readonly failed: { readonly reason: EndedReason; readonly detail: string };
}

export type CallCommand = MessageOf<CallCommands>;

export type CallEvent = {
  [Name in keyof CallEvents]: { readonly type: Name } & CallEvents[Name];
}[keyof CallEvents];
