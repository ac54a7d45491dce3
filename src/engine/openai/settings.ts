/**
 * `[engine.openai]` and `[engine.standby]`: one server for all three parts, or one per part. A part
 * with its own server never gets the first server's key.
 */
import type { z } from "zod";
import {
  decimal,
  flag,
  integer,
  oneOf,
  optionalText,
  secret,
  text,
  textOrOff,
} from "../../platform/config/key.ts";
import type { KeyProblem, Part } from "../provider.ts";
import { voiceProblems } from "../realtime/settings.ts";
import {
  API_KEY,
  HTTP_URL,
  isOpenAi,
  keyMissing,
  MODEL,
  needsKey,
  PROMPT,
  price,
  SOCKET_URL,
} from "../server-keys.ts";
import { voiceKeys } from "../voice-keys.ts";

const LIVE_MODEL = "gpt-live-transcribe";

export const BASE_URL = "Address of the server. Each part can have a separate address.";

const serverKeys = (baseUrl: z.ZodType<string | null>) => ({
  base_url: baseUrl,
  api_key: secret(
    "API key for base_url and for parts at the same server. Never sent to other servers.",
    API_KEY,
  ),
  api_key_header: oneOf(
    'Header for keys at base_url: "authorization" (a Bearer token), or "api-key" (for Azure and gateways).',
    ["authorization", "api-key"],
    "authorization",
  ),
  api_version: optionalText(
    "Sent to base_url as ?api-version=. Deployment paths of Azure need it.",
    {
      allowed: 'a version as Azure names it, e.g. "2025-04-01-preview"',
      matches: /^[\w.-]{1,40}$/,
    },
  ),
});

const llmKeys = () => ({
  llm_model: text("Name of the language model.", "gpt-6-luna", MODEL),
  llm_api: oneOf(
    'API of the language model. "chat": /chat/completions. "responses": /responses. "auto": the API of the model, if known, or learnt from the server.',
    ["auto", "chat", "responses"],
    "auto",
  ),
  llm_reasoning_effort: textOrOff(
    'Reasoning effort of the model: "none", "low" or another value. If the model rejects it, its lowest effort is used. Empty: not sent. The caller waits while the model reasons.',
    "none",
    {
      allowed: 'a word such as "none" or "low"',
      matches: (word) => /^[a-z][a-z0-9_-]{0,31}$/.test(word),
    },
  ),
  llm_base_url: optionalText("Address of the language model, if it is not base_url.", HTTP_URL),
  llm_api_key: secret("API key for llm_base_url.", API_KEY),
  llm_context_tokens: integer(
    "The model's context window. A prompt that fills more than 80 % of it logs a warning.",
    128_000,
    1024,
    10_000_000,
  ),
  llm_temperature: decimal("Sampling temperature. Omitted if the model rejects it.", 0.4, 0, 2),
});

const sttKeys = () => ({
  stt_model: text("Name of the model for speech to text.", "gpt-transcribe", MODEL),
  stt_base_url: optionalText("Address of speech to text, if it is not base_url.", HTTP_URL),
  stt_api_key: secret("API key for stt_base_url.", API_KEY),
  stt_mode: oneOf(
    '"file": one request per utterance. "sse": the same with a streamed response. "realtime": transcribed during the speech.',
    ["file", "sse", "realtime"],
    "file",
  ),
  stt_realtime_url: optionalText(
    'Address for stt_mode "realtime". Empty: base_url with ws:// and /realtime.',
    SOCKET_URL,
  ),
  stt_realtime_model: optionalText(
    `Name of the model for stt_mode "realtime". Empty: ${LIVE_MODEL} at OpenAI, stt_model at other servers.`,
    MODEL,
  ),
  stt_prompt: optionalText("Context for speech to text, such as the trade and its terms.", PROMPT),
  stt_keywords: flag(
    "Whether speech to text gets the names and products in the agent's knowledge.",
    true,
  ),
});

