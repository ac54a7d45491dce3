/**
 * The language model over chat completions and over responses, against one strict server that validates every
 * request: the same tests for both, and the handling of rejections.
 */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Engine, LlmEvent } from "../../../src/conversation/engine-port.ts";
import {
  answerTo,
  BOOKING,
  failureOf,
  openAiEngine,
  type ServerOptions,
  sessionSettings,
  textOf,
  utterance,
} from "../../support/engine/engine-session.ts";
import {
  type LanguageModelServer,
  languageModelServer,
} from "../../support/engine/language-model-server.ts";
import { schemaProblems } from "../../support/engine/openai-schema.ts";

let server: LanguageModelServer;
let engine: Engine;

beforeEach(() => {
  server = languageModelServer("127.0.44.1");
  server.script.models["llm-model"] = {};
});
afterEach(async () => {
  for (const { api, body } of server.requests) expect(schemaProblems(api, body)).toEqual([]);
  await engine.close();
  server.close();
});

function open(options: ServerOptions = {}, more = {}) {
  engine = openAiEngine(server.url, options);
  return engine.open(sessionSettings(more));
}

const usageOf = (events: readonly LlmEvent[]) =>
  events.flatMap((event) => (event.type === "done" ? [event.usage] : []))[0];

describe.each(["chat", "responses"] as const)("over %s", (llmApi) => {
  const path = llmApi === "chat" ? "chat" : "responses";

  test("text, tools, a tool's result and usage", async () => {
    server.script.answer = ({ turns }) =>
      turns.at(-1)?.text === '{"at":10}'
        ? { text: "You are booked for Friday." }
        : { text: "Let me see.", tools: [{ name: "book_visit", arguments: { day: "Friday" } }] };
    const session = open({ llmApi }, { history: [{ by: "agent", text: "Hello?" }] });
    const asked = await answerTo(session, utterance("Book me for Friday"));
    expect(textOf(asked)).toBe("Let me see.");
    expect(usageOf(asked)).toEqual({
      inputTokens: 1_000,
      outputTokens: 10,
      cachedInputTokens: 900,
    });
    const call = asked.find((event) => event.type === "tool_call");
    if (call?.type !== "tool_call") throw new Error("no tool call");
    expect(call).toMatchObject({ tool: "book_visit", arguments: { day: "Friday" } });
    const { toolCallId } = call;
    const result = { type: "tool_result", toolCallId, ok: true, output: { at: 10 } } as const;
    expect(textOf(await answerTo(session, result))).toBe("You are booked for Friday.");
    expect(server.refusals).toEqual([]);
    expect(new Set(server.requests.map(({ api }) => api))).toEqual(new Set([path]));
    expect(server.requests[0]?.turns.map(({ text }) => text)).toEqual([
      "You answer for a dental clinic.",
      "Hello?",
      "Book me for Friday",
    ]);
    expect(server.requests[0]?.tools).toEqual(["book_visit"]);
  });

  test("two tools at once, and an unknown tool", async () => {
    server.script.answer = ({ turns }) =>
      turns.at(-1)?.text.includes("no such tool")
        ? { text: "I cannot do that." }
        : { tools: [{ name: "fly_to_moon", arguments: {} }] };
    const session = open({ llmApi });
    expect(textOf(await answerTo(session, utterance("To the moon")))).toBe("I cannot do that.");
    const booking = (day: string) => ({ name: "book_visit", arguments: { day } });
    server.script.answer = () => ({ tools: [booking("Friday"), booking("Monday")] });
    const calls = await answerTo(session, utterance("Both days"));
    expect(calls.flatMap((event) => (event.type === "tool_call" ? [event.arguments] : []))).toEqual(
      [{ day: "Friday" }, { day: "Monday" }],
    );
    expect(server.refusals).toEqual([]);
  });

  test("a refusal is spoken", async () => {
    server.script.answer = () => ({ refusal: "I cannot help with that request." });
    expect(textOf(await answerTo(open({ llmApi }), utterance("Say it")))).toBe(
      "I cannot help with that request.",
    );
  });

  test("an answer cut at its limit is incomplete: the caller is asked whether to go on", async () => {
    server.script.answer = () => ({ text: "We open at nine. And on Sunday we", end: "length" });
    const session = open({ llmApi });
    expect(textOf(await answerTo(session, utterance("Open?")))).toBe(
      "We open at nine. I am sorry, I broke off there. Shall I go on?",
    );
    server.script.answer = () => ({ text: "All right." });
    await answerTo(session, utterance("Yes"));
    expect(server.requests.at(-1)?.turns.at(-2)?.text).toBe(
      "We open at nine. I am sorry, I broke off there. Shall I go on?",
    );
  });

  test("an answer of thoughts alone leads to an apology", async () => {
    server.script.answer = () => ({ end: "length" });
    const russian = open({ llmApi }, { language: "ru" });
    expect(textOf(await answerTo(russian, utterance("Вы открыты?")))).toBe(
      "Извините, не удалось ответить. Повторите, пожалуйста, вопрос.",
    );
  });

  test("an answer withheld by the provider's filter leads to an apology", async () => {
    server.script.answer = () => ({ text: "You should first. Then take", end: "content_filter" });
    expect(textOf(await answerTo(open({ llmApi }), utterance("How?")))).toBe(
      "You should first. I am sorry, I cannot talk about that. Can I help you with anything else?",
    );
  });

  test("a question rejected by the provider's filter leads to an apology and is forgotten", async () => {
    const session = open({ llmApi });
    server.script.always = { status: 400, message: "Filtered.", code: "content_filter" };
    expect(textOf(await answerTo(session, utterance("Something bad")))).toBe(
      "I am sorry, I cannot talk about that. Can I help you with anything else?",
    );
    server.script.always = null;
    expect(textOf(await answerTo(session, utterance("When are you open?")))).toBe("All right.");
    expect(JSON.stringify(server.requests.at(-1)?.turns)).not.toContain("Something bad");
  });

  test("words spoken before the filter struck stay in the history", async () => {
    const error = { code: "content_policy_violation", message: "Filtered." };
    server.script.answer = () => ({ text: "We open at nine. And then we", error });
    const session = open({ llmApi });
    expect(textOf(await answerTo(session, utterance("Open?")))).toBe(
      "We open at nine. I am sorry, I cannot talk about that. Can I help you with anything else?",
    );
    server.script.answer = () => ({ text: "All right." });
    await answerTo(session, utterance("Thanks"));
    expect(server.requests.at(-1)?.turns.map(({ text }) => text)).toContain("Open?");
  });

  test.each([
    ["rate_limit_exceeded", "rate_limited"],
    ["server_error", "server"],
    ["insufficient_quota", "auth"],
    ["context_length_exceeded", "too_long"],
  ] as const)("%s within the stream has its own reason", async (code, reason) => {
    server.script.answer = () => ({ text: "We are", error: { code, message: "Sorry." } });
    const failure = await failureOf(answerTo(open({ llmApi }), utterance("Open?")));
    expect(failure.reason).toBe(reason);
  });

  test("an answer that breaks off is a failure", async () => {
    server.script.answer = () => ({ text: "We are open from", cut: true });
    const failure = await failureOf(answerTo(open({ llmApi }), utterance("Open?")));
    expect(failure.reason).toBe("protocol");
  });

  test("too many tokens: the oldest turns are removed and the request is repeated", async () => {
    server.script.models["llm-model"] = { contextTokens: 400 };
    const history = Array.from({ length: 40 }, (_, index) => ({
      by: index % 2 === 0 ? ("caller" as const) : ("agent" as const),
      text: `Turn ${index}: ${"words and words ".repeat(4)}`,
    }));
    const session = open({ llmApi }, { history });
    expect(textOf(await answerTo(session, utterance("And on Sunday?")))).toBe("All right.");
    const turns = server.requests.at(-1)?.turns ?? [];
    expect(turns[0]?.text).toBe("You answer for a dental clinic.");
    expect(turns.at(-1)?.text).toBe("And on Sunday?");
    expect(turns.length).toBeGreaterThan(5);
    const asked = server.requests.length;
    expect(textOf(await answerTo(session, utterance("Thanks")))).toBe("All right.");
    expect(server.requests.length).toBe(asked + 1);
  });

  test("a prompt that never fits fails as the request's error, after few requests", async () => {
    server.script.models["llm-model"] = { contextTokens: 2 };
    const failure = await failureOf(answerTo(open({ llmApi }), utterance("Open?")));
    expect(failure.reason).toBe("too_long");
    expect(server.requests.length).toBeLessThan(5);
  });

  test("schemas that allow it are strict, others are unchanged", async () => {
    const free = { ...BOOKING, name: "find_visit", parameters: { type: "object" as const } };
    const session = open({ llmApi }, { tools: [BOOKING, free] });
    await answerTo(session, utterance("Book me"));
    expect(server.refusals).toEqual([]);
    const [tools] = server.requests.map(({ body }) => JSON.stringify(body.tools));
    expect(tools).toContain('"strict":true');
    expect(tools).toContain('"additionalProperties":false');
    expect(tools?.match(/"additionalProperties"/g)).toHaveLength(1);
  });

  test("requests contain the agent's cache key, a hash of the caller and a limit of the answer", async () => {
    const session = open(
      { llmApi, llmReasoningEffort: "none" },
      { promptCacheKey: "agent-7", safetyIdentifier: "9f3c" },
    );
    server.script.models["llm-model"] = { efforts: ["none"] };
    await answerTo(session, utterance("Open?"));
    expect(server.refusals).toEqual([]);
    expect(server.requests[0]?.body).toMatchObject({
      prompt_cache_key: "agent-7",
      safety_identifier: "9f3c",
      [llmApi === "chat" ? "max_completion_tokens" : "max_output_tokens"]: 1_024,
    });
  });
});

