/** [engine] and its tables, one a kind. */
import { z } from "zod";
import { AGENT_VOICES } from "../../../domain/agent/agent.ts";
import { isHttpUrl, isWebSocketUrl } from "../../../platform/config/formats.ts";
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
} from "../../../platform/config/key.ts";

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
const price = (what: string) =>
  decimal(`What ${what} costs you in EUR, for the cost of goods.`, 0, 0, 100_000);

/** The four voices of the API, each as the provider calls it. */
const voices = (names: Record<(typeof AGENT_VOICES)[number], string>) => {
  const name = { allowed: "the provider's name of the voice", charactersMax: 200 };
  return section({
    Sari: text("The voice of agents with the voice Sari.", names.Sari, name),
    Emma: text("The voice of agents with the voice Emma.", names.Emma, name),
    Nathan: text("The voice of agents with the voice Nathan.", names.Nathan, name),
    Adrian: text("The voice of agents with the voice Adrian.", names.Adrian, name),
  });
};

const embedded = section({
  /** 0: as many as the machine has cores to spare. */
  speech_workers: integer("Threads for speech; 0: as the machine has cores.", 0, 0, 64),
  speech_rate_percent: integer("Speed of the embedded voices.", 100, 50, 200),
});

/** An OpenAI-compatible provider; each part falls back to `base_url` and, there, `api_key`. */
const compatible = (baseUrl: z.ZodType<string | null>, description: string) =>
  section(
    {
      base_url: baseUrl,
      api_key: secret(
        "Key sent to base_url and to parts at the same server, never to another one.",
        key,
      ),
      llm_model: text("Name of the language model.", "gpt-4o-mini", model),
      llm_base_url: optionalText("Address of the language model, when it is not base_url.", url),
      llm_api_key: secret("Key sent to llm_base_url.", key),
      llm_context_tokens: integer(
        "The model's context window. A prompt that fills more than 80 % of it logs a warning.",
        128_000,
        1024,
        10_000_000,
      ),
      llm_temperature: decimal(
        "Sampling temperature. It is left out where a model refuses it.",
        0.4,
        0,
        2,
      ),
      stt_model: text("Name of the model for speech to text.", "gpt-4o-mini-transcribe", model),
      stt_base_url: optionalText("Address of speech to text, when it is not base_url.", url),
      stt_api_key: secret("Key sent to stt_base_url.", key),
      stt_mode: oneOf(
        '"file": one request an utterance; "sse": the same, with a streamed answer; "realtime": transcribed while it is spoken.',
        ["file", "sse", "realtime"],
        "file",
      ),
      stt_realtime_url: optionalText(
        'Address for stt_mode "realtime". Empty: base_url with ws:// and /realtime.',
        socketUrl,
      ),
      tts_model: text("Name of the model for text to speech.", "gpt-4o-mini-tts", model),
      tts_base_url: optionalText("Address of text to speech, when it is not base_url.", url),
      tts_api_key: secret("Key sent to tts_base_url.", key),
      tts_format: oneOf(
        "Audio format that is asked for. A WAV header is understood either way.",
        ["pcm", "wav"],
        "pcm",
      ),
      tts_sample_rate_hz: integer("Sample rate of PCM without a header.", 24_000, 8000, 48_000),
      connect_timeout_ms: integer("Longest wait for a connection.", 3000, 100, 60_000),
      stt_timeout_ms: integer("Longest wait for the text of an utterance.", 10_000, 100, 60_000),
      llm_timeout_ms: integer("Longest wait for the model's first token.", 3000, 100, 60_000),
      tts_timeout_ms: integer("Longest wait for the first audio of a sentence.", 2000, 100, 60_000),
      stt_eur_per_min: price("a minute of speech to text"),
      llm_input_eur_per_million_tokens: price("a million tokens of input"),
      llm_output_eur_per_million_tokens: price("a million tokens of output"),
      tts_eur_per_million_characters: price("a million spoken characters"),
      voices: voices({ Sari: "nova", Emma: "shimmer", Nathan: "onyx", Adrian: "echo" }),
    },
    description,
  );

