/** Audio interface of the call domain: one channel per call into a call worker. */

import type { CallConfig } from "../conversation/call-config.ts";
import type { CallCommands, CallEvents } from "../conversation/call-protocol.ts";
import type { CallReport } from "../conversation/call-report.ts";
import type { ChatEvent, ChatInput, ChatMessage } from "../conversation/chat.ts";
import type { Unsubscribe } from "../core/emitter.ts";
import type { EndedReason } from "../core/ended-reason.ts";
import { AppError } from "../core/errors.ts";
import type { KnowledgeScope } from "../features/knowledge/knowledge-index.ts";

/** A text chat with an agent's LLM. The owner closes it. */
export interface ChatChannel {
  /** The agent's first words; empty if the customer begins. */
  readonly opening: string;
  /** One input at a time. Ends after `done`; throws AppError when the LLM fails or is silent. */
  ask(input: ChatInput): AsyncIterable<ChatEvent>;
  close(): void;
}

export interface CallMedia {
  /** Throws AppError `unavailable` if no worker answers. */
  openChat(config: CallConfig, history: readonly ChatMessage[]): Promise<ChatChannel>;
  /** Binds an RTP port and prepares the conversation. Rejects if no worker or port is free. */
  open(config: CallConfig): Promise<CallChannel>;
}

/** The call worker died while it opened a call. Neither the engine nor the carrier failed. */
export class CallWorkerDied extends AppError {
  constructor(internal: string) {
    const publicMessage = "The call could not be set up. Try again in a moment.";
    super({ code: "unavailable", publicMessage, internal, retryable: true });
  }
}

/** One call in a call worker. `CallCommands` and `CallEvents` describe its messages. */
export interface CallChannel {
  readonly rtpPort: number;
  /** Knowledge that its agent may answer from. Default: none. */
  readonly knowledgeScope?: KnowledgeScope | undefined;
  /** True if the audio is written to disk. Default: false. */
  readonly isRecorded?: boolean;
  on<Name extends keyof CallEvents>(
    name: Name,
    listener: (event: CallEvents[Name]) => void,
  ): Unsubscribe;
  send<Name extends keyof CallCommands>(name: Name, ...args: CallCommands[Name]): void;
  /** Always resolves within bounded time, even if the worker died. */
  close(reason: EndedReason): Promise<CallReport>;
}

/** Waveform of a recording: the lowest and highest sample of each side per time slot, as signed bytes. */
export interface RecordingPeaks {
  readonly durationMs: number;
  readonly slotsPerSecond: number;
  /** Two bytes per slot: lowest, highest. */
  readonly left: Int8Array;
  readonly right: Int8Array;
}

/** Encodes WAV to MP3 off the main thread, and repairs a WAV whose writer died. */
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
  /** How long a link is valid, in ms. */
  readonly validMs: number;
  urlFor(callUuid: string): { readonly url: string; readonly expiresAtMs: number };
}