describe("thoughts over responses", () => {
  const kinds = (input: unknown) => (input as { type: string }[]).map(({ type }) => type);
  const bookings = ["Friday", "Monday"].map((day) => ({ name: "book_visit", arguments: { day } }));

  async function bookTwice(session: ReturnType<typeof open>): Promise<string> {
    server.script.answer = ({ turns }) =>
      turns.at(-1)?.role === "user" ? { text: "I see.", tools: bookings } : { text: "All booked." };
    const asked = await answerTo(session, utterance("Book both days"));
    let said = "";
    for (const event of asked) {
      if (event.type !== "tool_call") continue;
      const { toolCallId } = event;
      const result = { type: "tool_result", toolCallId, ok: true, output: { at: 10 } } as const;
      said = textOf(await answerTo(session, result));
    }
    return said;
  }

  test("are returned encrypted with their tool calls, and not after the next question", async () => {
    server.script.models["llm-model"] = { efforts: ["low"] };
    const session = open({ llmApi: "responses", llmReasoningEffort: "low" });
    expect(await bookTwice(session)).toBe("All booked.");
    const [first, second] = server.requests.map(({ body }) => body);
    expect(first).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
    expect(kinds(second?.input)).toEqual([
      ...["message", "reasoning", "message", "function_call", "function_call"],
      ...["function_call_output", "function_call_output"],
    ]);
    expect(JSON.stringify(second?.input)).toContain("gAAAAABthoughts");
    await answerTo(session, utterance("Thank you"));
    expect(kinds(server.requests.at(-1)?.body.input)).not.toContain("reasoning");
    expect(server.refusals).toEqual([]);
  });

  test("are not requested from a model without reasoning", async () => {
    server.script.models["llm-model"] = { efforts: ["none"] };
    const session = open({ llmApi: "responses", llmReasoningEffort: "none" });
    expect(await bookTwice(session)).toBe("All booked.");
    for (const { body } of server.requests) expect(body.include).toBeUndefined();
  });

  test("are left out if the provider does not encrypt them, or can no longer read them", async () => {
    server.script.models["llm-model"] = { efforts: ["low"], encrypts: false };
    const session = open({ llmApi: "responses", llmReasoningEffort: "low" });
    expect(await bookTwice(session)).toBe("All booked.");
    expect(server.refusals).toHaveLength(1);

    server.script.models["llm-model"] = { efforts: ["low"] };
    const other = open({ llmApi: "responses", llmReasoningEffort: "low" });
    server.script.answer = () => ({ tools: bookings.slice(1) });
    const [call] = await answerTo(other, utterance("Book Monday"));
    if (call?.type !== "tool_call") throw new Error("no tool call");
    server.script.answer = () => ({ text: "Booked." });
    const message = "The encrypted content gAAA could not be verified.";
    server.script.next.push({ status: 400, message, code: "invalid_encrypted_content" });
    const { toolCallId } = call;
    const result = { type: "tool_result", toolCallId, ok: true, output: {} } as const;
    expect(textOf(await answerTo(other, result))).toBe("Booked.");
  });

  test("never go to chat completions", async () => {
    server.script.models["llm-model"] = { efforts: ["low"] };
    const session = open({ llmApi: "chat", llmReasoningEffort: "low" });
    expect(await bookTwice(session)).toBe("All booked.");
    expect(server.refusals).toEqual([]);
  });
});

