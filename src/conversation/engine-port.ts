/**
 * Interface of an engine for conversations: speech to text (STT), a language model (LLM) and text to speech
 * (TTS). Each has capabilities, streams and usage figures. A provider (embedded, OpenAI-compatible, …)
 * implements all three. `engine` in the API is `Engine.label`. Realtime engines (speech to speech) will get a
 * separate port.
 *
 * PCM here is always 16-bit mono at `SessionSettings.sampleRateHz`.
 */

import type { JsonObject, JsonValue } from "../core/json.ts";
import type { AgentLanguage, AgentVoice } from "../features/agent/agent.ts";
import type { KnowledgePassage } from "../features/knowledge/knowledge-index.ts";
import type { KnowledgeSnapshot, ToolSnapshot } from "./call-config.ts";

export interface Engine {
  readonly label: string;
  /** Opens a session per call. Must be cheap: heavy parts are warm already or load in the background. */
  open(settings: SessionSettings): EngineSession;
  /**
   * Called when the speech worker died, with the port of its successor. Sessions continue, but running work
   * fails with EngineFailure. Absent: the engine needs no speech worker. A composite engine passes the port
   * to its parts.
   */
  useSpeechPort?(port: MessagePort): void;
  close(): Promise<void>;
}

export interface SessionSettings {
  readonly callId: string;
  readonly language: AgentLanguage;
  readonly voice: AgentVoice;
  readonly sampleRateHz: 8000 | 16000;
  /** Full system prompt with the KNOWLEDGE BASE section, for generating engines. */
  readonly systemPrompt: string;
  /** The same knowledge as data, for retrieving engines. */
  readonly knowledge: readonly KnowledgeSnapshot[];
  /** Earlier calls of the caller, for retrieving engines. Missing or null: none. */
  readonly memory?: KnowledgeSnapshot | null;
  /** True if knowledge comes with each question (`passages`) instead of the prompt. Missing: false. */
  readonly looksUpKnowledge?: boolean;
  readonly tools: readonly ToolSnapshot[];
  /** Transfer targets for a caller who wants a person; the first is the default. */
  readonly transferTargets?: readonly string[];
  /**
   * The conversation's built-in tools (conversation/tools/built-in-tools.ts). An engine with a generative
   * model offers them together with `tools` and returns an ordinary `tool_call` event. Other engines ignore
   * them.
   */
  readonly builtInTools?: readonly ToolSnapshot[];
  /** Caller's number in E.164, for a callback; empty if withheld. */
  readonly callerNumber?: string;
  /** Calls with the same key have prompts with the same beginning, so a provider can cache it. */
  readonly promptCacheKey?: string;
  /** Identifies the caller at a provider without revealing who it is. Empty or absent: unknown. */
  readonly safetyIdentifier?: string;
  /** Messages before this session began: the greeting, or a call that another engine could not continue. */
  readonly history?: readonly ChatMessage[];
}

/** One spoken message as it was heard, or one tool result. */
export interface ChatMessage {
  readonly by: "agent" | "caller" | "tool";
  readonly text: string;
}

export interface EngineSession {
  readonly stt: SttStream;
  readonly llm: LlmSession;
  readonly tts: TtsStream;
  /** Switches STT and TTS to this language from the next utterance on. Absent: not supported. */
  switchLanguage?(language: AgentLanguage): void;
  /** True if STT or TTS runs in the speech worker now, so a worker crash affects this call. */
  readonly onSpeechWorker?: boolean;
  /** True if all three share one socket, so a replacement must replace all three. */
  readonly combinedSession?: boolean;
  close(): void;
}

/** Speech to text. Gets audio every 20 ms; the conversation's VAD marks begin and end of utterances. */
export interface SttStream {
  readonly capabilities: { readonly partials: boolean };
  /** The caller began to speak; `lead` is the audio just before (≤ 500 ms). */
  startUtterance(lead: Int16Array): void;
  push(pcm: Int16Array): void;
  /**
   * Starts recognition at the first silence, because the caller may have finished. The words come as a
   * partial. `finalize` returns this result unless `dropEarly` came first. Absent: words are recognised
   * during speech.
   */
  recogniseEarly?(): void;
  /** The caller continued: discard the early result. */
  dropEarly?(): void;
  /** The utterance is over: resolves with its final text. Rejects with EngineFailure. */
  finalize(): Promise<SttResult>;
  /** Discards an utterance that was not speech (a cough, a false interruption). */
  discard(): void;
  /** Called with the latest stable words of the running utterance. */
  onPartial(listener: (text: string) => void): void;
  /** Called when the provider detects the end of the utterance; `finalize` or `discard` follows. */
  onEndpoint?(listener: () => void): void;
  /** Sets the kind of answer that the LLM expects. Engines with grammars use it; others ignore it. */
  expect(answer: ExpectedAnswer): void;
}

