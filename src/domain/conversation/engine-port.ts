/**
 * The engine as a conversation sees it: speech to text (STT), a language model (LLM), text to speech (TTS). Each has capabilities, streams and
 * figures; a provider (embedded, OpenAI-compatible, …) implements all three. `engine` in the API is
 * `Engine.label`. Realtime (speech to speech) engines get a port of their own beside these.
 *
 * PCM here is always 16-bit mono at `SessionSettings.sampleRateHz`.
 */

import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { AgentLanguage, AgentVoice } from "../agent/agent.ts";
import type { KnowledgePassage } from "../knowledge/knowledge-index.ts";
import type { KnowledgeSnapshot, ToolSnapshot } from "./call-config.ts";

export interface Engine {
  readonly label: string;
  /** Per call. Cheap: heavy parts are warm already or load behind it. */
  open(settings: SessionSettings): EngineSession;
  /**
   * The speech worker died; its successor is reached over this port. Sessions go on: what was under
   * way fails with EngineFailure. Absent: the engine needs no speech worker. An engine that is made
   * of others hands it on to those that have it.
   */
  useSpeechPort?(port: MessagePort): void;
  close(): Promise<void>;
}

export interface SessionSettings {
  readonly callId: string;
  readonly language: AgentLanguage;
  readonly voice: AgentVoice;
  readonly sampleRateHz: 8000 | 16000;
  /** Full system prompt, KNOWLEDGE BASE section included, for engines that generate. */
  readonly systemPrompt: string;
  /** The same knowledge as data, for engines that retrieve. */
  readonly knowledge: readonly KnowledgeSnapshot[];
  /** Earlier calls of the caller, for engines that retrieve. Missing or null: none. */
  readonly memory?: KnowledgeSnapshot | null;
  /** Knowledge comes with each question (`passages`), not with the prompt. Missing: false. */
  readonly looksUpKnowledge?: boolean;
  readonly tools: readonly ToolSnapshot[];
  /** Where a caller who wants a person may be transferred; the first is the default. */
  readonly transferTargets?: readonly string[];
  /**
   * The conversation's own tools (conversation/tools/built-in-tools.ts). An engine whose LLM is a model
   * offers them beside `tools`; a call of one is an ordinary `tool_call` event. Others ignore them.
   */
  readonly builtInTools?: readonly ToolSnapshot[];
  /** E.164, or empty where it is withheld: whom to call back. */
  readonly callerNumber?: string;
  /** Calls with the same one have prompts that begin alike: a provider may keep that beginning. */
  readonly promptCacheKey?: string;
  /** Stands for the caller at a provider, which must not learn who it is; empty or absent: unknown. */
  readonly safetyIdentifier?: string;
  /** What was said before this session began: the greeting, or a call another engine had to leave. */
  readonly history?: readonly ChatMessage[];
}

/** One thing that was said (or that a tool returned), as it was heard. */
export interface ChatMessage {
  readonly by: "agent" | "caller" | "tool";
  readonly text: string;
}

export interface EngineSession {
  readonly stt: SttStream;
  readonly llm: LlmSession;
  readonly tts: TtsStream;
  /** Hears and speaks this language from the next utterance on. Absent: the engine cannot. */
  switchLanguage?(language: AgentLanguage): void;
  /** STT or TTS runs in the speech worker now: when that dies, this call is affected. */
  readonly onSpeechWorker?: boolean;
  /** The three belong together (one socket): whoever replaces one of them replaces all. */
  readonly combinedSession?: boolean;
  close(): void;
}

/** Speech to text. Fed every 20 ms; told where utterances begin and end by the conversation's VAD. */
export interface SttStream {
  readonly capabilities: { readonly partials: boolean };
  /** The caller began to speak; `lead` is the audio just before (≤ 500 ms). */
  startUtterance(lead: Int16Array): void;
  push(pcm: Int16Array): void;
  /**
   * Silence has begun, and the caller may have finished: what was said so far may be recognised now. Its
   * words come as a partial, and `finalize` gives its result unless `dropEarly` came between. Absent: the
   * words are known while they are spoken.
   */
  recogniseEarly?(): void;
  /** The caller went on: what was recognised early is void. */
  dropEarly?(): void;
  /** The utterance is over: its final text. Rejects with EngineFailure. */
  finalize(): Promise<SttResult>;
  /** It was no speech after all (a cough, an interruption that was none): forget the utterance. */
  discard(): void;
  /** Latest stable words of the running utterance. */
  onPartial(listener: (text: string) => void): void;
  /** The far end judges the running utterance to be over; `end` or `cancel` follows. */
  onEndpoint?(listener: () => void): void;
  /** What the LLM expects next: engines with grammars narrow down, others ignore it. */
  expect(answer: ExpectedAnswer): void;
}

export type ExpectedAnswer = "open" | "yes_no" | "digits" | "date" | "time" | "name" | "keys";

