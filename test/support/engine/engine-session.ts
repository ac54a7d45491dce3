/**
 * Shared helpers of engine tests: settings for a provider at a test server, and reading an engine's
 * output to the end.
 */

import type { ToolSnapshot } from "../../../src/conversation/call-config.ts";
import type {
  Engine,
  EngineSession,
  LlmEvent,
  LlmInput,
  SessionSettings,
} from "../../../src/conversation/engine-port.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { openAiLlm, openAiStt, openAiTts } from "../../../src/engine/openai/engine.ts";
import type { EmbeddingSettings, OpenAiSettings } from "../../../src/engine/openai/settings.ts";
import { composeEngine, type PartEngines } from "../../../src/engine/provider.ts";
import { ProviderFailure } from "../../../src/engine/provider-failure.ts";
import type { RealtimeSettings } from "../../../src/engine/realtime/settings.ts";
import type { EngineSettings, ProviderChoice } from "../../../src/engine/settings.ts";

export const PORTS = { clock: systemClock, random: systemRandom, log: silentLog };

export const API_KEY = "sk-canary-0123456789abcdef";

const VOICES = { Sari: "nova", Emma: "shimmer", Nathan: "onyx", Adrian: "echo" };

export interface ServerOptions {
  readonly name?: string;
  readonly apiKey?: string | null;
  readonly connectTimeoutMs?: number;
  readonly sttTimeoutMs?: number;
  readonly llmTimeoutMs?: number;
  readonly ttsTimeoutMs?: number;
  readonly sttMode?: "file" | "sse" | "realtime";
  readonly realtimeUrl?: string;
  readonly realtimeModel?: string;
  readonly sttModel?: string;
  /** WebSocket URL for text to speech. */
  readonly speechUrl?: string;
  readonly ttsModel?: string;
  readonly ttsInstructions?: string;
  readonly voices?: OpenAiSettings["voices"];
  readonly format?: "pcm" | "wav";
  readonly contextTokens?: number;
  readonly llmModel?: string;
  readonly llmApi?: "auto" | "chat" | "responses";
  readonly llmReasoningEffort?: string;
}

export function openAiSettings(url: string, options: ServerOptions = {}): OpenAiSettings {
  return {
    stt_base_url: null,
    llm_base_url: null,
    tts_base_url: null,
    stt_api_key: null,
    llm_api_key: null,
    tts_api_key: null,
    base_url: url,
    api_key: options.apiKey === undefined ? API_KEY : options.apiKey,
    api_key_header: "authorization",
    api_version: null,
    connect_timeout_ms: options.connectTimeoutMs ?? 1_000,
    stt_model: options.sttModel ?? "stt-model",
    stt_timeout_ms: options.sttTimeoutMs ?? 3_000,
    stt_mode: options.sttMode ?? "file",
    stt_realtime_url: options.realtimeUrl ?? null,
    stt_realtime_model: options.realtimeModel ?? null,
    stt_prompt: null,
    stt_keywords: true,
    llm_model: options.llmModel ?? "llm-model",
    llm_api: options.llmApi ?? "auto",
    llm_reasoning_effort: options.llmReasoningEffort ?? "",
    llm_timeout_ms: options.llmTimeoutMs ?? 3_000,
    llm_context_tokens: options.contextTokens ?? 32_000,
    llm_temperature: 0.4,
    tts_model: options.ttsModel ?? "tts-model",
    tts_mode: options.speechUrl === undefined ? "auto" : "realtime",
    tts_realtime_url: options.speechUrl ?? null,
    tts_instructions: options.ttsInstructions ?? null,
    tts_timeout_ms: options.ttsTimeoutMs ?? 2_000,
    tts_sample_rate_hz: 24_000,
    tts_format: options.format ?? "pcm",
    stt_eur_per_min: 0,
    tts_eur_per_million_characters: 0,
    llm_input_eur_per_million_tokens: 0,
    llm_output_eur_per_million_tokens: 0,
    voices: options.voices ?? VOICES,
  };
}

/** A provider at a test server, in the form that call workers get. */
export const openAiChoice = (url: string, options: ServerOptions = {}): ProviderChoice => ({
  id: options.name ?? "openai",
  settings: { ...openAiSettings(url, options) },
});

