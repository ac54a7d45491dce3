/** Warnings about providers that cannot be used. */
import { expect, test } from "bun:test";
import type { ProviderIncident } from "../../src/engine/provider-incident.ts";
import { EMBEDDED_ONLY } from "../../src/engine/settings.ts";
import { createProviderHealth } from "../../src/ops/provider-health.ts";

const choice = { id: "openai", settings: { llm_model: "gpt-4o-mini", tts_model: "house-voice" } };
const providers = { ...EMBEDDED_ONLY.providers, llm: [choice], tts: [choice] };

const gone: ProviderIncident = {
  provider: "openai",
  part: "llm",
  trouble: { reason: "not_found", message: "api.openai.com: 404 The model does not exist." },
};

function watched() {
  const watch = createProviderHealth({ providers });
  const told: string[] = [];
  watch.onTrouble(({ sentence }) => told.push(sentence));
  return { watch, told };
}

test("a problem reported by every worker is logged once", () => {
  const { watch, told } = watched();
  for (let worker = 0; worker < 4; worker++) watch.report(gone);
  expect(told).toHaveLength(1);
  expect(watch.warnings()).toEqual(told);
  expect(told[0]).toContain("such as gpt-6-luna");
  expect(told[0]).toContain("Its message: api.openai.com: 404 The model does not exist.");
});

test("it ends when the provider answers, and is reported again when it returns", () => {
  const { watch, told } = watched();
  watch.report(gone);
  watch.report({ ...gone, trouble: null });
  expect(watch.warnings()).toEqual([]);
  watch.report(gone);
  expect(told).toHaveLength(2);
});

test("a session for all three parts has one problem", () => {
  const realtime = { id: "realtime", settings: { model: "gpt-realtime" } };
  const watch = createProviderHealth({
    providers: { stt: [realtime], llm: [realtime], tts: [realtime] },
  });
  const told: string[] = [];
  watch.onTrouble(({ sentence }) => told.push(sentence));
  for (const part of ["stt", "llm", "tts"] as const) {
    watch.report({ ...gone, provider: "realtime", part });
  }
  expect(told).toHaveLength(1);
  expect(told[0]).toContain("The provider of speech and language, realtime,");
  expect(told[0]).toContain("[engine.realtime] model, such as gpt-realtime-2.1");
});

test("each part and each reason is a separate problem", () => {
  const { watch, told } = watched();
  watch.report(gone);
  watch.report({ ...gone, trouble: { reason: "auth", message: "401" } });
  watch.report({ ...gone, part: "tts" });
  expect(told).toHaveLength(3);
  expect(told[1]).toContain("the key is wrong, or the account has no credit");
  expect(told[1]).toContain("[engine.openai] llm_api_key");
  expect(told[2]).toContain('the model "house-voice"');
  expect(watch.warnings()).toHaveLength(2);
});

test("a silent voice is named with its model and its table", () => {
  const { watch } = watched();
  watch.report({ ...gone, part: "tts", trouble: { reason: "silent", message: "silence" } });
  expect(watch.warnings()).toEqual([
    expect.stringMatching(/text to speech, openai, returns only silence.*\[engine\.openai\]/),
  ]);
});
