/** [engine] and its tables, one a kind. */
import { z } from "zod";
import { AGENT_VOICES } from "../../../domain/agent/agent.ts";
import { isHttpUrl, isWebSocketUrl } from "../formats.ts";
import {
  decimal,
  integer,
  oneOf,
  optionalText,
  quoted,
  secret,
  section,
  tableOf,
  text,
  textOrOff,
} from "../key.ts";

const model = { allowed: "the name of a model", charactersMax: 200 };
const url = {
  allowed: 'an http:// or https:// URL, e.g. "http://127.0.0.1:8000/v1"',
  matches: isHttpUrl,
};
const socketUrl = {
  allowed: 'a ws:// or wss:// URL, e.g. "wss://api.openai.com/v1/realtime"',
  matches: isWebSocketUrl,
};
const key = { allowed: "an API key" };
const price = () => decimal(0, 0, 100_000);

/** The four voices of the API, each as the provider calls it. */
const voices = (names: Record<(typeof AGENT_VOICES)[number], string>) => {
  const name = { allowed: "the provider's name of the voice", charactersMax: 200 };
  return section({
    Sari: text(names.Sari, name),
    Emma: text(names.Emma, name),
    Nathan: text(names.Nathan, name),
    Adrian: text(names.Adrian, name),
  });
};

const embedded = section({
  /** 0: as many as the machine has cores to spare. */
  speech_workers: integer(0, 0, 64),
  speech_rate_percent: integer(100, 50, 200),
});

/** An OpenAI-compatible provider; each part falls back to `base_url` and, there, `api_key`. */
const compatible = (baseUrl: z.ZodType<string | null>) =>
  section({
    base_url: baseUrl,
    api_key: secret(key),
    llm_model: text("gpt-4o-mini", model),
    llm_base_url: optionalText(url),
    llm_api_key: secret(key),
    llm_context_tokens: integer(128_000, 1024, 10_000_000),
    llm_temperature: decimal(0.4, 0, 2),
    stt_model: text("gpt-4o-mini-transcribe", model),
    stt_base_url: optionalText(url),
    stt_api_key: secret(key),
    stt_mode: oneOf(["file", "sse", "realtime"], "file"),
    stt_realtime_url: optionalText(socketUrl),
    tts_model: text("gpt-4o-mini-tts", model),
    tts_base_url: optionalText(url),
    tts_api_key: secret(key),
    tts_format: oneOf(["pcm", "wav"], "pcm"),
    tts_sample_rate_hz: integer(24_000, 8000, 48_000),
    connect_timeout_ms: integer(3000, 100, 60_000),
    stt_timeout_ms: integer(10_000, 100, 60_000),
    llm_timeout_ms: integer(3000, 100, 60_000),
    tts_timeout_ms: integer(2000, 100, 60_000),
    stt_eur_per_min: price(),
    llm_input_eur_per_million_tokens: price(),
    llm_output_eur_per_million_tokens: price(),
    tts_eur_per_million_characters: price(),
    voices: voices({ Sari: "nova", Emma: "shimmer", Nathan: "onyx", Adrian: "echo" }),
  });

const openai = compatible(text("https://api.openai.com/v1", url));
const standby = compatible(optionalText(url));

const realtime = section({
  base_url: text("wss://api.openai.com/v1/realtime", socketUrl),
  api_key: secret(key),
  model: text("gpt-realtime", model),
  /** Writes down what callers say; "" leaves transcripts without the caller's words. */
  transcription_model: textOrOff("gpt-4o-mini-transcribe", model),
  audio: oneOf(["g711", "g711_ulaw", "pcm"], "g711"),
  turn_detection: oneOf(["own", "server"], "own"),
  connect_timeout_ms: integer(3000, 100, 60_000),
  response_timeout_ms: integer(3000, 100, 60_000),
  input_eur_per_million_tokens: price(),
  output_eur_per_million_tokens: price(),
  voices: voices({ Sari: "marin", Emma: "shimmer", Nathan: "cedar", Adrian: "echo" }),
});

export const engine = section({
  kind: oneOf(["embedded", "openai", "realtime"], "embedded"),
  fallback: oneOf(["embedded", "openai", "realtime", "standby", "none"], "embedded"),
  retries: integer(1, 0, 5),
  breaker_failures: integer(3, 1, 100),
  breaker_open_sec: integer(30, 1, 3600),
  voice_aliases: tableOf(
    z.enum(AGENT_VOICES),
    {},
    `your names of voices, each for one of ${quoted(AGENT_VOICES)}, e.g. "Brand Sari" = "Sari"`,
  ),
  embedded,
  openai,
  standby,
  realtime,
});