export type ExpectedAnswer = "open" | "yes_no" | "digits" | "date" | "time" | "name" | "keys";

export interface SttResult {
  /** Empty: speech was detected but no words were understood. */
  readonly text: string;
  /** 0 to 1. */
  readonly confidence: number;
  /** Milliseconds of audio that the provider recognised, including `discardedMs`. */
  readonly audioMs: number;
  /** Milliseconds of discarded early recognition. Absent: none. */
  readonly discardedMs?: number;
}

/** Language model session with the history of one call. */
export interface LlmSession {
  /**
   * `earlyStart`: true if `respond` may be called before the caller has certainly finished. An answer that is
   * aborted before its first event leaves no trace in the history. Absent: false.
   */
  readonly capabilities?: { readonly earlyStart: boolean };
  /** Stable words of the running utterance, to prefetch related data. Cheap, never throws. */
  heardSoFar?(text: string): void;
  /**
   * Streams the answer to one input; ends with `done`. Aborting stops it and keeps the rest out of the
   * history. Text arrives in speakable pieces.
   */
  respond(input: LlmInput, signal: AbortSignal): AsyncIterable<LlmEvent>;
  /**
   * Sets the part of the last response that the caller heard before an interruption. Empty: none, and the
   * caller's next words may begin with the same question. `playedMs`: length of that part, if known.
   */
  truncateSpoken(text: string, playedMs?: number): void;
  /** Usage since the last `done`, from cut or discarded answers. */
  takeUsage?(): LlmUsage;
  /** Summarises the whole call in the agent's language. */
  summarize(end: CallEnd): Promise<CallSummary>;
}

export interface CallSummary {
  /** 1–2 sentences. */
  readonly text: string;
  /**
   * One-line topic and outcome without private details, used when the same number calls again. Empty: not
   * known.
   */
  readonly line: string;
}

export type LlmInput = {
  /**
   * Answers with tool calls that may still follow. 0: the model must answer without tools, and apologises if
   * it does not. Missing: `TOOL_ROUNDS_MAX`.
   */
  readonly toolRounds?: number;
} & (
  | {
      readonly type: "utterance";
      readonly text: string;
      readonly confidence: number;
      /** Knowledge passages that match these words. Missing: the prompt has all knowledge. */
      readonly passages?: readonly KnowledgePassage[];
      /** True if the caller may continue; usage of an unused answer then counts as discarded. */
      readonly early?: boolean;
    }
  | { readonly type: "digits"; readonly digits: string }
  | {
      readonly type: "tool_result";
      readonly toolCallId: string;
      readonly ok: boolean;
      readonly output: JsonValue;
    }
  /** The caller is silent; `count` is the number of the prompt (1 or 2). */
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
  /** The caller left a message for the company. */
  | { readonly type: "message"; readonly text: string }
  | {
      readonly type: "done";
      readonly usage: LlmUsage;
      /** Rounds within this answer whose tool calls failed. Missing: 0. */
      readonly rejectedRounds?: number;
    };

/** Token usage of one answer. */
export interface LlmUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Input tokens that the provider had cached. Absent: not reported. */
  readonly cachedInputTokens?: number;
  /** Usage of discarded early answers. Absent: none. */
  readonly discarded?: { readonly inputTokens: number; readonly outputTokens: number };
}

export const NOTHING_USED: LlmUsage = { inputTokens: 0, outputTokens: 0 };

export interface CallEnd {
  readonly reason: string;
  readonly durationSeconds: number;
}

/** Text to speech. */
export interface TtsStream {
  /**
   * Yields chunks as they are synthesised. Ends at the end of the text or when `signal` aborts. Rejects with
   * EngineFailure.
   */
  speak(text: string, signal: AbortSignal): AsyncIterable<Int16Array>;
  /** True if the last text was spoken with a fallback voice, which must not be cached for other calls. */
  readonly isFallback?: boolean;
  /** Announces that `text` will be spoken soon. Returns true if synthesis started. Cheap, never throws. */
  prefetch?(text: string): boolean;
  /** Cancels texts that `prefetch` announced. */
  dropPrefetched?(): void;
}

/** The voice works but cannot speak this text; another voice should be used. */
export class UnsupportedText extends Error {
  override readonly name = "UnsupportedText";

  constructor(
    message: string,
    /** The unspoken part of the text; null: all of it. */
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
