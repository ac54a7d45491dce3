/** What the call domain needs of the audio side: a channel per call into a call worker. */

import type { Unsubscribe } from "../../core/emitter.ts";
import type { EndedReason } from "../../core/ended-reason.ts";
import type { JsonObject } from "../../core/json.ts";
import type { MediaPlan, MediaStatistics } from "../../core/media-plan.ts";
import type { CallConfig, ToolResult } from "../conversation/call-config.ts";
import type {
  CallNote,
  CallReport,
  EngineUsage,
  TransferFailure,
  TurnRecord,
} from "../conversation/call-report.ts";
import type { ChatEvent, ChatInput, ChatMessage } from "../conversation/chat.ts";

/** A conversation in writing with an agent's mind. Its owner closes it. */
export interface ChatChannel {
  /** The words the agent begins with; empty: the customer has the first word. */
  readonly opening: string;
  /** One input at a time. Ends after `done`; throws AppError when the mind fails or is silent. */
  ask(input: ChatInput): AsyncIterable<ChatEvent>;
  close(): void;
}

export interface CallMedia {
  /** Throws AppError `unavailable` when no worker answers. */
  openChat(config: CallConfig, history: readonly ChatMessage[]): Promise<ChatChannel>;
  /** Binds an RTP port and prepares the conversation. Rejects when no worker or port is free. */
  open(config: CallConfig): Promise<CallChannel>;
}

export interface CallChannelEvents {
  readonly turn: TurnRecord;
  readonly tool_call_requested: {
    readonly toolCallId: string;
    readonly tool: string;
    readonly arguments: JsonObject;
  };
  readonly digit_received: { readonly digit: string; readonly optsOut: boolean };
  /** The answer to `askPin`; null: nothing was keyed in time. */
  readonly pin_entered: { readonly digits: string | null };
  readonly hangup_requested: { readonly reason: EndedReason };
  readonly transfer_requested: {
    readonly target: string;
    readonly announcement: string | true | null;
  };
  /** The agent has finished its sentence; the caller is held. */
  readonly transfer_ready: object;
  readonly bridge_opened: { readonly rtpPort: number };
  readonly bridge_failed: { readonly detail: string };
  /** Caller and person hear each other. */
  readonly bridged: object;
  readonly note: CallNote;
  /** Both sides, 8 kHz, interleaved, while `listen` is on. */
  readonly monitor_audio: { readonly pcm: Int16Array };
  /** 20 ms for the browser's loudspeaker, where the brief says `browser`. */
  readonly audio_out: { readonly pcm: Int16Array };
  readonly audio_clear: object;
  /** Once a second while media flows. */
  readonly heartbeat: { readonly media: MediaStatistics; readonly usage: EngineUsage };
  readonly failed: { readonly reason: EndedReason; readonly detail: string };
}

export interface CallChannel {
  readonly rtpPort: number;
  on<Name extends keyof CallChannelEvents>(
    name: Name,
    listener: (event: CallChannelEvents[Name]) => void,
  ): Unsubscribe;
  connect(plan: MediaPlan): void;
  answered(): void;
  toolResult(result: ToolResult): void;
  digit(digit: string): void;
  sayAndEnd(text: string, reason: EndedReason): void;
  /** The agent finishes its sentence and holds the caller: `transfer_ready` follows. */
  transferBegin(): void;
  /** The caller returns to the agent, who says why; a second leg's audio is closed. */
  transferFailed(cause: TransferFailure): void;
  /** Binds a port for a second leg: `bridge_opened` or `bridge_failed` follows. */
  bridgeOpen(): void;
  bridgeConnect(plan: MediaPlan): void;
  /** The person has answered: briefed first (true: a summary), then joined: `bridged` follows. */
  bridgeJoin(announcement: string | true | null): void;
  bridgeDigit(digit: string): void;
  /** The agent asks for the PIN: `pin_entered` follows. Until `pinDone` nobody hears the caller. */
  askPin(again: boolean): void;
  pinDone(): void;
  /** `heard` comes while it is on. */
  monitor(on: boolean): void;
  /** What the browser's microphone heard, where the brief says `browser`. */
  audioIn(pcm: Int16Array): void;
  /** Always resolves, in bounded time, also when the worker died. */
  close(reason: EndedReason): Promise<CallReport>;
}

/**
 * The waveform of a recording: for each slot of time the lowest and the highest sample of either side, as
 * signed bytes.
 */
export interface RecordingPeaks {
  readonly durationMs: number;
  readonly slotsPerSecond: number;
  /** Two bytes a slot: lowest, highest. */
  readonly left: Int8Array;
  readonly right: Int8Array;
}

/** WAV → MP3 off the main thread, and what a writer that died left of a WAV. */
export interface RecordingEncoder {
  /** Corrects the sizes in the header. */
  repair(wavPath: string): Promise<{ readonly durationMs: number }>;
  encode(
    wavPath: string,
    mp3Path: string,
    tags: { readonly title: string; readonly callId: string; readonly recordedAt: Date },
  ): Promise<{
    readonly durationMs: number;
    readonly bytes: number;
    readonly peaks: RecordingPeaks;
  }>;
}

/** Signed, expiring links to recordings (decisions.md 6). */
export interface RecordingLinks {
  /** How long a link opens the recording. */
  readonly validMs: number;
  urlFor(callUuid: string): { readonly url: string; readonly expiresAtMs: number };
}
