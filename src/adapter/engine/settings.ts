/**
 * What `[engine]` says, as the call worker gets it: plain data (structured clone), checked already.
 * Keys of providers are in here; nothing of it is ever logged.
 */
import type { AgentVoice } from "../../domain/agent/agent.ts";

export interface EngineSettings {
  readonly kind: "embedded" | "openai" | "realtime";
  /** In the order they are tried; empty with `kind` "embedded". */
  readonly providers: readonly ProviderSettings[];
  /** When all providers fail, the embedded engine takes a message. */
  readonly takesMessages: boolean;
  readonly guard: GuardSettings;
}

export type ProviderSettings = OpenAiSettings | RealtimeSettings;

/** Patience with providers that fail. */
export interface GuardSettings {
  /** Further attempts at the same provider, where that may help. */
  readonly retries: number;
  /** Failures in a row that open a provider's breaker. */
  readonly breakerFailures: number;
  /** An open breaker lets one request try again after this long. */
  readonly breakerOpenMs: number;
}

/** One service of a provider. */
export interface ServiceSettings {
  /** Without a trailing slash, e.g. `http://127.0.0.1:8000/v1`. */
  readonly baseUrl: string;
  /** Null: no Authorization header. */
  readonly apiKey: string | null;
  readonly model: string;
  readonly connectTimeoutMs: number;
  /** STT: until the text; LLM: until the first token; TTS: until the first audio. */
  readonly timeoutMs: number;
}

export interface SttSettings extends ServiceSettings {
  /** `file`: one request an utterance; `sse`: the same, streamed; `realtime`: over a WebSocket. */
  readonly mode: "file" | "sse" | "realtime";
  /** For `realtime`: ws:// or wss:// URL. */
  readonly realtimeUrl: string;
}

export interface LlmSettings extends ServiceSettings {
  readonly contextTokens: number;
  readonly temperature: number;
}

export interface TtsSettings extends ServiceSettings {
  /** Of headerless PCM; a WAV header says it itself. */
  readonly sampleRateHz: number;
  readonly format: "pcm" | "wav";
  readonly voices: Readonly<Record<AgentVoice, string>>;
}

export interface OpenAiSettings {
  readonly kind: "openai";
  /** For logs and breakers: "openai" or "standby". */
  readonly name: string;
  readonly stt: SttSettings;
  readonly llm: LlmSettings;
  readonly tts: TtsSettings;
}

export interface RealtimeSettings {
  readonly kind: "realtime";
  readonly name: string;
  /** ws:// or wss:// URL; the model is added as a query parameter. */
  readonly url: string;
  readonly apiKey: string | null;
  readonly model: string;
  /** Writes down what callers say; empty: nothing does. */
  readonly transcriptionModel: string;
  readonly audio: "g711_alaw" | "g711_ulaw" | "pcm";
  readonly turnDetection: "own" | "server";
  readonly connectTimeoutMs: number;
  readonly responseTimeoutMs: number;
  readonly voices: Readonly<Record<AgentVoice, string>>;
}

export const DEFAULT_GUARD: GuardSettings = {
  retries: 1,
  breakerFailures: 3,
  breakerOpenMs: 30_000,
};

/** The embedded engine alone. */
export const EMBEDDED_ONLY: EngineSettings = {
  kind: "embedded",
  providers: [],
  takesMessages: true,
  guard: DEFAULT_GUARD,
};
