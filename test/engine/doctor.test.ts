/** The doctor's engine check against providers on real sockets: about 2 s. */
import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import { createEmbeddedEngine } from "../../src/engine/embedded/engine.ts";
import { topicsHere } from "../../src/engine/embedded/scripted/topics-here.ts";
import { loadConfig } from "../../src/ops/config/load.ts";
import { engineSelfTest, examineEngine } from "../../src/ops/doctor/engine-check.ts";
import { examineProviders } from "../../src/ops/doctor/provider-check.ts";
import { PORTS } from "../support/engine/engine-session.ts";
import { type OpenAiServer, openAiServer } from "../support/engine/openai-server.ts";
import { type RealtimeServer, realtimeServer } from "../support/engine/realtime-server.ts";
import { tempDir } from "../support/temp-dir.ts";

const embedded = createEmbeddedEngine({
  port: new MessageChannel().port1,
  askTopics: topicsHere(),
  ...PORTS,
});
afterAll(() => embedded.close());

let server: OpenAiServer;
let realtime: RealtimeServer;
beforeEach(() => {
  server = openAiServer("127.0.45.1");
  realtime = realtimeServer("127.0.45.2");
});
afterEach(async () => {
  server.close();
  await realtime.close();
});

function configOf(env: Record<string, string>) {
  const cwd = tempDir();
  const named = Object.fromEntries(
    Object.entries(env).map(([key, value]) => [`LINEVOICE_ENGINE__${key}`, value]),
  );
  return loadConfig({ env: named, cwd, systemPath: `${cwd}/none.toml` }).config;
}
const openai = () => ({
  KIND: "openai",
  OPENAI__BASE_URL: server.url,
  OPENAI__TTS_MODEL: "kokoro",
});

test("all three parts are tried, and their times reported", async () => {
  server.script.recognises.push("What are your opening hours?");
  const finding = await examineProviders(configOf(openai()), systemClock, embedded.parts);
  expect(finding.result).toBe("ok");
  expect(finding.finding).toMatch(
    /openai: text to speech \d+ ms, speech to text \d+ ms, language model \d+ ms/,
  );
});

test.each([
  ["tts", { type: "status", status: 404 }, /text to speech.*404/, /tts_model/],
  ["stt", { type: "status", status: 401 }, /speech to text.*401/, /stt_api_key/],
  ["llm", { type: "status", status: 500 }, /language model.*500/, /log/],
] as const)("a failed %s is named, with the fix", async (part, fault, says, fix) => {
  server.script.always[part] = fault;
  const finding = await examineProviders(configOf(openai()), systemClock, embedded.parts);
  expect(finding.result).toBe("failed");
  expect(finding.finding).toMatch(says);
  expect(finding.remedy).toMatch(fix);
});

test("an unreachable address is reported as unreachable", async () => {
  const config = configOf(openai());
  server.close();
  const finding = await examineProviders(config, systemClock, embedded.parts);
  expect(finding.remedy).toMatch(/base_url.*firewall/);
});

test("a failed fallback is only a warning", async () => {
  server.script.recognises.push("What are your opening hours?");
  realtime.script.refuse = 503;
  const config = configOf({ ...openai(), FALLBACK: "realtime", REALTIME__BASE_URL: realtime.url });
  const finding = await examineProviders(config, systemClock, embedded.parts);
  expect(finding.result).toBe("warning");
  expect(finding.finding).toContain("As a fallback: realtime");
});

test("a Realtime server is tried over its socket", async () => {
  realtime.script.recognises.push("What are your opening hours?");
  const config = configOf({ KIND: "realtime", REALTIME__BASE_URL: realtime.url });
  const finding = await examineProviders(config, systemClock, embedded.parts);
  expect(finding.finding).toMatch(
    /realtime: text to speech \d+ ms, speech to text \d+ ms, language model \d+ ms/,
  );
  expect(finding.result).toBe("ok");
});

test("a voice over Realtime is tried over its socket", async () => {
  server.script.recognises.push("What are your opening hours?");
  const voice = { OPENAI__TTS_MODEL: "gpt-realtime-2.1-mini" };
  const config = configOf({ ...openai(), ...voice, OPENAI__TTS_REALTIME_URL: realtime.url });
  const finding = await examineProviders(config, systemClock, embedded.parts);
  expect(finding.result).toBe("ok");
  expect(realtime.of("response.create")).toHaveLength(1);
  expect(realtime.violations).toEqual([]);
});

test("a failed recogniser is named, with the fix", async () => {
  const deaf = new URL("../support/engine/deaf-speech.worker.ts", import.meta.url).href;
  const finding = await examineEngine(configOf({}), systemClock, () => new Worker(deaf));
  expect(finding.result).toBe("failed");
  expect(finding.finding).toContain("Callers can answer only with keys: the recogniser failed: no");
  expect(finding.remedy).toContain('hearing = "keys"');
}, 60_000);

test("if callers press keys, only the voice is checked", async () => {
  const deaf = new URL("../support/engine/deaf-speech.worker.ts", import.meta.url).href;
  const config = configOf({ EMBEDDED__HEARING: "keys" });
  const finding = await examineEngine(config, systemClock, () => new Worker(deaf));
  expect(finding.result).toBe("ok");
  expect(finding.finding).toEndWith("Callers answer with keys.");
}, 60_000);

test("parts of different providers are tried at once", async () => {
  const config = configOf({ OPENAI__BASE_URL: server.url, LLM: "openai" });
  const appliance = { config, clock: systemClock } as Parameters<typeof engineSelfTest.run>[0];
  const finding = await engineSelfTest.run(appliance);
  expect(finding.finding).toMatch(
    /^embedded\+openai: text to speech \d+ ms, speech to text \d+ ms/,
  );
  expect(finding.result).toBe("ok");
  expect(server.seen("llm")).toHaveLength(1);
});
