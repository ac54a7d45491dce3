/** What tests of engines share: settings of a provider at a test server, and an engine read to its end. */

import type { OpenAiSettings } from "../../src/adapter/engine/settings.ts";
import { systemClock } from "../../src/core/clock.ts";
import { silentLog } from "../../src/core/log.ts";
import { systemRandom } from "../../src/core/random.ts";
import type { ToolSnapshot } from "../../src/domain/conversation/call-config.ts";
import type {
  EngineSession,
  LlmEvent,
  LlmInput,
  SessionSettings,
} from "../../src/domain/conversation/engine-port.ts";

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
  readonly format?: "pcm" | "wav";
  readonly contextTokens?: number;
}

export function openAiSettings(url: string, options: ServerOptions = {}): OpenAiSettings {
  const service = {
    baseUrl: url,
    apiKey: options.apiKey === undefined ? API_KEY : options.apiKey,
    connectTimeoutMs: options.connectTimeoutMs ?? 1_000,
  };
  return {
    kind: "openai",
    name: options.name ?? "openai",
    stt: {
      ...service,
      model: "stt-model",
      timeoutMs: options.sttTimeoutMs ?? 3_000,
      mode: options.sttMode ?? "file",
      realtimeUrl: options.realtimeUrl ?? "",
    },
    llm: {
      ...service,
      model: "llm-model",
      timeoutMs: options.llmTimeoutMs ?? 3_000,
      contextTokens: options.contextTokens ?? 32_000,
      temperature: 0.4,
    },
    tts: {
      ...service,
      model: "tts-model",
      timeoutMs: options.ttsTimeoutMs ?? 2_000,
      sampleRateHz: 24_000,
      format: options.format ?? "pcm",
      voices: VOICES,
    },
  };
}

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

/** All of a sentence, spoken. */
export async function speech(session: EngineSession, text: string): Promise<Int16Array> {
  const chunks = await Array.fromAsync(session.tts.speak(text, new AbortController().signal));
  return Int16Array.from(chunks.flatMap((chunk) => [...chunk]));
}

/** Says `ms` of a tone into the ear. */
export function hum(session: EngineSession, ms: number): void {
  const frame = Int16Array.from({ length: 160 }, (_, index) =>
    Math.round(6_000 * Math.sin((2 * Math.PI * 220 * index) / 8_000)),
  );
  session.stt.startUtterance(new Int16Array(800));
  for (let passed = 0; passed < ms; passed += 20) session.stt.push(frame);
}
