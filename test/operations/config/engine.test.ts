/** [engine]: what is missing is said with how to fix it; keys go where they belong. */
import { expect, test } from "bun:test";
import { ConfigInvalid } from "../../../src/operations/config/config-invalid.ts";
import { engineSettingsOf } from "../../../src/operations/config/engine-settings.ts";
import { loadConfig } from "../../../src/operations/config/load.ts";
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

test("the cloud without a key is refused, a server of one's own is not", () => {
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

test("a fallback needs what it falls back to", () => {
  const own = { KIND: "openai", OPENAI__BASE_URL: "http://127.0.0.1:8000/v1" };
  expect(problems({ ...own, FALLBACK: "openai" })).toMatch(/runs already/);
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
  const [provider] = engineSettingsOf(config).providers;
  if (provider?.kind !== "openai") throw new Error("no provider");
  expect(provider.stt).toMatchObject({ baseUrl: "http://10.0.0.7:8000/v1", apiKey: null });
  expect(provider.llm.apiKey).toBe("cloud-key");
  expect(provider.tts.apiKey).toBe("cloud-key");
  expect(engineSettingsOf(config).takesMessages).toBe(false);
});

test("the embedded engine has no providers, whatever else is set", () => {
  expect(engineSettingsOf(load({ OPENAI__API_KEY: "k" })).providers).toEqual([]);
});