export interface SttResult {
  /** Empty: speech was heard but nothing was understood. */
  readonly text: string;
  /** 0 to 1. */
  readonly confidence: number;
  /** Recognised by the provider for it, `discardedMs` included. */
  readonly audioMs: number;
  /** Recognised early and thrown away, because the caller went on. Absent: nothing. */
  readonly discardedMs?: number;
}

/** The language side: keeps the history of its call. */
export interface LlmSession {
  /**
   * `earlyStart`: may be asked before it is certain that the caller has finished, because an answer
   * that is aborted before its first event was taken leaves neither question nor answer in the
   * history. Absent: it may not.
   */
  readonly capabilities?: { readonly earlyStart: boolean };
  /** Stable words of the running utterance: what they need may be fetched ahead. Cheap, never throws. */
  heardSoFar?(text: string): void;
  /**
   * Answers one input as a stream; ends with `done`. Aborting stops it and nothing of the rest is
   * in its history. Text arrives in speakable pieces.
   */
  respond(input: LlmInput, signal: AbortSignal): AsyncIterable<LlmEvent>;
  /**
   * What the caller really heard of the last response, when it was interrupted; empty: nothing, and what
   * the caller says next may begin with the same question. `playedMs` is how long that sounded, where the
   * conversation knows it.
   */
  truncateSpoken(text: string, playedMs?: number): void;
  /** What was used since the last `done`: by answers that were cut or thrown away. */
  takeUsage?(): LlmUsage;
  /** The whole call in words, in the agent's language. */
  summarize(end: CallEnd): Promise<CallSummary>;
}

export interface CallSummary {
  /** 1–2 sentences. */
  readonly text: string;
  /**
   * What the call was about and how it went, on one line and without private details: told to whoever
   * calls back from the number. Empty: not known.
   */
  readonly line: string;
}

export type LlmInput = {
  /**
   * Answers with tool calls that may still follow. 0: the model is asked to answer without tools, and apologises
   * if it does not. Missing: `TOOL_ROUNDS_MAX`.
   */
  readonly toolRounds?: number;
} & (
  | {
      readonly type: "utterance";
      readonly text: string;
      readonly confidence: number;
      /** Of the knowledge, what fits these words; missing: the prompt has all of it. */
      readonly passages?: readonly KnowledgePassage[];
      /** The caller may go on: what an answer nobody took has used counts as discarded. */
      readonly early?: boolean;
    }
  | { readonly type: "digits"; readonly digits: string }
  | {
      readonly type: "tool_result";
      readonly toolCallId: string;
      readonly ok: boolean;
      readonly output: JsonValue;
    }
  /** The caller says nothing: 1st, 2nd prompt. */
  | { readonly type: "silence"; readonly count: number }
);

export type LlmEvent =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "tool_call";
      readonly toolCallId: string;
      readonly tool: string;
      readonly arguments: JsonObject;
    }
  | { readonly type: "expect"; readonly answer: ExpectedAnswer }
  | { readonly type: "end_call" }
  | { readonly type: "transfer"; readonly target: string }
  /** The caller left a message for the people of the company. */
  | { readonly type: "message"; readonly text: string }
  | {
      readonly type: "done";
      readonly usage: LlmUsage;
      /** Answers within this one whose tool calls could not be carried out. Missing: 0. */
      readonly rejectedRounds?: number;
    };

/** Tokens of one answer. */
export interface LlmUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the input, what the provider still had from an earlier request; absent: it does not say. */
  readonly cachedInputTokens?: number;
  /** Of both, what early answers used that nobody took; absent: nothing. */
  readonly discarded?: { readonly inputTokens: number; readonly outputTokens: number };
}

export const NOTHING_USED: LlmUsage = { inputTokens: 0, outputTokens: 0 };

export interface CallEnd {
  readonly reason: string;
  readonly durationSeconds: number;
}

/** Text to speech. */
export interface TtsStream {
  /** Chunks as they are made. Ends when all is spoken or `signal` aborts. Rejects with EngineFailure. */
  speak(text: string, signal: AbortSignal): AsyncIterable<Int16Array>;
  /** What was spoken last was another voice than the agent's: it must not be kept for other calls. */
  readonly isFallback?: boolean;
  /** `text` will be spoken soon: may begin to make it, and says whether it did. Cheap, never throws. */
  prefetch?(text: string): boolean;
  /** What was announced so will not be spoken. */
  dropPrefetched?(): void;
}

/** Speech is there, but not of this text: nothing is broken, another voice should say it. */
export class UnsupportedText extends Error {
  override readonly name = "UnsupportedText";

  constructor(
    message: string,
    /** What of it was not said; null: nothing was. */
    readonly unspoken: string | null = null,
  ) {
    super(message);
  }
}

export class EngineFailure extends Error {
  constructor(
    readonly part: "stt" | "llm" | "tts",
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "EngineFailure";
  }
}
