/** Maps `[engine]` to what a call worker needs of it: providers in their order, keys where they belong. */
import {
  EMBEDDED_ONLY,
  type EngineSettings,
  type OpenAiSettings,
  type ProviderSettings,
  type RealtimeSettings,
  type ServiceSettings,
} from "../../adapter/engine/settings.ts";
import { sameOrigin } from "./engine-consistency.ts";
import type { Config } from "./schema.ts";

type EngineConfig = Config["engine"];
type CompatibleConfig = EngineConfig["openai"] | EngineConfig["standby"];

export function engineSettingsOf({ engine }: Pick<Config, "engine">): EngineSettings {
  const guard = {
    retries: engine.retries,
    breakerFailures: engine.breaker_failures,
    breakerOpenMs: engine.breaker_open_sec * 1_000,
  };
  if (engine.kind === "embedded") return { ...EMBEDDED_ONLY, guard };
  const names = [engine.kind, engine.fallback];
  return {
    kind: engine.kind,
    providers: names.flatMap((name) => providerOf(engine, name)),
    takesMessages: engine.fallback !== "none",
    guard,
  };
}

function providerOf(engine: EngineConfig, name: EngineConfig["fallback"]): ProviderSettings[] {
  switch (name) {
    case "openai":
      return [openAiSettings(engine.openai, name)];
    case "standby":
      return [openAiSettings(engine.standby, name)];
    case "realtime":
      return [realtimeSettings(engine.realtime)];
    default:
      return [];
  }
}

function openAiSettings(config: CompatibleConfig, name: string): OpenAiSettings {
  const stt = serviceOf(config, "stt");
  const socket = config.stt_realtime_url ?? `${stt.baseUrl.replace(/^http/, "ws")}/realtime`;
  return {
    kind: "openai",
    name,
    stt: { ...stt, mode: config.stt_mode, realtimeUrl: socket },
    llm: {
      ...serviceOf(config, "llm"),
      contextTokens: config.llm_context_tokens,
      temperature: config.llm_temperature,
    },
    tts: {
      ...serviceOf(config, "tts"),
      format: config.tts_format,
      sampleRateHz: config.tts_sample_rate_hz,
      voices: config.voices,
    },
  };
}

/** A part at another server does not get the first one's key. */
function serviceOf(config: CompatibleConfig, part: "stt" | "llm" | "tts"): ServiceSettings {
  const own = config[`${part}_base_url`];
  const baseUrl = own ?? config.base_url ?? "";
  const shared = own === null || sameOrigin(own, config.base_url) ? config.api_key : null;
  return {
    baseUrl: baseUrl.replace(/\/+$/, ""),
    apiKey: config[`${part}_api_key`] ?? shared,
    model: config[`${part}_model`],
    connectTimeoutMs: config.connect_timeout_ms,
    timeoutMs: config[`${part}_timeout_ms`],
  };
}

function realtimeSettings(config: EngineConfig["realtime"]): RealtimeSettings {
  return {
    kind: "realtime",
    name: "realtime",
    url: config.base_url,
    apiKey: config.api_key,
    model: config.model,
    transcriptionModel: config.transcription_model,
    audio: config.audio === "g711" ? "g711_alaw" : config.audio,
    turnDetection: config.turn_detection,
    connectTimeoutMs: config.connect_timeout_ms,
    responseTimeoutMs: config.response_timeout_ms,
    voices: config.voices,
  };
}
