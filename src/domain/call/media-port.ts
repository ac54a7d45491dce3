/** What the call domain needs of the audio side: a channel per call into a call worker. */

import type { Unsubscribe } from "../../core/emitter.ts";
import type { EndedReason } from "../../core/ended-reason.ts";
import { AppError } from "../../core/errors.ts";
import type { CallConfig } from "../conversation/call-config.ts";
import type { CallCommands, CallEvents } from "../conversation/call-protocol.ts";
import type { CallReport } from "../conversation/call-report.ts";
import type { ChatEvent, ChatInput, ChatMessage } from "../conversation/chat.ts";
import type { KnowledgeScope } from "../knowledge/knowledge-index.ts";

/** A conversation in writing with an agent's LLM. Its owner closes it. */
export interface ChatChannel {
  /** The words the agent begins with; empty: the customer has the first word. */
  readonly opening: string;
  /** One input at a time. Ends after `done`; throws AppError when the LLM fails or is silent. */
  ask(input: ChatInput): AsyncIterable<ChatEvent>;
  close(): void;
}

export interface CallMedia {
  /** Throws AppError `unavailable` when no worker answers. */
  openChat(config: CallConfig, history: readonly ChatMessage[]): Promise<ChatChannel>;
  /** Binds an RTP port and prepares the conversation. Rejects when no worker or port is free. */
  open(config: CallConfig): Promise<CallChannel>;
}

/** The call worker died while it opened a call: neither the engine nor the carrier failed. */
export class CallWorkerDied extends AppError {
  constructor(internal: string) {
    const publicMessage = "The call could not be set up. Try again in a moment.";
    super({ code: "unavailable", publicMessage, internal, retryable: true });
  }
}

/** One call in a call worker: what `CallCommands` and `CallEvents` describe goes through it. */
export interface CallChannel {
  readonly rtpPort: number;
  /** What its agent may answer from. Missing: nothing. */
  readonly knowledgeScope?: KnowledgeScope | undefined;
  /** What is said is written to disk. Missing: it is not. */
  readonly isRecorded?: boolean;
  on<Name extends keyof CallEvents>(
    name: Name,
    listener: (event: CallEvents[Name]) => void,
  ): Unsubscribe;
  send<Name extends keyof CallCommands>(name: Name, ...args: CallCommands[Name]): void;
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

/** Signed, expiring links to recordings (decisions 6). */
export interface RecordingLinks {
  /** How long a link opens the recording. */
  readonly validMs: number;
  urlFor(callUuid: string): { readonly url: string; readonly expiresAtMs: number };
}
