/** [engine]: errors name the missing value and the fix; keys go only to their own server. */
import { expect, test } from "bun:test";
import { serviceOf } from "../../../src/engine/openai/settings.ts";
import type { Part } from "../../../src/engine/provider.ts";
import { followsPrompt, isEmbeddedOnly, understandsSpeech } from "../../../src/engine/settings.ts";
import { ConfigInvalid } from "../../../src/ops/config/config-invalid.ts";
import {
  enginePricesOf,
  engineSettingsOf,
  knowledgeTokensOf,
} from "../../../src/ops/config/engine-settings.ts";
import { loadConfig } from "../../../src/ops/config/load.ts";
import { tempDir } from "../../support/temp-dir.ts";

const nowhere = tempDir();

function load(env: Record<string, string>) {
  const named = Object.fromEntries(
    Object.entries(env).map(([key, value]) => [`LINEVOICE_ENGINE__${key}`, value]),
  );
  return loadConfig({ env: named, cwd: nowhere, systemPath: `${nowhere}/none.toml` }).config;
}

function problems(env: Record<string, string>): string {
  try {
    load(env);
    return "";
  } catch (error) {
    if (error instanceof ConfigInvalid) return error.problems.join("\n");
    throw error;
  }
}

test("the cloud without a key is refused, one's own server is not", () => {
  expect(problems({ KIND: "openai" })).toMatch(
    /\[engine\.openai\] api_key.*needs an API key.*api_key = \{ file/,
  );
  expect(problems({ KIND: "openai", OPENAI__API_KEY: "k" })).toBe("");
  expect(problems({ KIND: "openai", OPENAI__BASE_URL: "http://127.0.0.1:8000/v1" })).toBe("");
  expect(problems({ KIND: "realtime" })).toMatch(/\[engine\.realtime\] api_key/);
  expect(
    problems({
      KIND: "openai",
      OPENAI__BASE_URL: "http://127.0.0.1:8000/v1",
      OPENAI__TTS_BASE_URL: "https://api.openai.com/v1",
    }),
  ).toMatch(/tts_api_key/);
});

test("a fallback needs its provider's settings", () => {
  const own = { KIND: "openai", OPENAI__BASE_URL: "http://127.0.0.1:8000/v1" };
  expect(problems({ ...own, FALLBACK: "openai" })).toMatch(/is already the main engine/);
  expect(problems({ ...own, FALLBACK: "standby" })).toMatch(/\[engine\.standby\] base_url/);
  expect(problems({ ...own, FALLBACK: "realtime" })).toMatch(/\[engine\.realtime\] api_key/);
  expect(problems({ ...own, FALLBACK: "none" })).toBe("");
  expect(problems({ ...own, OPENAI__LLM_MODEL: "" })).not.toBe("");
});

test("a part at another server never gets the first one's key", () => {
  const config = load({
    KIND: "openai",
    OPENAI__API_KEY: "cloud-key",
    OPENAI__STT_BASE_URL: "http://10.0.0.7:8000/v1/",
    OPENAI__TTS_BASE_URL: "https://api.openai.com/v1",
    FALLBACK: "none",
  });
  const { providers, takesMessages } = engineSettingsOf(config);
  const keyAndUrl = (part: Part) => {
    const [choice] = providers[part];
    if (choice?.id !== "openai") throw new Error("no provider");
    return serviceOf(config.engine.openai, part);
  };
  expect(keyAndUrl("stt")).toMatchObject({ baseUrl: "http://10.0.0.7:8000/v1", apiKey: null });
  expect(keyAndUrl("llm").apiKey).toBe("cloud-key");
  expect(keyAndUrl("tts").apiKey).toBe("cloud-key");
  expect(takesMessages).toBe(false);
});

test("Azure's header and version go to base_url and to no other server", () => {
  const { openai } = load({
    KIND: "openai",
    OPENAI__BASE_URL: "https://r.openai.azure.com/openai/deployments/voice",
    OPENAI__API_KEY: "k",
    OPENAI__API_KEY_HEADER: "api-key",
    OPENAI__API_VERSION: "2025-04-01-preview",
    OPENAI__TTS_BASE_URL: "http://10.0.0.7:8880/v1",
    OPENAI__TTS_API_KEY: "own",
  }).engine;
  const azure = { apiKeyHeader: "api-key", apiVersion: "2025-04-01-preview", apiKey: "k" } as const;
  expect(serviceOf(openai, "llm")).toMatchObject(azure);
  expect(serviceOf(openai, "tts")).toMatchObject({
    apiKeyHeader: "authorization",
    apiVersion: null,
    apiKey: "own",
  });
  expect(problems({ OPENAI__API_VERSION: "a b&c" })).toMatch(/api_version/);
});

test("with the embedded engine other engine settings have no effect", () => {
  expect(isEmbeddedOnly(engineSettingsOf(load({ OPENAI__API_KEY: "k" })))).toBe(true);
});

test("each part may have its own provider; kind is the default", () => {
  const own = { OPENAI__BASE_URL: "http://127.0.0.1:8000/v1" };
  const settings = engineSettingsOf(load({ ...own, LLM: "openai" }));
  const ids = (part: Part) => settings.providers[part].map(({ id }) => id);
  expect([ids("stt"), ids("llm"), ids("tts")]).toEqual([["embedded"], ["openai"], ["embedded"]]);
  expect(settings.label).toBe("embedded+openai");
  const mixed = { ...own, KIND: "openai", STT: "embedded", FALLBACK: "openai" };
  expect(engineSettingsOf(load(mixed)).providers.stt.map(({ id }) => id)).toEqual([
    "embedded",
    "openai",
  ]);
  expect(engineSettingsOf(load(mixed)).providers.llm).toHaveLength(1);
});

test("each part may have its own fallback; fallback is the default", () => {
  const own = { OPENAI__BASE_URL: "http://127.0.0.1:8000/v1" };
  const second = { STANDBY__BASE_URL: "http://127.0.0.1:8001/v1" };
  const mixed = { KIND: "openai", LLM: "standby", STT_FALLBACK: "standby", LLM_FALLBACK: "openai" };
  const { providers } = engineSettingsOf(load({ ...own, ...second, ...mixed }));
  const ids = (part: Part) => providers[part].map(({ id }) => id);
  expect([ids("stt"), ids("llm"), ids("tts")]).toEqual([
    ["openai", "standby"],
    ["standby", "openai"],
    ["openai"],
  ]);
  const scripted = engineSettingsOf(load({ ...own, KIND: "openai", LLM_FALLBACK: "embedded" }));
  expect(scripted.providers.llm.map(({ id }) => id)).toEqual(["openai", "embedded"]);
  expect(problems({ ...own, KIND: "openai", TTS_FALLBACK: "standby" })).toMatch(
    /\[engine\.standby\] base_url/,
  );
  const whole = { ...own, KIND: "openai", FALLBACK: "realtime", REALTIME__API_KEY: "k" };
  expect(problems({ ...whole, STT_FALLBACK: "embedded" })).toMatch(
    /\[engine\] stt_fallback: fallback = "realtime" handles all three parts/,
  );
});

test("the model for embeddings needs its server's key, also with embedded speech", () => {
  const named = { OPENAI__EMBEDDING_MODEL: "text-embedding-3-small" };
  expect(problems(named)).toMatch(/\[engine\.openai\] api_key.*needs an API key/);
  expect(problems({ ...named, OPENAI__EMBEDDING_BASE_URL: "https://api.mistral.ai/v1" })).toMatch(
    /\[engine\.openai\] embedding_api_key.*needs an API key/,
  );
  expect(problems({ ...named, OPENAI__API_KEY: "k" })).toBe("");
  expect(problems({ ...named, OPENAI__EMBEDDING_BASE_URL: "http://127.0.0.1:11434/v1" })).toBe("");
});

test("a part's provider needs its key, and one for all parts cannot be used for a single part", () => {
  expect(problems({ STT: "openai" })).toMatch(/\[engine\.openai\] api_key.*needs an API key/);
  expect(problems({ STT: "realtime" })).toMatch(/\[engine\] stt.*"embedded" or "openai"/);
  expect(problems({ KIND: "realtime", REALTIME__API_KEY: "k", TTS: "embedded" })).toMatch(
    /\[engine\] tts: kind = "realtime" handles all three parts/,
  );
});

test("the cost of goods follows the provider of each part", () => {
  const prices = enginePricesOf(
    load({
      KIND: "openai",
      OPENAI__API_KEY: "k",
      STT: "embedded",
      OPENAI__STT_EUR_PER_MIN: "0.006",
      OPENAI__TTS_EUR_PER_MILLION_CHARACTERS: "12",
    }),
  );
  expect(prices).toMatchObject({ stt_eur_per_min: 0, tts_eur_per_million_characters: 12 });
});

test("a voice unknown to the Realtime API is named, with the known ones", () => {
  const realtime = { KIND: "realtime", REALTIME__API_KEY: "k" };
  expect(problems(realtime)).toBe("");
  expect(problems({ ...realtime, REALTIME__VOICES__SARI: "nova" })).toMatch(
    /\[engine\.realtime\.voices\] Sari: "nova" is not a voice.*alloy, ash, .*marin, cedar/,
  );
  expect(problems({ ...realtime, REALTIME__VOICES__SARI: "voice_1234" })).toBe("");
  const own = { REALTIME__BASE_URL: "ws://127.0.0.1:8080/v1/realtime" };
  expect(problems({ ...realtime, ...own, REALTIME__VOICES__SARI: "af_heart" })).toBe("");
});

test("a voice over Realtime needs its voices; any other model does not", () => {
  const openai = { KIND: "openai", OPENAI__API_KEY: "k", OPENAI__VOICES__EMMA: "nova" };
  expect(problems({ ...openai, OPENAI__TTS_MODEL: "tts-1" })).toBe("");
  expect(problems({ ...openai, OPENAI__TTS_MODEL: "gpt-realtime-2.1-mini" })).toMatch(
    /\[engine\.openai\.voices\] Emma: "nova"/,
  );
  expect(problems({ ...openai, OPENAI__TTS_MODE: "realtime" })).toMatch(/voices\] Emma/);
});