const efforts = () =>
  server.requests.map(({ api, body }) => {
    const { reasoning, reasoning_effort: effort } = body;
    return [api, api === "chat" ? effort : (reasoning as { effort: string } | undefined)?.effort];
  });

describe("a server's rejections are remembered for all calls of a worker", () => {
  test.each([
    ["needs none with tools", { efforts: ["none", "low"], chatTools: "none_only" }, "low", "auto"],
    ["takes no none", { efforts: ["low", "medium"] }, "none", "auto"],
    ["knows no effort", { efforts: null }, "none", "auto"],
    ["answers over responses only", { apis: ["responses"] }, "", "auto"],
    [
      "takes tools over responses only",
      { efforts: ["low", "high"], chatTools: "none_only" },
      "none",
      "auto",
    ],
    [
      "needs none, and may not go to responses",
      { efforts: ["none"], chatTools: "none_only" },
      "low",
      "chat",
    ],
    ["answers over chat completions only", { apis: ["chat"] }, "", "auto"],
  ] as const)("a model that %s", async (_, behaviour, llmReasoningEffort, llmApi) => {
    server.script.models["llm-model"] = behaviour;
    const session = open({ llmReasoningEffort, llmApi });
    expect(textOf(await answerTo(session, utterance("Open?")))).toBe("All right.");
    const asked = server.requests.length;
    expect(asked).toBeLessThan(5);
    const again = engine.open(sessionSettings());
    expect(textOf(await answerTo(again, utterance("And on Sunday?")))).toBe("All right.");
    expect(server.requests.length).toBe(asked + 1);
  });

  test("the configured effort is kept over responses", async () => {
    server.script.models["llm-model"] = { efforts: ["none", "low"], chatTools: "none_only" };
    await answerTo(open({ llmReasoningEffort: "low" }), utterance("Open?"));
    expect(efforts().at(-1)).toEqual(["responses", "low"]);
    expect(efforts()[0]).toEqual(["chat", "low"]);
  });

  test("of the efforts that a model supports the smallest is sent", async () => {
    server.script.models["llm-model"] = { efforts: ["medium", "low", "high"] };
    await answerTo(open({ llmReasoningEffort: "none" }), utterance("Open?"));
    expect(efforts().at(-1)).toEqual(["chat", "low"]);
  });

  test("empty sends no effort", async () => {
    server.script.models["llm-model"] = { efforts: ["none"] };
    server.script.unknownFields = ["temperature"];
    await answerTo(open({ llmReasoningEffort: "" }), utterance("Open?"));
    expect(efforts()).toEqual([
      ["chat", undefined],
      ["chat", undefined],
    ]);
  });

  test("a server without /responses is asked over chat completions", async () => {
    server.script.hasResponses = false;
    const model = "gpt-6.1-sol";
    server.script.models[model] = {};
    const session = open({ llmModel: model });
    expect(textOf(await answerTo(session, utterance("Open?")))).toBe("All right.");
    expect(server.requests.at(-1)?.api).toBe("chat");
  });

  test("all calls in progress at that moment are answered", async () => {
    server.script.models["llm-model"] = { efforts: ["low"], chatTools: "none_only" };
    const sessions = Array.from({ length: 8 }, () => open({ llmReasoningEffort: "none" }));
    const shared = sessions.map(() => engine.open(sessionSettings()));
    const answers = await Promise.all(
      shared.map((session) => answerTo(session, utterance("Open?"))),
    );
    expect(answers.map(textOf)).toEqual(shared.map(() => "All right."));
  });

  test.each([
    "temperature",
    "stream_options",
    "prompt_cache_key",
    "safety_identifier",
    "max_completion_tokens",
  ])("%s is left out if the server does not know it", async (field) => {
    server.script.unknownFields = [field];
    const session = open({}, { promptCacheKey: "agent-7", safetyIdentifier: "9f3c" });
    expect(textOf(await answerTo(session, utterance("Open?")))).toBe("All right.");
    expect(textOf(await answerTo(session, utterance("And?")))).toBe("All right.");
    expect(server.refusals).toHaveLength(1);
  });

  test("one tenant's tool, whatever its name, does not change other tenants' requests", async () => {
    const parameters = { type: "object", properties: { at: { type: "array" } } };
    const name = "set_temperature_strict_reasoning_effort";
    const bad = open({}, { tools: [{ ...BOOKING, name, parameters }] });
    expect((await failureOf(answerTo(bad, utterance("Warmer")))).reason).toBe("request");
    const other = engine.open(sessionSettings());
    await answerTo(other, utterance("Open?"));
    const { temperature, tools } = server.requests.at(-1)?.body ?? {};
    expect(temperature).toBe(0.4);
    expect(JSON.stringify(tools)).toContain('"strict":true');
    expect(server.requests).toHaveLength(2);
  });

  test("a server without strict tools gets them unchanged", async () => {
    const message = "Unknown parameter: 'tools[0].function.strict'.";
    server.script.next.push({ status: 400, message, param: "tools[0].function.strict" });
    expect(textOf(await answerTo(open(), utterance("Open?")))).toBe("All right.");
    expect(JSON.stringify(server.requests.at(-1)?.body.tools)).not.toContain("strict");
  });

  test("a model of the table gets the right parameters, without a rejection", async () => {
    for (const [model, behaviour] of [
      ["gpt-6-luna", { efforts: ["none", "low"], chatTools: "none_only" }],
      ["gpt-6-astra", { efforts: ["low", "high"], chatTools: "none_only" }],
      ["gpt-4o-mini", { efforts: null }],
    ] as const) {
      server.script.models[model] = behaviour;
      const session = open({ llmModel: model, llmReasoningEffort: "none" });
      expect(textOf(await answerTo(session, utterance("Open?")))).toBe("All right.");
    }
    expect(server.refusals).toEqual([]);
  });
});
