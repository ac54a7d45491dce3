/**
 * Everything the main thread and a call worker say to each other. Plain data only (structured
 * clone). What concerns one running conversation goes through `call` and `event`, and is described
 * in domain/conversation/call-protocol.ts.
 *
 * A call's life here:
 *   open → opened → call … event … → close → closed
 * `closed` is the last message of a call and always comes, also after `failed`.
 */
import type { EndedReason } from "../../core/ended-reason.ts";
import type { MessageOf } from "../../core/thread-messages.ts";
import type { VoiceSample } from "../../domain/call/web/voice-samples.ts";
import type { CallConfig } from "../../domain/conversation/call-config.ts";
import type { CallCommand, CallEvent } from "../../domain/conversation/call-protocol.ts";
import type { CallReport } from "../../domain/conversation/call-report.ts";
import type { ChatEvent, ChatInput, ChatMessage } from "../../domain/conversation/chat.ts";
import type { ConversationSettings } from "../../domain/conversation/conversation-settings.ts";
import type { KnowledgePassage } from "../../domain/knowledge/knowledge-index.ts";
import type {
  TopicAsk,
  TopicReply,
  TopicSource,
} from "../engine/embedded/scripted/agent-topics.ts";
import type { ProviderTrouble } from "../engine/provider-trouble.ts";
import type { EngineSettings } from "../engine/settings.ts";
import type { DeparturesHandle } from "../media/rtp/departures.ts";

export interface CallWorkerSettings {
  /** This worker's slice of `[rtp] ports`, inclusive; even ports carry RTP, odd ones RTCP. */
  readonly rtpPorts: { readonly first: number; readonly last: number };
  readonly rtpTimeoutMs: number;
  readonly holdTimeoutMs: number;
  readonly jitterMsMax: number;
  /** Whether headers of a call's packets are kept. Missing: no. */
  readonly keepsPacketHeaders?: boolean;
  readonly engine: EngineSettings;
  readonly conversation: ConversationSettings;
}

/** Main to the calls of a worker: `CallHost` has a method for each. */
export interface CallHostCommands {
  /** The speech worker died and was replaced: its port for what comes from now on. */
  useSpeechPort: [port: MessagePort];
  /** Binds a socket, prepares the conversation (greeting synthesised ahead). */
  open: [config: CallConfig];
  call: [callId: string, command: CallCommand];
  /** Stop, flush the recording, answer with `closed`. */
  close: [callId: string, reason: EndedReason];
  /**
   * A conversation in writing: no audio, nothing prepared. Answered with `chatOpened`. `history`:
   * what was said before.
   */
  openChat: [config: CallConfig, history: readonly ChatMessage[]];
  askChat: [callId: string, input: ChatInput];
  closeChat: [callId: string];
  /** Speaks a sentence outside of calls. Answered with `sampleSpoken`. */
  speakSample: [sampleId: number, sample: VoiceSample];
  /** The answer to `knowledgeAsked`. */
  passages: [askId: number, passages: readonly KnowledgePassage[]];
  /** The answer to `topicsAsked`; null if nothing answers. */
  topicsFound: [askId: number, reply: TopicReply | null];
}

/** Main to the thread itself. */
interface CallWorkerCommands extends CallHostCommands {
  init: [
    settings: CallWorkerSettings,
    speechPort: MessagePort,
    /** Null: packets leave when they are made. */
    departures: DeparturesHandle | null,
  ];
  /** Answered with `pong` between two pieces of work. */
  ping: [];
  shutdown: [];
}

/** Worker to main. */
export interface CallWorkerEvents {
  ready: [];
  /** The answer to `ping`: the thread still turns. */
  pong: [];
  /** A line for main's log; personal data is masked before it leaves the worker. */
  log: [
    level: "debug" | "info" | "warn" | "error",
    event: string,
    fields: Readonly<Record<string, string | number | boolean | null>>,
  ];
  /** A provider that nobody can use, and that it answers again. */
  providerTrouble: [trouble: ProviderTrouble];
  /** Audio stood still for that long. */
  stalled: [lateMs: number];
  opened: [callId: string, rtpPort: number];
  event: [callId: string, event: CallEvent];
  closed: [callId: string, report: CallReport];
  /** `opening`: the words the agent begins with, empty where the caller has the first word. */
  chatOpened: [callId: string, opening: string];
  chatEvent: [callId: string, event: ChatEvent];
  /** A WAV file; null: the voice cannot speak now. */
  sampleSpoken: [sampleId: number, wav: Uint8Array | null];
  /** Passages for this question, out of what the call's agent may know; `passages` follows. */
  knowledgeAsked: [callId: string, askId: number, question: string];
  /** What the call's agent can be asked, for the built-in engine; `topicsFound` follows. */
  topicsAsked: [callId: string, askId: number, language: TopicSource["language"], ask: TopicAsk];
}

export type ToCallWorker = MessageOf<CallWorkerCommands>;
export type FromCallWorker = MessageOf<CallWorkerEvents>;