const ttsKeys = () => ({
  tts_model: text("Name of the model for text to speech.", "gpt-realtime-2.1-mini", MODEL),
  tts_base_url: optionalText("Address of text to speech, if it is not base_url.", HTTP_URL),
  tts_api_key: secret("API key for tts_base_url.", API_KEY),
  tts_mode: oneOf(
    '"http": one request per sentence. "realtime": one socket per call, over OpenAI\'s Realtime API. "auto": depends on the name of tts_model.',
    ["auto", "http", "realtime"],
    "auto",
  ),
  tts_realtime_url: optionalText(
    'Address for tts_mode "realtime". Empty: the address of text to speech with ws:// and /realtime.',
    SOCKET_URL,
  ),
  tts_instructions: optionalText(
    "Instructions for the voice: pace, accent, tone. {language} is replaced with the language of the call. Empty: models of OpenAI get only the language, others nothing.",
    PROMPT,
  ),
  tts_format: oneOf(
    "Requested audio format. A WAV header is accepted in both formats.",
    ["pcm", "wav"],
    "pcm",
  ),
  tts_sample_rate_hz: integer("Sample rate of PCM without a header.", 24_000, 8000, 48_000),
});

/** Semantic search in knowledge. One server is enough: the standby has none of these keys. */
export const embeddingKeys = () => ({
  embedding_model: optionalText(
    'Name of the embedding model, e.g. "text-embedding-3-small". With it, large knowledge is also searched by meaning. Empty: only by words.',
    MODEL,
  ),
  embedding_base_url: optionalText(
    "Address of the embedding model, if it is not base_url.",
    HTTP_URL,
  ),
  embedding_api_key: secret("API key for embedding_base_url.", API_KEY),
  embedding_eur_per_million_tokens: price("a million tokens of embeddings"),
});

const limitsAndPrices = () => ({
  connect_timeout_ms: integer("Timeout of the connection.", 3000, 100, 60_000),
  stt_timeout_ms: integer("Timeout for the text of an utterance.", 10_000, 100, 60_000),
  llm_timeout_ms: integer("Timeout for the model's first token.", 3000, 100, 60_000),
  tts_timeout_ms: integer("Timeout for the first audio of a sentence.", 2000, 100, 60_000),
  stt_eur_per_min: price("a minute of speech to text"),
  llm_input_eur_per_million_tokens: price("a million tokens of input"),
  llm_output_eur_per_million_tokens: price("a million tokens of output"),
  tts_eur_per_million_characters: price("a million spoken characters"),
  voices: voiceKeys({ Sari: "marin", Emma: "shimmer", Nathan: "cedar", Adrian: "echo" }),
});

export const openAiKeys = (baseUrl: z.ZodType<string | null>) => ({
  ...serverKeys(baseUrl),
  ...llmKeys(),
  ...sttKeys(),
  ...ttsKeys(),
  ...limitsAndPrices(),
});

export type OpenAiSettings = z.output<z.ZodObject<ReturnType<typeof openAiKeys>>>;
export type EmbeddingSettings = OpenAiSettings &
  z.output<z.ZodObject<ReturnType<typeof embeddingKeys>>>;

/** One part's server. */
export interface ServiceSettings {
  /** Without a trailing slash, e.g. `http://127.0.0.1:8000/v1`. */
  readonly baseUrl: string;
  /** Null: no key is sent. */
  readonly apiKey: string | null;
  readonly apiKeyHeader: "authorization" | "api-key";
  /** Null: no version is sent. */
  readonly apiVersion: string | null;
  readonly connectTimeoutMs: number;
  /** STT: until the text. LLM: until the first token. TTS: until the first audio. */
  readonly timeoutMs: number;
}

/** A part's own server settings; null: those of the table. */
interface OwnServer {
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
}

const ownServer = (table: OpenAiSettings, part: Part): OwnServer => ({
  baseUrl: table[`${part}_base_url`],
  apiKey: table[`${part}_api_key`],
});

const embeddingServer = (table: EmbeddingSettings): OwnServer => ({
  baseUrl: table.embedding_base_url,
  apiKey: table.embedding_api_key,
});

export const serviceOf = (table: OpenAiSettings, part: Part): ServiceSettings =>
  serverOf(table, ownServer(table, part), table[`${part}_timeout_ms`]);