const LANGUAGES = ["en", "lt", "lv", "ru"] as const;
const heardLanguages = (env: Record<string, string>) => {
  const settings = engineSettingsOf(load(env));
  return LANGUAGES.filter((language) => understandsSpeech(settings, language));
};

test("the built-in engine understands English speech, unless hearing is off; a provider understands all languages", () => {
  const openAi = { OPENAI__API_KEY: "k" };
  expect(heardLanguages({})).toEqual(["en"]);
  expect(heardLanguages({ EMBEDDED__HEARING: "keys" })).toEqual([]);
  expect(heardLanguages({ ...openAi, STT: "openai" })).toEqual([...LANGUAGES]);
  expect(heardLanguages({ ...openAi, LLM: "openai" })).toEqual(["en"]);
  expect(heardLanguages({ KIND: "realtime", REALTIME__API_KEY: "k" })).toEqual([...LANGUAGES]);
});

test("only a language model follows the prompt", () => {
  const follows = (env: Record<string, string>) => followsPrompt(engineSettingsOf(load(env)));
  expect(follows({})).toBe(false);
  expect(follows({ STT: "openai", OPENAI__API_KEY: "k" })).toBe(false);
  expect(follows({ LLM: "openai", OPENAI__API_KEY: "k" })).toBe(true);
});

test("knowledge takes 24,000 tokens of the prompt, and at most three quarters of a model's window", () => {
  const openAi = { LLM: "openai", OPENAI__API_KEY: "k" };
  const realtime = { KIND: "realtime", REALTIME__API_KEY: "k" };
  const budget = (env: Record<string, string>) => knowledgeTokensOf(load(env));
  expect(budget({})).toBe(24_000);
  expect(budget(openAi)).toBe(24_000);
  expect(budget({ ...openAi, OPENAI__LLM_CONTEXT_TOKENS: "32000" })).toBe(24_000);
  expect(budget({ ...openAi, OPENAI__LLM_CONTEXT_TOKENS: "16000" })).toBe(12_000);
  expect(budget(realtime)).toBe(24_000);
  expect(budget({ ...realtime, REALTIME__MODEL: "gpt-realtime" })).toBe(12_288);
});
