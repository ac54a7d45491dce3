/**
 * Any provider with OpenAI's HTTP protocol: the cloud, or speaches, Ollama, llama.cpp, vLLM,
 * Kokoro-FastAPI, LocalAI. STT, LLM and TTS are three providers of the same table. `standby` is a
 * second table, for `[engine] fallback`.
 */
import type { z } from "zod";
import { optionalText, text } from "../../platform/config/key.ts";
import type {
  DoctorKeys,
  LlmProvider,
  Part,
  SttProvider,
  TtsProvider,
  UsedModel,
} from "../provider.ts";
import { HTTP_URL } from "../server-keys.ts";
import {
  addressOf,
  BASE_URL,
  embeddingKeys,
  keyHeaderOf,
  keyProblems,
  liveModelOf,
  type OpenAiSettings,
  openAiKeys,
  serviceOf,
} from "./settings.ts";

type Keys = ReturnType<typeof openAiKeys>;

interface OpenAiProviders<Id extends string, More> {
  readonly stt: SttProvider<Keys> & { readonly id: Id; readonly settings: More };
  readonly llm: LlmProvider<Keys> & { readonly id: Id; readonly settings: More };
  readonly tts: TtsProvider<Keys> & { readonly id: Id; readonly settings: More };
}

function modelsOf(table: OpenAiSettings, part: Part): UsedModel[] {
  const service = serviceOf(table, part);
  const list = { url: addressOf(service, "/models"), headers: keyHeaderOf(service) };
  if (part === "stt" && table.stt_mode === "realtime") {
    return [{ model: liveModelOf(table), key: "stt_realtime_model", list }];
  }
  const key = `${part}_model` as const;
  return [{ model: table[key], key, list }];
}

const doctorKeys = (part: Part): DoctorKeys => ({
  baseUrl: `${part}_base_url`,
  apiKey: `${part}_api_key`,
  model: `${part}_model`,
  timeout: `${part}_timeout_ms`,
});

function openAiProviders<Id extends string, More extends z.ZodRawShape>(declared: {
  readonly id: Id;
  readonly baseUrl: z.ZodType<string | null>;
  readonly moreKeys: More;
  readonly description: string;
  readonly isStandby: boolean;
}): OpenAiProviders<Id, More> {
  const { id, description, isStandby } = declared;
  const settings = { ...openAiKeys(declared.baseUrl), ...declared.moreKeys };
  const declare = (part: Part) => ({
    id,
    description,
    isStandby,
    settings,
    doctorKeys: doctorKeys(part),
    problems: (table: OpenAiSettings) => keyProblems(table, id, part),
    models: (table: OpenAiSettings) => modelsOf(table, part),
  });
  return {
    stt: {
      ...declare("stt"),
      prices: ({ stt_eur_per_min }) => ({ stt_eur_per_min }),
      open: async (table, ports) => (await import("./engine.ts")).openAiStt(table, ports),
    },
    llm: {
      ...declare("llm"),
      prices: ({ llm_input_eur_per_million_tokens, llm_output_eur_per_million_tokens }) => ({
        llm_input_eur_per_million_tokens,
        llm_output_eur_per_million_tokens,
      }),
      promptTokensMax: ({ llm_context_tokens }) => llm_context_tokens,
      open: async (table, ports) =>
        (await import("./engine.ts")).openAiLlm(table, { id, ...ports }),
    },
    tts: {
      ...declare("tts"),
      prices: ({ tts_eur_per_million_characters }) => ({ tts_eur_per_million_characters }),
      open: async (table, ports) => (await import("./engine.ts")).openAiTts(table, ports),
    },
  };
}

const RECIPES = `Any provider that speaks OpenAI's HTTP protocol. docs/engines.md has the whole recipes, with
commands, models and voices. In short:

  OpenAI            api_key = { file = "/etc/linevoice/openai.key" }
  Groq              base_url = "https://api.groq.com/openai/v1", api_key = { file = "…" },
                    llm_model = "openai/gpt-oss-120b", stt_model = "whisper-large-v3-turbo";
                    it has no voice: tts_base_url and tts_api_key of another
  Azure             base_url = "https://NAME.openai.azure.com/openai/v1", api_key_header = "api-key",
                    models are the names of your deployments

  On your own machines, without any key:
  Ollama            llm_base_url = "http://127.0.0.1:11434/v1", llm_model = "qwen2.5:7b"
  llama.cpp         llm_base_url = "http://127.0.0.1:8081/v1" (llama-server --jinja --port 8081)
  vLLM              llm_base_url = "http://127.0.0.1:8001/v1", llm_model as it is served
                    (vllm serve … --enable-auto-tool-choice --tool-call-parser hermes)
  speaches          stt_base_url = "http://127.0.0.1:8000/v1",
                    stt_model = "Systran/faster-whisper-small"; for TTS too: tts_base_url the same,
                    tts_model = "speaches-ai/Kokoro-82M-v1.0-ONNX"
  Kokoro-FastAPI    tts_base_url = "http://127.0.0.1:8880/v1", tts_model = "kokoro", and four voices
  LocalAI           base_url = "http://127.0.0.1:8085/v1", all three models, tts_format = "wav"`;

export const openAi = openAiProviders({
  id: "openai",
  baseUrl: text(BASE_URL, "https://api.openai.com/v1", HTTP_URL),
  moreKeys: embeddingKeys(),
  description: RECIPES,
  isStandby: false,
});

export const standby = openAiProviders({
  id: "standby",
  baseUrl: optionalText(BASE_URL, HTTP_URL),
  moreKeys: {},
  description: 'A second OpenAI-compatible provider, for [engine] fallback = "standby".',
  isStandby: true,
});