export const embeddingServiceOf = (table: EmbeddingSettings, timeoutMs: number): ServiceSettings =>
  serverOf(table, embeddingServer(table), timeoutMs);

function serverOf(table: OpenAiSettings, own: OwnServer, timeoutMs: number): ServiceSettings {
  const isShared = isAtBaseUrl(table, own);
  return {
    baseUrl: (own.baseUrl ?? table.base_url ?? "").replace(/\/+$/, ""),
    apiKey: keyOf(table, own),
    apiKeyHeader: isShared ? table.api_key_header : "authorization",
    apiVersion: isShared ? table.api_version : null,
    connectTimeoutMs: table.connect_timeout_ms,
    timeoutMs,
  };
}

/** `path` starts with a slash. */
export const addressOf = ({ baseUrl, apiVersion }: ServiceSettings, path: string): string =>
  `${baseUrl}${path}${apiVersion === null ? "" : `?api-version=${apiVersion}`}`;

export function keyHeaderOf({ apiKey, apiKeyHeader }: ServiceSettings): Record<string, string> {
  if (apiKey === null) return {};
  return { [apiKeyHeader]: apiKeyHeader === "api-key" ? apiKey : `Bearer ${apiKey}` };
}

/** WebSocket address of one part, with the query that its server needs. */
export function realtimeUrlOf(
  table: OpenAiSettings,
  part: "stt" | "tts",
  query: Readonly<Record<string, string>>,
): string {
  const { baseUrl, apiVersion } = serviceOf(table, part);
  const url = new URL(
    table[`${part}_realtime_url`] ?? `${baseUrl.replace(/^http/, "ws")}/realtime`,
  );
  const all = apiVersion === null ? query : { ...query, "api-version": apiVersion };
  for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
  return url.href;
}

/** The model that transcribes while the caller speaks, or the model of a self-hosted server. */
export function liveModelOf(table: OpenAiSettings): string {
  if (table.stt_realtime_model !== null) return table.stt_realtime_model;
  return isOpenAi(realtimeUrlOf(table, "stt", {})) ? LIVE_MODEL : table.stt_model;
}

/** Models of the Realtime API speak only over its socket. */
export const speaksOverRealtime = ({ tts_mode: mode, tts_model: model }: OpenAiSettings): boolean =>
  mode === "realtime" || (mode === "auto" && /^gpt-realtime/.test(model));

/** `id`: name of the table. */
export function keyProblems(table: OpenAiSettings, id: string, part: Part): KeyProblem[] {
  const own = ownServer(table, part);
  if (own.baseUrl === null && table.base_url === null) {
    return [
      {
        key: "base_url",
        message: `[engine.${id}] base_url: "${id}" needs an address, e.g. base_url = "http://10.0.0.7:8000/v1".`,
      },
    ];
  }
  const url = own.baseUrl ?? table.base_url ?? "";
  const speaks = part === "tts" && url !== "" && speaksOverRealtime(table);
  const unknown = speaks ? voiceProblems(id, realtimeUrlOf(table, "tts", {}), table.voices) : [];
  return [...missingKey(table, id, part, own), ...unknown];
}

export const embeddingKeyProblems = (table: EmbeddingSettings, id: string): KeyProblem[] =>
  table.embedding_model === null ? [] : missingKey(table, id, "embedding", embeddingServer(table));

function missingKey(table: OpenAiSettings, id: string, part: string, own: OwnServer): KeyProblem[] {
  const url = own.baseUrl ?? table.base_url ?? "";
  if (keyOf(table, own) !== null || url === "" || !needsKey(url)) return [];
  const key = own.baseUrl === null ? "api_key" : `${part}_api_key`;
  return [keyMissing({ id, key, url }, ", or base_url to your own server")];
}

function keyOf(table: OpenAiSettings, own: OwnServer): string | null {
  return own.apiKey ?? (isAtBaseUrl(table, own) ? table.api_key : null);
}

const isAtBaseUrl = (table: OpenAiSettings, { baseUrl }: OwnServer): boolean =>
  baseUrl === null || sameOrigin(baseUrl, table.base_url);

function sameOrigin(url: string, other: string | null): boolean {
  return other !== null && new URL(url).origin === new URL(other).origin;
}