/** The provider's three parts. */
export function openAiParts(settings: OpenAiSettings): PartEngines {
  return {
    stt: openAiStt(settings, PORTS),
    llm: openAiLlm(settings, { id: "openai", ...PORTS }),
    tts: openAiTts(settings, PORTS),
  };
}

/** The provider's three parts without a fallback. */
export const openAiEngine = (url: string, options: ServerOptions = {}): Engine =>
  composeEngine("openai", openAiParts(openAiSettings(url, options)));

export function realtimeSettings(
  url: string,
  more: Partial<RealtimeSettings> = {},
): RealtimeSettings {
  return {
    base_url: url,
    api_key: null,
    api_key_header: "authorization",
    model: "gpt-realtime",
    transcription_model: "whisper-1",
    audio: "g711",
    turn_detection: "own",
    turn_eagerness: "auto",
    noise_reduction: "off",
    reasoning_effort: "",
    transcription_prompt: null,
    transcription_keywords: true,
    // Long, because the test server shares the thread. Tests of one of these limits set their own.
    connect_timeout_ms: 10_000,
    response_timeout_ms: 10_000,
    input_eur_per_million_tokens: 0,
    output_eur_per_million_tokens: 0,
    voices: { Sari: "marin", Emma: "shimmer", Nathan: "cedar", Adrian: "echo" },
    ...more,
  };
}

export const realtimeChoice = (
  url: string,
  more: Partial<RealtimeSettings> = {},
): ProviderChoice => ({ id: "realtime", settings: { ...realtimeSettings(url, more) } });

/** The same providers for all three parts, in the order in which they are tried. */
export const sameForAllParts = (
  choices: readonly ProviderChoice[],
): EngineSettings["providers"] => ({ stt: choices, llm: choices, tts: choices });

export const BOOKING: ToolSnapshot = {
  name: "book_visit",
  description: "Books a visit.",
  parameters: {
    type: "object",
    properties: { day: { type: "string" } },
    required: ["day"],
  },
};

export function sessionSettings(more: Partial<SessionSettings> = {}): SessionSettings {
  return {
    callId: "call-1",
    language: "en",
    voice: "Sari",
    sampleRateHz: 8000,
    systemPrompt: "You answer for a dental clinic.",
    knowledge: [],
    tools: [BOOKING],
    ...more,
  };
}

export const utterance = (text: string): LlmInput => ({
  type: "utterance",
  text,
  confidence: 0.9,
});

/** Every event of an answer. */
export async function answerTo(
  session: EngineSession,
  input: LlmInput,
  signal: AbortSignal = new AbortController().signal,
): Promise<LlmEvent[]> {
  return await Array.fromAsync(session.llm.respond(input, signal));
}

export const textOf = (events: readonly LlmEvent[]): string =>
  events.flatMap((event) => (event.type === "text" ? [event.text] : [])).join(" ");

/** The complete audio of a sentence. */
export async function speech(session: EngineSession, text: string): Promise<Int16Array> {
  const chunks = await Array.fromAsync(session.tts.speak(text, new AbortController().signal));
  return Int16Array.from(chunks.flatMap((chunk) => [...chunk]));
}

/** Feeds `ms` of a tone to speech to text. */
export function hum(session: EngineSession, ms: number): void {
  const frame = Int16Array.from({ length: 160 }, (_, index) =>
    Math.round(6_000 * Math.sin((2 * Math.PI * 220 * index) / 8_000)),
  );
  session.stt.startUtterance(new Int16Array(800));
  for (let passed = 0; passed < ms; passed += 20) session.stt.push(frame);
}

/** Includes the keys for embeddings, which only `[engine.openai]` has. */
export const embeddingSettings = (
  url: string,
  more: Partial<EmbeddingSettings> = {},
): EmbeddingSettings => ({
  ...openAiSettings(url),
  embedding_model: null,
  embedding_base_url: null,
  embedding_api_key: null,
  embedding_eur_per_million_tokens: 0,
  ...more,
});

/** Returns the provider failure with which `work` rejects. */
export async function failureOf(work: Promise<unknown>): Promise<ProviderFailure> {
  const failure = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(failure instanceof ProviderFailure)) throw new Error(`no failure but ${String(failure)}`);
  return failure;
}
