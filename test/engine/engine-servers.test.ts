/**
 * The recipes of docs/engines.md against stubs of their servers: one conversation for all, with each server's
 * streaming and errors. About 5 s.
 */
import { afterEach, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import type { LlmEvent, LlmSession } from "../../src/conversation/engine-port.ts";
import { openAiLlm, openAiStt, openAiTts } from "../../src/engine/openai/engine.ts";
import type { OpenAiSettings } from "../../src/engine/openai/settings.ts";
import { loadConfig } from "../../src/ops/config/load.ts";
import type { EngineBehaviour } from "../support/engine/engine-servers/behaviour.ts";
import { BEHAVIOURS } from "../support/engine/engine-servers/behaviours.ts";
import { type EngineServer, engineServer } from "../support/engine/engine-servers/server.ts";
import { failureOf, PORTS, sessionSettings, utterance } from "../support/engine/engine-session.ts";
import { tempDir } from "../support/temp-dir.ts";

const PAGE = readFileSync(new URL("../../docs/engines.md", import.meta.url), "utf8");
const servers: EngineServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

function start(behaviour: EngineBehaviour): EngineServer {
  const server = engineServer(behaviour, "127.0.40.41");
  servers.push(server);
  return server;
}

/** The TOML under the heading of this server; a template belongs to the model, not to the server. */
function recipeOf({ name }: EngineBehaviour): string {
  const [server = ""] = name.split(" with a template");
  const section = PAGE.split(/^#{2,3} /m).find((each) => each.startsWith(`${server}\n`)) ?? "";
  return /```toml\n([\s\S]*?)```/.exec(section)?.[1] ?? "";
}

/** `[engine.openai]` of the recipe, with the stub's address. */
function settingsOf(behaviour: EngineBehaviour, server: EngineServer): OpenAiSettings {
  const cwd = tempDir();
  writeFileSync(`${cwd}/key`, "the-key");
  const recipe = recipeOf(behaviour)
    .replaceAll(behaviour.address, server.url)
    .replaceAll("/etc/linevoice/credentials/engine.openai.api_key", `${cwd}/key`);
  writeFileSync(`${cwd}/linevoice.toml`, recipe);
  const { engine } = loadConfig({ path: "linevoice.toml", env: {}, cwd }).config;
  return engine.openai;
}

const sayingOf = (events: readonly LlmEvent[]) =>
  events.flatMap((event) => (event.type === "text" ? [event.text] : [])).join(" ");
const ask = (llm: LlmSession, text: string) =>
  Array.fromAsync(llm.respond(utterance(text), new AbortController().signal));
const llmOf = (settings: OpenAiSettings) =>
  openAiLlm(settings, { id: "openai", ...PORTS }).open(
    sessionSettings({
      history: [{ by: "agent", text: "Hello, how can I help?" }],
      promptCacheKey: "agent-1",
      safetyIdentifier: "0123456789abcdef",
    }),
  ).stream;

const withPart = (part: "stt" | "llm" | "tts") => BEHAVIOURS.filter((each) => each[part]);
const named = (behaviours: readonly EngineBehaviour[]) =>
  behaviours.map((behaviour) => [behaviour.name, behaviour] as const);

test("each server has a recipe with its address and its parts", () => {
  for (const behaviour of BEHAVIOURS) {
    const recipe = recipeOf(behaviour);
    expect(recipe).toContain(behaviour.address);
    for (const part of ["stt", "llm", "tts"] as const)
      if (!/kind = "openai"/.test(recipe))
        expect(`${part} ${recipe.includes(`\n${part} = "openai"`)}`).toBe(
          `${part} ${behaviour[part] !== undefined}`,
        );
  }
});

test.each(named(withPart("llm")))("a conversation with two tools: %s", async (_, behaviour) => {
  const server = start(behaviour);
  const llm = llmOf(settingsOf(behaviour, server));
  server.answer = ({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? { text: "You are booked for both days." }
      : {
          text: "Let me see. ",
          tools: [
            { name: "book_visit", arguments: { day: "Friday" } },
            { name: "book_visit", arguments: { day: "Monday, at ten" } },
          ],
        };
  const events = await ask(llm, "Friday and Monday, please.");
  expect(sayingOf(events)).toBe("Let me see.");
  const calls = events.flatMap((event) => (event.type === "tool_call" ? [event] : []));
  expect(calls.map(({ arguments: { day } }) => day)).toEqual(["Friday", "Monday, at ten"]);
  const answers: string[] = [];
  for (const { toolCallId } of calls) {
    const input = { type: "tool_result", toolCallId, ok: true, output: { at: 10 } } as const;
    const answer = await Array.fromAsync(llm.respond(input, new AbortController().signal));
    answers.push(sayingOf(answer));
    expect(answer.at(-1)?.type).toBe("done");
  }
  expect(answers.at(-1)).toBe("You are booked for both days.");
  server.answer = () => ({ text: "Goodbye." });
  const last = await ask(llm, "Thank you.");
  expect(sayingOf(last)).toBe("Goodbye.");
  expect(last.at(-1)).toMatchObject({ usage: { inputTokens: 120, outputTokens: 9 } });
  server.answer = () => ({ text: "The caller booked two visits." });
  const { text } = await llm.summarize({ reason: "caller_hangup", durationSeconds: 40 });
  expect(text).toBe("The caller booked two visits.");
  expect(server.problems).toEqual([]);
});

test.each(named(withPart("llm")))(
  "an answer that fails midway is a failure: %s",
  async (_, behaviour) => {
    const server = start(behaviour);
    const llm = llmOf(settingsOf(behaviour, server));
    server.answer = () => ({ text: "We are open from nine to five." });
    server.failsMidway = "the model ran out of memory";
    const failure = await failureOf(ask(llm, "Hello?"));
    expect(["server", "protocol"]).toContain(failure.reason);
    // Ollama breaks off without a message.
    if (behaviour.name !== "Ollama") expect(failure.message).toContain("ran out of memory");
    expect(sayingOf(await ask(llm, "Hello?"))).toBe("We are open from nine to five.");
  },
);

/** Error formats of servers that reject unknown fields. */
const STRICT: readonly ((field: string) => object)[] = [
  (field) => ({ error: { message: `property '${field}' is unsupported` } }),
  (field) => ({
    detail: [{ type: "extra_forbidden", loc: ["body", field], msg: "not permitted" }],
  }),
  (field) => ({ error: { message: `Unrecognized request argument supplied: ${field}` } }),
];
test.each(STRICT)("a field that a server does not know is left out from then on", async (says) => {
  const [behaviour] = withPart("llm");
  if (!behaviour?.llm) throw new Error("there is no server");
  const unknown = ["prompt_cache_key", "safety_identifier", "stream_options"];
  const { llm } = behaviour;
  const server = start({
    ...behaviour,
    llm: {
      ...llm,
      refuses(body) {
        const field = unknown.find((name) => body[name] !== undefined);
        return field === undefined ? llm.refuses(body) : { status: 400, body: says(field) };
      },
    },
  });
  const model = llmOf(settingsOf(behaviour, server));
  expect(sayingOf(await ask(model, "Hello?"))).toBe("All right.");
  const asked = server.chats.length;
  expect(sayingOf(await ask(model, "Still there?"))).toBe("All right.");
  expect(server.chats.length).toBe(asked + 1);
});

test.each(["file", "sse"] as const)(
  "every server with speech to text recognises speech (%s)",
  async (mode) => {
    const fixed = /stt_mode = "(.*)"/;
    for (const behaviour of withPart("stt")) {
      // If a recipe names a mode, its server supports no other.
      if ((fixed.exec(recipeOf(behaviour))?.[1] ?? mode) !== mode) continue;
      const server = start(behaviour);
      server.recognises.push("What are your opening hours?");
      const settings = { ...settingsOf(behaviour, server), stt_mode: mode };
      const { stream } = openAiStt(settings, PORTS).open(sessionSettings());
      stream.startUtterance(new Int16Array(800));
      stream.push(new Int16Array(8_000).fill(900));
      const { text } = await stream.finalize();
      expect(`${behaviour.name}: ${text}`).toBe(`${behaviour.name}: What are your opening hours?`);
      expect(server.problems).toEqual([]);
    }
  },
);

test.each(["Sari", "Emma", "Nathan", "Adrian"] as const)(
  "every server with text to speech speaks completely as %s",
  async (voice) => {
    const text = "Good afternoon, how can I help you?";
    for (const behaviour of withPart("tts")) {
      const server = start(behaviour);
      const { stream } = openAiTts(settingsOf(behaviour, server), PORTS).open(
        sessionSettings({ voice }),
      );
      const pcm = await Array.fromAsync(stream.speak(text, new AbortController().signal));
      const ms = pcm.reduce((sum, { length }) => sum + length / 8, 0);
      expect(Math.abs(ms - text.length * 60)).toBeLessThan(25);
      expect(Math.max(...pcm.flatMap((each) => [...each]))).toBeLessThan(9_000);
      expect(server.problems).toEqual([]);
    }
  },
);

test("the four voices of a recipe differ", () => {
  for (const behaviour of withPart("tts")) {
    const { voices } = settingsOf(behaviour, start(behaviour));
    expect(new Set(Object.values(voices)).size).toBe(4);
  }
});

const NO_SUCH_MODEL = /not found|does not exist|not installed|Unsupported model/;
test.each(named(BEHAVIOURS))(
  "a missing model is reported in the server's words: %s",
  async (_, behaviour) => {
    const server = start(behaviour);
    const wrong = { llm_model: "x", stt_model: "x", tts_model: "x" };
    const settings = { ...settingsOf(behaviour, server), ...wrong };
    // These servers have one model, under any name.
    const isDeaf = /llama\.cpp|path of a deployment/.test(behaviour.name);
    if (behaviour.llm && !isDeaf) {
      const failure = await failureOf(ask(llmOf(settings), "Hello?"));
      expect(failure.message).toMatch(NO_SUCH_MODEL);
    }
    if (behaviour.stt) {
      const { stream } = openAiStt(settings, PORTS).open(sessionSettings());
      stream.startUtterance(new Int16Array(8_000));
      expect((await failureOf(stream.finalize())).message).toMatch(NO_SUCH_MODEL);
    }
    if (behaviour.tts) {
      const { stream } = openAiTts(settings, PORTS).open(sessionSettings());
      const speech = Array.fromAsync(stream.speak("Hello.", new AbortController().signal));
      expect((await failureOf(speech)).message).toMatch(NO_SUCH_MODEL);
    }
  },
);

test.each(named(BEHAVIOURS.filter(({ name }) => /Groq|Azure/.test(name))))(
  "a wrong key is reported as such: %s",
  async (_, behaviour) => {
    const settings = { ...settingsOf(behaviour, start(behaviour)), api_key: "another-key" };
    const failure = await failureOf(ask(llmOf(settings), "Hello?"));
    expect(failure.reason).toBe("auth");
    expect(failure.message).not.toContain("another-key");
  },
);

test("a missing voice is a failure, with the server's message if there is one", async () => {
  const messages: string[] = [];
  for (const behaviour of withPart("tts").filter(({ name }) => /speaches|Kokoro/.test(name))) {
    const settings = settingsOf(behaviour, start(behaviour));
    const voices = { ...settings.voices, Sari: "nobody" };
    const { stream } = openAiTts({ ...settings, voices }, PORTS).open(sessionSettings());
    const speech = Array.fromAsync(stream.speak("Hello.", new AbortController().signal));
    messages.push((await failureOf(speech)).message);
  }
  expect(messages[0]).toMatch(/broke|no audio/);
  expect(messages[1]).toContain("Voice 'nobody' not found. Available voices: af_heart");
});
