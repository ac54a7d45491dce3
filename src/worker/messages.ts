/**
 * All messages between the main thread and a call worker. Plain data only (structured clone).
 * Messages about one active conversation use `call` and `event`; see
 * conversation/call-protocol.ts.
 *
 * Life of a call in these messages:
 *
 *   open → opened → call … event … → close → closed
 *
 * `closed` is the last message of a call and is always sent, also after `failed`.
 */

import type { VoiceSample } from "../call/web/voice-samples.ts";
import type { CallConfig } from "../conversation/call-config.ts";
import type { CallCommand, CallEvent } from "../conversation/call-protocol.ts";
import type { CallReport } from "../conversation/call-report.ts";
import type { ChatEvent, ChatInput, ChatMessage } from "../conversation/chat.ts";
import type { ConversationSettings } from "../conversation/conversation-settings.ts";
import type { EndedReason } from "../core/ended-reason.ts";
import type { MessageOf } from "../core/thread-messages.ts";
import type {
  TopicAsk,
  TopicReply,
  TopicSource,
} from "../engine/embedded/scripted/agent-topics.ts";
import type { ProviderIncident } from "../engine/provider-incident.ts";
import type { EngineSettings } from "../engine/settings.ts";
import type { KnowledgePassage } from "../features/knowledge/knowledge-index.ts";
import type { RtpSendThreadHandle } from "../media/rtp/rtp-send-thread.ts";

export interface CallWorkerSettings {
  /** This worker's slice of `[rtp] ports`, inclusive; even ports carry RTP, odd ones RTCP. */
  readonly rtpPorts: { readonly first: number; readonly last: number };
  readonly rtpTimeoutMs: number;
  readonly holdTimeoutMs: number;
  readonly jitterMsMax: number;
  /** Whether headers of a call's packets are stored. If missing: no. */
  readonly keepsPacketHeaders?: boolean;
  readonly engine: EngineSettings;
  readonly conversation: ConversationSettings;
}

/** Main thread to the calls of a worker: `CallHost` has a method for each. */
export interface CallHostCommands {
  /** The speech worker died and was replaced: its port from now on. */
  useSpeechPort: [port: MessagePort];
  /** Binds a socket and prepares the conversation (synthesises the greeting). */
  open: [config: CallConfig];
  call: [callId: string, command: CallCommand];
  /** Ends the call, flushes the recording, and answers with `closed`. */
  close: [callId: string, reason: EndedReason];
  /**
   * Opens a chat: no audio, nothing prepared. Answered with `chatOpened`. `history`: earlier
   * messages.
   */
  openChat: [config: CallConfig, history: readonly ChatMessage[]];
  askChat: [callId: string, input: ChatInput];
  closeChat: [callId: string];
  /** Speaks a sentence outside of calls. Answered with `sampleSpoken`. */
  speakSample: [sampleId: number, sample: VoiceSample];
  /** Answer to `knowledgeAsked`. */
  passages: [askId: number, passages: readonly KnowledgePassage[]];
  /** Answer to `topicsAsked`; null if there is no answer. */
  topicsFound: [askId: number, reply: TopicReply | null];
}

/** Main thread to the thread itself. */
interface CallWorkerCommands extends CallHostCommands {
  init: [
    settings: CallWorkerSettings,
    speechPort: MessagePort,
    /** Null: packets are sent when they are created. */
    sendThread: RtpSendThreadHandle | null,
  ];
  /** Answered with `pong` between two pieces of work. */
  ping: [];
  shutdown: [];
}

/** Worker to main thread. */
export interface CallWorkerEvents {
  ready: [];
  /** Reply to `ping`: the worker's event loop is responsive. */
  pong: [];
  /** A line for the main thread's log; personal data is masked before it leaves the worker. */
  log: [
    level: "debug" | "info" | "warn" | "error",
    event: string,
    fields: Readonly<Record<string, string | number | boolean | null>>,
  ];
  /** A provider is unusable for everybody, or works again. */
  providerTrouble: [trouble: ProviderIncident];
  /** Duration of a stall of the audio. */
  stalled: [lateMs: number];
  opened: [callId: string, rtpPort: number];
  event: [callId: string, event: CallEvent];
  closed: [callId: string, report: CallReport];
  /** `opening`: the agent's first words; empty if the caller speaks first. */
  chatOpened: [callId: string, opening: string];
  chatEvent: [callId: string, event: ChatEvent];
  /** A WAV file; null if the voice cannot speak now. */
  sampleSpoken: [sampleId: number, wav: Uint8Array | null];
  /**
   * Requests passages for this question from the knowledge of the call's agent; `passages` follows.
   */
  knowledgeAsked: [callId: string, askId: number, question: string];
  /** Requests topics of the call's agent, for the scripted agent; `topicsFound` follows. */
  topicsAsked: [callId: string, askId: number, language: TopicSource["language"], ask: TopicAsk];
}

export type ToCallWorker = MessageOf<CallWorkerCommands>;
export type FromCallWorker = MessageOf<CallWorkerEvents>;
