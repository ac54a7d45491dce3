/**
 * Two tenants on one worker, over real sockets: a provider's rejection of one tenant's request does not affect the
 * other. The provider's own trouble (key, credit, model) is detected once for all.
 */
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Engine, EngineSession } from "../../src/conversation/engine-port.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { createFallbackEngine } from "../../src/engine/fallback/fallback-engine.ts";
import { MESSAGE_PHRASES } from "../../src/engine/fallback/message-phrases.ts";
import type { Part } from "../../src/engine/provider.ts";
import {
  answerTo,
  BOOKING,
  openAiParts,
  openAiSettings,
  PORTS,
  sessionSettings,
  textOf,
  utterance,
} from "../support/engine/engine-session.ts";
import {
  type LanguageModelServer,
  languageModelServer,
} from "../support/engine/language-model-server.ts";

let first: LanguageModelServer;
let second: LanguageModelServer;
let engine: Engine | null = null;

beforeEach(() => {
  first = languageModelServer("127.0.43.1");
  second = languageModelServer("127.0.43.2");
  for (const server of [first, second]) server.script.models["llm-model"] = {};
  second.script.answer = () => ({ text: "From the second." });
});
afterEach(async () => {
  await engine?.close();
  first.close();
  second.close();
});

const silence: EngineSession = {
  stt: {
    capabilities: { partials: false },
    startUtterance() {},
    push() {},
    finalize: async () => ({ text: "", confidence: 1, audioMs: 1 }),
    discard() {},
    onPartial() {},
    expect() {},
  },
  llm: {
    async *respond() {},
    truncateSpoken() {},
    summarize: async () => ({ text: "", line: "" }),
  },
  tts: { async *speak() {} },
  close() {},
};

function startWith(...servers: LanguageModelServer[]): Engine {
  const all = servers.map(({ url }) => openAiParts(openAiSettings(url)));
  const of = <P extends Part>(part: P) =>
    all.map((parts, index) => ({ name: `provider-${index}`, engine: parts[part] }));
  engine = createFallbackEngine({
    label: "openai",
    providers: { stt: of("stt"), llm: of("llm"), tts: of("tts") },
    embedded: { label: "embedded", open: () => silence, close: async () => {} },
    takesMessages: true,
    guard: { retries: 1, breaker_failures: 3, breaker_open_sec: 60 },
    clock: PORTS.clock,
    log: PORTS.log,
  });
  return engine;
}

const withTool = (parameters: JsonObject) =>
  sessionSettings({ tools: [{ ...BOOKING, parameters }], callId: "call-of-a" });
const BAD: JsonObject = { type: "object", properties: { days: { type: "array" } } };

test("a tool schema rejected by a provider does not disable the provider for other tenants", async () => {
  const worker = startWith(first);
  const other = worker.open(sessionSettings());
  expect(textOf(await answerTo(other, utterance("Open?")))).toBe("All right.");
  const refused = await answerTo(worker.open(withTool(BAD)), utterance("Book me"));
  expect(first.refusals.map(({ code }) => code)).toEqual(["invalid_function_parameters"]);
  expect(textOf(refused)).toContain(MESSAGE_PHRASES.en.apology);
  expect(textOf(await answerTo(other, utterance("And on Sunday?")))).toBe("All right.");
  expect(textOf(await answerTo(worker.open(sessionSettings()), utterance("Open?")))).toBe(
    "All right.",
  );
});

test("a rejected request goes to the next provider, without a second attempt", async () => {
  const worker = startWith(first, second);
  second.script.models = { "llm-model": {} };
  first.script.always = { status: 400, message: "Invalid 'messages'.", code: "invalid_value" };
  const session = worker.open(sessionSettings());
  expect(textOf(await answerTo(session, utterance("Open?")))).toBe("From the second.");
  expect(first.requests).toHaveLength(1);
  first.script.always = null;
  expect(textOf(await answerTo(worker.open(sessionSettings()), utterance("Open?")))).toBe(
    "All right.",
  );
});

test.each([
  ["a wrong key", { status: 401, message: "Incorrect API key provided." }],
  ["a key that may not", { status: 403, message: "You may not use this." }],
  ["no credit", { status: 429, message: "You exceeded your quota.", code: "insufficient_quota" }],
  ["no money", { status: 402, message: "Insufficient Balance" }],
  ["an unknown model", { status: 404, message: "No such model.", code: "model_not_found" }],
  ["a model that is gone", { status: 400, message: "Off.", code: "model_decommissioned" }],
])("%s is tried once, and every call goes to the next provider", async (_, refusal) => {
  const worker = startWith(first, second);
  first.script.always = refusal;
  for (const text of ["Open?", "And on Sunday?"]) {
    const session = worker.open(sessionSettings());
    expect(textOf(await answerTo(session, utterance(text)))).toBe("From the second.");
  }
  expect(first.requests).toHaveLength(1);
});

test.each([
  ["a bad value", 400, "invalid_value"],
  ["a field it cannot read", 422, "validation_error"],
  ["a request too large", 413, "request_too_large"],
])("%s, ten times, does not open the circuit breaker", async (_, status, code) => {
  const worker = startWith(first, second);
  first.script.always = { status, code, message: "Refused." };
  for (let call = 0; call < 10; call++) {
    await answerTo(worker.open(sessionSettings()), utterance("Open?"));
  }
  first.script.always = null;
  expect(textOf(await answerTo(worker.open(sessionSettings()), utterance("Open?")))).toBe(
    "All right.",
  );
});
