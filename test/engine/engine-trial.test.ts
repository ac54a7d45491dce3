/** `engine try`: one request to each part, on the command line and over the dashboard: about 6 s. */
import { afterAll, beforeEach, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "../../src/cli/run.ts";
import { systemClock } from "../../src/core/clock.ts";
import { wavFile } from "../../src/engine/openai/wav.ts";
import { DEFAULT_GUARD, EMBEDDED_ONLY, type EngineSettings } from "../../src/engine/settings.ts";
import type { EnginePartTrial } from "../../src/features/appliance/contract.ts";
import { createEngineTrial } from "../../src/ops/doctor/engine-trial.ts";
import { openAiChoice, realtimeChoice, sameForAllParts } from "../support/engine/engine-session.ts";
import { openAiServer, toneSpeech } from "../support/engine/openai-server.ts";
import { realtimeServer } from "../support/engine/realtime-server.ts";
import { tempDir } from "../support/temp-dir.ts";

const server = openAiServer("127.0.40.51");
const realtime = realtimeServer("127.0.40.52");
afterAll(async () => {
  server.close();
  await realtime.close();
});
beforeEach(() => {
  server.fail(null);
  server.requests.length = 0;
  server.script.recognises = ["What are your opening hours?"];
  server.script.answer = () => ({ text: "From nine to five." });
});

const NOTHING = { wav: null, say: null, ask: null };
const priced = openAiChoice(server.url, { ttsTimeoutMs: 2_000 });
const settings = (more: Partial<EngineSettings> = {}): EngineSettings => ({
  label: "openai",
  takesMessages: true,
  guard: DEFAULT_GUARD,
  speechRatePercent: 100,
  providers: sameForAllParts([
    {
      id: "openai",
      settings: {
        ...priced.settings,
        stt_eur_per_min: 0.006,
        tts_eur_per_million_characters: 12,
        llm_input_eur_per_million_tokens: 1,
        llm_output_eur_per_million_tokens: 4,
      },
    },
  ]),
  ...more,
});

test("without input all parts are tried, and speech to text gets the synthesised words", async () => {
  const trials = await createEngineTrial(settings(), systemClock)(NOTHING);
  expect(trials.map(({ part, result, error }) => [part, result, error])).toEqual([
    ["stt", "What are your opening hours?", null],
    ["llm", "From nine to five.", null],
    ["tts", "1.7 s of speech", null],
  ]);
  const cost = Object.fromEntries(trials.map(({ part, costEur }) => [part, costEur]));
  expect(cost.stt).toBeCloseTo((0.006 * 1.68) / 60, 6);
  expect(cost.llm).toBeCloseTo((100 * 1 + 4 * 4) / 1e6, 9);
  expect(cost.tts).toBeCloseTo((28 * 12) / 1e6, 9);
  for (const { firstMs, totalMs } of trials) expect(firstMs).toBeLessThanOrEqual(totalMs);
  expect(server.requests).toHaveLength(3);
});

test("a failed part shows the provider's error and what to do; the other parts are still tried", async () => {
  server.script.always.llm = {
    type: "status",
    status: 404,
    body: '{"error":{"message":"The model `x` does not exist","code":"model_not_found"}}',
  };
  server.script.always.tts = { type: "hang" };
  const wav = wavFile(toneSpeech("Good afternoon."), 8_000);
  const [stt, llm, tts] = await createEngineTrial(
    settings(),
    systemClock,
  )({ wav, say: "Hello.", ask: "Open?" });
  expect(stt).toMatchObject({ result: "What are your opening hours?", error: null });
  expect(llm?.error).toContain("The model `x` does not exist");
  expect(llm?.remedy).toContain("llm_model");
  expect(tts).toMatchObject({ firstMs: null, remedy: expect.stringContaining("tts_timeout_ms") });
});

test("only the parts with input are tried", async () => {
  const trials = await createEngineTrial(settings(), systemClock)({ ...NOTHING, ask: "Open?" });
  expect(trials.map(({ part }) => part)).toEqual(["llm"]);
  expect(server.requests.map(({ service }) => service)).toEqual(["llm"]);
});

test("a file other than WAV is refused with an explanation", async () => {
  const trial = createEngineTrial(settings(), systemClock);
  const wav = Buffer.from("ID3 this is an MP3");
  await expect(trial({ ...NOTHING, wav })).rejects.toMatchObject({ field: "stt_wav" });
});

test("one trial at a time", async () => {
  const trial = createEngineTrial(settings(), systemClock);
  const first = trial({ ...NOTHING, ask: "Open?" });
  await expect(trial({ ...NOTHING, ask: "Open?" })).rejects.toMatchObject({ code: "conflict" });
  expect(await first).toHaveLength(1);
});

test("the parts of a Realtime session and of the embedded engine are tried as well", async () => {
  realtime.script.recognises = ["What are your opening hours?"];
  const providers = sameForAllParts([realtimeChoice(realtime.url)]);
  const trials = await createEngineTrial(settings({ providers }), systemClock)(NOTHING);
  expect(trials.map(({ provider, error }) => [provider, error])).toEqual([
    ...Array.from({ length: 3 }, () => ["realtime", null]),
  ]);
  const mixed = { ...EMBEDDED_ONLY.providers, llm: settings().providers.llm };
  const both = await createEngineTrial(settings({ providers: mixed }), systemClock)(NOTHING);
  expect(both.map(({ provider, result }) => [provider, result.slice(0, 17)])).toEqual([
    ["embedded", expect.stringMatching(/opening hours|What/i)],
    ["openai", "From nine to five"],
    ["embedded", expect.stringMatching(/s of speech/)],
  ]);
}, 60_000);

test("the command line shows it in words, and fails if a part does", async () => {
  const cwd = tempDir();
  const config = `[engine]\nkind = "openai"\n[engine.openai]\nbase_url = "${server.url}"\ntts_mode = "http"\n`;
  writeFileSync(join(cwd, "l.toml"), `${config}llm_input_eur_per_million_tokens = 1\n`);
  writeFileSync(join(cwd, "F.wav"), wavFile(toneSpeech("Good afternoon."), 8_000));
  const run = async (...words: string[]) => {
    const lines: string[] = [];
    const out = (text: string) => void lines.push(text);
    const terminal = { cwd, env: {}, out, err: out };
    const status = await runCli(["engine", "try", ...words, "--config", "l.toml"], terminal);
    return { status, lines };
  };
  const all = await run("--stt", "F.wav", "--say", "Hello.", "--ask", "When?");
  expect(all.lines.join("\n")).toMatch(
    /^ok {2}speech to text \(openai\) +.*opening hours\?\nok {2}language model \(openai\) +\d+ ms to the first, \d+ ms, 0\.0001\d+ EUR: From nine to five\.\nok {2}text to speech/,
  );
  expect(all.status).toBe(0);
  server.script.always.tts = { type: "status", status: 401 };
  const failed = await run("--say", "Hello.", "--json");
  const { parts } = JSON.parse(failed.lines[0] ?? "") as { parts: EnginePartTrial[] };
  expect(parts).toMatchObject([{ part: "tts", remedy: expect.stringContaining("tts_api_key") }]);
  expect(failed.status).toBe(1);
  expect((await run("--stt", "l.toml")).lines.join("\n")).toContain("not a WAV file");
}, 60_000);