const RECIPES = `Any provider that speaks OpenAI's HTTP protocol. Recipes:

  OpenAI            api_key = { file = "/etc/linevoice/openai.key" }

  Groq for STT and LLM, OpenAI for TTS
                    base_url = "https://api.groq.com/openai/v1", api_key = { file = "…" },
                    llm_model = "llama-3.3-70b-versatile", stt_model = "whisper-large-v3-turbo",
                    tts_base_url = "https://api.openai.com/v1", tts_api_key = { file = "…" }

  On your own machines, without any key:
  Ollama            llm_base_url = "http://127.0.0.1:11434/v1", llm_model = "qwen2.5:7b"
  llama.cpp         llm_base_url = "http://127.0.0.1:8080/v1" (llama-server --jinja, for tools)
  vLLM              llm_base_url = "http://10.0.0.5:8000/v1"
                    (vllm serve … --enable-auto-tool-choice --tool-call-parser hermes)
  speaches          stt_base_url = "http://127.0.0.1:8000/v1",
                    stt_model = "Systran/faster-whisper-small"; for TTS too: tts_base_url the same,
                    tts_model = "speaches-ai/Kokoro-82M-v1.0-ONNX"
  Kokoro-FastAPI    tts_base_url = "http://127.0.0.1:8880/v1", tts_model = "kokoro",
                    [engine.openai.voices] Sari = "af_heart"
  LocalAI           base_url = "http://127.0.0.1:8080/v1", tts_format = "wav"`;
const BASE_URL = "Address of the server; the parts below may have addresses of their own.";
const openai = compatible(text(BASE_URL, "https://api.openai.com/v1", url), RECIPES);
const standby = compatible(
  optionalText(BASE_URL, url),
  'A second OpenAI-compatible provider, for [engine] fallback = "standby".',
);

const realtime = section(
  {
    base_url: text("Address of the server.", "wss://api.openai.com/v1/realtime", socketUrl),
    api_key: secret("Key sent to the server.", key),
    model: text("Name of the model.", "gpt-realtime", model),
    transcription_model: textOrOff(
      "Model that transcribes callers. Empty: transcripts hold only the agent's words.",
      "gpt-4o-mini-transcribe",
      model,
    ),
    audio: oneOf(
      'Audio format: "g711" is A-law, as on most European trunks; "g711_ulaw" is mu-law; "pcm" is 24 kHz.',
      ["g711", "g711_ulaw", "pcm"],
      "g711",
    ),
    turn_detection: oneOf(
      'Who detects the end of an utterance: this appliance ("own") or the server.',
      ["own", "server"],
      "own",
    ),
    connect_timeout_ms: integer("Longest wait for the session.", 3000, 100, 60_000),
    response_timeout_ms: integer(
      "Longest wait for the first word of an answer.",
      3000,
      100,
      60_000,
    ),
    input_eur_per_million_tokens: price("a million tokens of input"),
    output_eur_per_million_tokens: price("a million tokens of output"),
    voices: voices({ Sari: "marin", Emma: "shimmer", Nathan: "cedar", Adrian: "echo" }),
  },
  "OpenAI's Realtime protocol: speech in, speech out, over one WebSocket a call.",
);

export const engine = section({
  kind: oneOf("What hears, thinks and speaks.", ["embedded", "openai", "realtime"], "embedded"),
  fallback: oneOf(
    'What takes over when it fails; when all fail the embedded engine takes a message, but for "none".',
    ["embedded", "openai", "realtime", "standby", "none"],
    "embedded",
  ),
  retries: integer("Further attempts at a provider, where another one may help.", 1, 0, 5),
  breaker_failures: integer(
    "Failures in a row after which a provider is not asked for a while.",
    3,
    1,
    100,
  ),
  breaker_open_sec: integer(
    "How long such a provider is not asked; then one request tries it again.",
    30,
    1,
    3600,
  ),
  voice_aliases: tableOf(
    "Further names of voices that tenants may use.",
    z.enum(AGENT_VOICES),
    {},
    `your names of voices, each for one of ${quoted(AGENT_VOICES)}, e.g. "Brand Sari" = "Sari"`,
  ),
  embedded,
  openai,
  standby,
  realtime,
});
