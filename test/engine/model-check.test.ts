/** The doctor's check of retired models: by the server's dates, otherwise by name. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { loadConfig } from "../../src/ops/config/load.ts";
import { modelEnds } from "../../src/ops/doctor/model-check.ts";
import {
  type LanguageModelServer,
  languageModelServer,
} from "../support/engine/language-model-server.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { tempDir } from "../support/temp-dir.ts";

let server: LanguageModelServer;
beforeEach(() => {
  server = languageModelServer("127.0.45.11");
});
afterEach(() => server.close());

/** Speech is embedded; the language model is the server's. */
async function check(model: string, day: string, more: Record<string, string> = {}) {
  const cwd = tempDir();
  const env = {
    LINEVOICE_ENGINE__LLM: "openai",
    LINEVOICE_ENGINE__OPENAI__LLM_MODEL: model,
    LINEVOICE_ENGINE__OPENAI__BASE_URL: server.url,
    ...more,
  };
  const { config } = loadConfig({ env, cwd, systemPath: `${cwd}/none.toml` });
  const clock = fakeClock(Date.parse(day));
  const appliance = { config, clock } as unknown as Parameters<typeof modelEnds.run>[0];
  return await modelEnds.run(appliance);
}

test.each([
  ["2026-12-02", "ok", /No end is announced within 60 days/],
  ["2026-12-03", "warning", /house-1 is switched off on 2027-02-01\./],
  ["2027-02-02", "warning", /house-1 was switched off on 2027-02-01\./],
] as const)("on %s a model with the shutdown date 2027-02-01 is %s", async (day, result, says) => {
  server.script.models["house-1"] = { shutdownDate: "2027-02-01" };
  const finding = await check("house-1", day);
  expect(finding.result).toBe(result);
  expect(finding.finding).toMatch(says);
});

test("if the server gives no date, the known one counts, with its replacement", async () => {
  server.script.models["gpt-4o-mini"] = {};
  server.script.listsShutdownDates = false;
  const finding = await check("gpt-4o-mini", "2026-11-22");
  expect(finding.finding).toBe("gpt-4o-mini is switched off on 2027-01-14.");
  expect(finding.remedy).toBe(
    'Set [engine.openai] llm_model to "gpt-6-luna" or another model before then.',
  );
});

test("a server without a shutdown date overrides the known one", async () => {
  server.script.models["gpt-4o-mini"] = { shutdownDate: null };
  expect((await check("gpt-4o-mini", "2026-11-22")).result).toBe("ok");
});

test("if the server does not answer, the known dates still count", async () => {
  server.close();
  expect((await check("gpt-4o-mini", "2026-11-22")).result).toBe("warning");
});

test("with the embedded engine only, the check is skipped", async () => {
  const finding = await check("gpt-4o-mini", "2026-11-22", { LINEVOICE_ENGINE__LLM: "embedded" });
  expect(finding.result).toBe("skipped");
});

test("the models of a Realtime session and of a fallback count too", async () => {
  const finding = await check("house-1", "2026-12-20", {
    LINEVOICE_ENGINE__LLM: "",
    LINEVOICE_ENGINE__KIND: "realtime",
    LINEVOICE_ENGINE__REALTIME__BASE_URL: `${server.url.replace("http", "ws")}/realtime`,
    LINEVOICE_ENGINE__REALTIME__MODEL: "gpt-realtime",
    LINEVOICE_ENGINE__REALTIME__TRANSCRIPTION_MODEL: "whisper-1",
  });
  expect(finding.finding).toContain("gpt-realtime is switched off on 2027-01-20.");
  expect(finding.finding).not.toContain("whisper-1");
});
