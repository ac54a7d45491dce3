/** The OpenAI-compatible engine against a server on a real socket: about 6 s. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Engine, EngineSession } from "../../src/conversation/engine-port.ts";
import {
  API_KEY,
  answerTo,
  failureOf,
  hum,
  openAiEngine,
  type ServerOptions,
  sessionSettings,
  speech,
  textOf,
  utterance,
} from "../support/engine/engine-session.ts";
import {
  type ChatBody,
  event,
  type OpenAiServer,
  openAiServer,
} from "../support/engine/openai-server.ts";
import { eventually } from "../support/eventually.ts";

let server: OpenAiServer;
let engine: Engine;

beforeEach(() => {
  server = openAiServer("127.0.40.1");
  engine = start();
});
afterEach(async () => {
  await engine.close();
  server.close();
});

const start = (options: ServerOptions = {}, url = server.url) => openAiEngine(url, options);
const open = (more = {}) => engine.open(sessionSettings(more));
type SpeechBody = { readonly instructions?: string };
const chats = () => server.seen("llm").map(({ json }) => json as ChatBody);

test("an answer arrives sentence by sentence while the model still writes", async () => {
  server.script.answer = () => ({ text: "We are open from nine. On Sunday we are closed." });
  server.script.paceMs = 20;
  const session = open({ history: [{ by: "agent", text: "Hello, how can I help?" }] });
  const arrivals: number[] = [];
  const answer = session.llm.respond(utterance("When are you open?"), new AbortController().signal);
  const texts: string[] = [];
  for await (const piece of answer) {
    if (piece.type === "text") {
      texts.push(piece.text);
      arrivals.push(performance.now());
    } else if (piece.type === "done") {
      expect(piece.usage).toEqual({ inputTokens: 100, outputTokens: 10, cachedInputTokens: 60 });
    }
  }
  expect(texts).toEqual(["We are open from nine.", "On Sunday we are closed."]);
  expect((arrivals[1] ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThan(50);
  const [body] = chats();
  expect(body?.messages).toEqual([
    { role: "system", content: "You answer for a dental clinic." },
    { role: "assistant", content: "Hello, how can I help?" },
    { role: "user", content: "When are you open?" },
  ]);
  expect(body?.model).toBe("llm-model");
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${API_KEY}`);
});

test("a tool is called, its result is returned, and the answer follows", async () => {
  server.script.answer = ({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? { text: "You are booked for Friday." }
      : { text: "Let me see.", tools: [{ name: "book_visit", arguments: { day: "Friday" } }] };
  const session = open();
  const asked = await answerTo(session, utterance("Book me for Friday"));
  const call = asked.find((piece) => piece.type === "tool_call");
  if (call?.type !== "tool_call") throw new Error("no tool call");
  expect(call).toMatchObject({ tool: "book_visit", arguments: { day: "Friday" } });
  const { toolCallId } = call;
  const answer = await answerTo(session, {
    type: "tool_result",
    toolCallId,
    ok: true,
    output: { at: 10 },
  });
  expect(textOf(answer)).toBe("You are booked for Friday.");
  const last = chats().at(-1)?.messages ?? [];
  expect(last.at(-1)).toEqual({ role: "tool", tool_call_id: toolCallId, content: '{"at":10}' });
  expect(last.at(-2)?.tool_calls?.[0]?.id).toBe(toolCallId);
});

test("with two tools at once the model is asked again after both have answered", async () => {
  server.script.answer = ({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? { text: "Both done." }
      : {
          tools: [
            { name: "book_visit", arguments: { day: "Friday" } },
            { name: "book_visit", arguments: { day: "Monday" } },
          ],
        };
  const session = open();
  const calls = (await answerTo(session, utterance("Both days"))).filter(
    (one) => one.type === "tool_call",
  );
  expect(calls).toHaveLength(2);
  const texts: string[] = [];
  for (const call of calls) {
    if (call.type !== "tool_call") continue;
    const result = {
      type: "tool_result",
      toolCallId: call.toolCallId,
      ok: true,
      output: "ok",
    } as const;
    texts.push(textOf(await answerTo(session, result)));
  }
  expect(texts).toEqual(["", "Both done."]);
  expect(server.seen("llm")).toHaveLength(2);
});

test("a call of an unknown tool is returned to the model, which then answers", async () => {
  server.script.answer = ({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? { text: "I cannot do that." }
      : { tools: [{ name: "fly_to_moon", arguments: {} }] };
  const answer = await answerTo(open(), utterance("To the moon"));
  expect(answer.map(({ type }) => type)).toEqual(["text", "done"]);
  expect(chats()[1]?.messages.at(-1)?.content).toContain("no such tool");
});

test("calls of unknown tools end after three rounds and a request without tools, and are counted", async () => {
  server.script.answer = () => ({ tools: [{ name: "fly_to_moon", arguments: {} }] });
  const session = open();
  const answer = await answerTo(session, utterance("To the moon"));
  expect(textOf(answer)).toBe(
    "I am sorry, I could not answer that. Could you ask me again, please?",
  );
  expect(answer.at(-1)).toMatchObject({ type: "done", rejectedRounds: 3 });
  expect(chats().map((chat) => chat.tool_choice ?? "auto")).toEqual([
    "auto",
    "auto",
    "auto",
    "none",
  ]);
  await answerTo(session, { ...utterance("Again"), toolRounds: 1 });
  expect(chats()).toHaveLength(6);
});

test("without remaining tool rounds the model must answer in words, and its tool calls get an apology", async () => {
  server.script.answer = () => ({ tools: [{ name: "book_visit", arguments: { day: "Friday" } }] });
  const answer = await answerTo(open(), { ...utterance("Friday"), toolRounds: 0 });
  expect(chats()[0]).toMatchObject({ tool_choice: "none" });
  expect(answer.map(({ type }) => type)).toEqual(["text", "done"]);
  expect(textOf(answer)).toContain("could not answer that");
});

test("a tool call written as text is executed, unless the answer has a real one", async () => {
  const written = '<tool_call>{"name":"book_visit","arguments":{"day":"Friday"}}</tool_call>';
  server.script.answer = () => ({ text: written });
  const answer = await answerTo(open(), utterance("Friday"));
  expect(answer).toMatchObject([
    { type: "tool_call", tool: "book_visit", arguments: { day: "Friday" } },
    { type: "done" },
  ]);
  const tools = [{ name: "book_visit", arguments: { day: "Monday" } }];
  server.script.answer = () => ({ text: "book_visit(day=Friday)", tools });
  const both = await answerTo(open(), utterance("Monday"));
  expect(both).toMatchObject([
    { type: "tool_call", arguments: { day: "Monday" } },
    { type: "done" },
  ]);
});

test("a written call of an unknown tool is not spoken, and an answer of thoughts alone gets an apology", async () => {
  server.script.answer = ({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? { text: "I cannot do that." }
      : { text: '{"name": "fly_to_moon", "arguments": {}}' };
  expect(textOf(await answerTo(open(), utterance("To the moon")))).toBe("I cannot do that.");
  server.script.answer = () => ({ text: "<Thinking>They ask again.</Thinking>" });
  expect(textOf(await answerTo(open(), utterance("And?")))).toContain("could not answer that");
});

test("after a thought without its opening tag, the next answer waits for the closing tag", async () => {
  server.script.answer = () => ({ text: "Nine it is. Short.\n</think>\n\nWe open at nine." });
  const session = open();
  await answerTo(session, utterance("Open?"));
  expect(textOf(await answerTo(session, utterance("Open?")))).toBe("We open at nine.");
  const thinker = start({ llmModel: "deepseek-r1:8b" });
  expect(textOf(await answerTo(thinker.open(sessionSettings()), utterance("Open?")))).toBe(
    "We open at nine.",
  );
  await thinker.close();
});

test("a summary contains no thoughts", async () => {
  server.script.answer = () => ({
    text: `<think>${"They asked. ".repeat(100)}</think>LINE: Asked for hours.\nThe caller asked for hours.`,
  });
  const summary = await open().llm.summarize({ reason: "caller_hangup", durationSeconds: 9 });
  expect(summary).toEqual({ text: "The caller asked for hours.", line: "Asked for hours." });
});

test("a server without tool_choice is asked without tools instead", async () => {
  server.script.faultOf = ({ service, json }) =>
    service === "llm" && (json as ChatBody).tool_choice
      ? { type: "status", status: 400, body: '{"error":{"message":"unknown field: tool_choice"}}' }
      : null;
  server.script.answer = () => ({ text: "We open at nine." });
  const answer = await answerTo(open(), { ...utterance("Open?"), toolRounds: 0 });
  expect(textOf(answer)).toBe("We open at nine.");
  expect(chats().at(-1)?.tools).toBeUndefined();
});

test("an answer of tool calls only is counted even if the server reports no usage", async () => {
  const call = { function: { name: "book_visit", arguments: '{"day":"Friday"}' } };
  const parts = [
    event({ choices: [{ delta: { tool_calls: [{ index: 0, id: "a", ...call }] } }] }),
    event({ choices: [{ delta: {}, finish_reason: "tool_calls" }] }),
    "data: [DONE]\n\n",
  ];
  const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
  server.script.faults.llm.push({ type: "raw", bytes: head + parts.join("") });
  const done = (await answerTo(open(), utterance("Friday"))).at(-1);
  if (done?.type !== "done") throw new Error("the answer is not done");
  expect(done.usage.inputTokens).toBeGreaterThan(10);
  expect(done.usage.outputTokens).toBeGreaterThan(4);
});

test.each([
  [
    "CRLF, comments, several data lines and no [DONE]",
    [
      ": keep-alive\r\n\r\n",
      'data: {"choices":[{"delta":\r\ndata: {"content":"We are open."}}]}\r\n\r\n',
      'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\r\n\r\n',
    ],
  ],
  [
    "a truncated event in between",
    [
      'data: {"choices":[{"delta":{"content":"We are\n\n',
      event({ choices: [{ delta: { content: "We are open." } }] }),
      "data: [DONE]\n\n",
    ],
  ],
  [
    "neither a reason to finish nor [DONE]",
    [event({ choices: [{ delta: { content: "We are open." } }] })],
  ],
])("an answer is parsed with %s", async (_, parts) => {
  const body = parts.join("");
  const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
  server.script.faults.llm.push({ type: "raw", bytes: head + body });
  expect(textOf(await answerTo(open(), utterance("Open?")))).toBe("We are open.");
});

test("an answer of a server without streaming is parsed", async () => {
  const body = JSON.stringify({ choices: [{ message: { content: "We are open." } }] });
  server.script.faults.llm.push({ type: "status", status: 200, body });
  expect(textOf(await answerTo(open(), utterance("Open?")))).toBe("We are open.");
});

test("an answer that breaks off is a failure after the words received so far", async () => {
  server.script.answer = () => ({ text: "We are open from nine. And on Sunday we are" });
  server.script.faults.llm.push({ type: "cut", after: 9 });
  server.script.paceMs = 5;
  const said: string[] = [];
  const read = async () => {
    for await (const piece of open().llm.respond(
      utterance("Open?"),
      new AbortController().signal,
    )) {
      if (piece.type === "text") said.push(piece.text);
    }
  };
  expect((await failureOf(read())).reason).toBe("protocol");
  expect(said).toEqual(["We are open from nine."]);
});

test.each([
  [
    {
      type: "status",
      status: 401,
      body: `{"error":{"message":"Incorrect API key provided: ${API_KEY}"}}`,
    },
    "auth",
    true,
  ],
  [{ type: "status", status: 429, headers: "retry-after: 2\r\n" }, "rate_limited", false],
  [{ type: "status", status: 500 }, "server", false],
  [{ type: "status", status: 503 }, "server", false],
  [{ type: "status", status: 400 }, "request", false],
  [{ type: "status", status: 422 }, "request", false],
  [{ type: "status", status: 404 }, "not_found", true],
  [
    { type: "status", status: 302, headers: "location: http://127.0.0.1:1/\r\n" },
    "not_found",
    true,
  ],
  [{ type: "close" }, "protocol", false],
  [{ type: "raw", bytes: "SIP/2.0 200 OK\r\n\r\n" }, "protocol", false],
] as const)("the failure %j has its own reason", async (fault, reason, lasting) => {
  server.script.always.llm = fault;
  const failure = await failureOf(answerTo(open(), utterance("Open?")));
  expect({ reason: failure.reason, lasting: failure.lasting }).toEqual({ reason, lasting });
  expect(failure.message).not.toContain(API_KEY);
  if (reason === "rate_limited") expect(failure.retryAfterMs).toBe(2_000);
});

test("an unreachable address is a failure to connect", async () => {
  const dead = openAiServer("127.0.40.1");
  dead.close();
  engine = start({}, dead.url);
  expect((await failureOf(answerTo(open(), utterance("Open?")))).reason).toBe("connect");
});

test("a missing first token, and a stream that stalls, are time-outs", async () => {
  engine = start({ llmTimeoutMs: 150, ttsTimeoutMs: 150 });
  server.script.faults.llm.push({ type: "hang" });
  const failure = await failureOf(answerTo(open(), utterance("Open?")));
  expect(failure.reason).toBe("timeout");
  server.script.faults.tts.push({ type: "hang" });
  expect((await failureOf(speech(open(), "Hello."))).reason).toBe("timeout");
});

test("an endless answer is not read completely", async () => {
  const endless = `data: ${"x".repeat(3_000_000)}`;
  const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
  server.script.faults.llm.push({ type: "raw", bytes: head + endless });
  expect((await failureOf(answerTo(open(), utterance("Open?")))).reason).toBe("protocol");
});

test("a parameter rejected by a model is left out from then on", async () => {
  server.script.faults.llm.push({
    type: "status",
    status: 400,
    body: '{"error":{"message":"Unsupported value: \'temperature\' does not support 0.4"}}',
  });
  const session = open();
  expect(textOf(await answerTo(session, utterance("Open?")))).toBe("All right.");
  await answerTo(session, utterance("Really?"));
  expect(chats().map((body) => body.temperature)).toEqual([0.4, undefined, undefined]);
});

test("an aborted answer ends the request and keeps the heard words in the history", async () => {
  server.script.answer = () => ({ text: "We are open from nine to five. ".repeat(20) });
  server.script.paceMs = 10;
  const session = open();
  const abort = new AbortController();
  const answer = session.llm.respond(utterance("Open?"), abort.signal)[Symbol.asyncIterator]();
  expect((await answer.next()).value).toMatchObject({ type: "text" });
  const rest = answer.next();
  abort.abort();
  expect((await rest.catch(() => ({ done: true }))).done).toBe(true);
  session.llm.truncateSpoken("We are open");
  server.script.paceMs = 0;
  server.script.answer = () => ({ text: "All right." });
  await answerTo(session, utterance("Stop."));
  expect(chats()[1]?.messages.slice(1)).toEqual([
    { role: "user", content: "Open?" },
    { role: "assistant", content: "We are open" },
    { role: "user", content: "Stop." },
  ]);
});

test("connections are reused", async () => {
  const session = open();
  for (let count = 0; count < 5; count++) {
    await answerTo(session, utterance(`Question ${count}`));
    await speech(session, "Hello there.");
  }
  expect(server.connections).toBeLessThan(6);
});

test.each(["file", "sse"] as const)(
  "an utterance is transcribed from a WAV file (%s)",
  async (sttMode) => {
    engine = start({ sttMode });
    server.script.recognises.push("What are your opening hours?");
    const session = open({ language: "lt" });
    hum(session, 1_000);
    const result = await session.stt.finalize();
    expect(result.text).toBe("What are your opening hours?");
    expect(result.audioMs).toBeCloseTo(1_100, -1);
    const form = server.seen("stt")[0]?.form;
    const file = form?.get("file");
    if (!(file instanceof File)) throw new Error("no file was sent");
    const view = new DataView(await file.arrayBuffer());
    expect(view.getUint32(24, true)).toBe(8_000);
    expect(view.byteLength).toBe(44 + 2 * 8_800);
    expect(form?.get("language")).toBe("lt");
    expect(form?.get("model")).toBe("stt-model");
  },
);

test("newer models get languages and names as lists, others the names as a prompt", async () => {
  const content = "Ask for Ona Petraitiene.\n- Teeth whitening: 90 EUR";
  const knowledge = [{ filename: "staff.md", format: "md", content }] as const;
  for (const sttModel of ["gpt-transcribe", "Systran/faster-whisper-small"]) {
    engine = start({ sttModel });
    const session = open({ language: "lt", knowledge });
    hum(session, 400);
    await session.stt.finalize();
  }
  const [newer, older] = server.seen("stt").map(({ form }) => form);
  expect(newer?.getAll("languages[]")).toEqual(["lt"]);
  expect(newer?.getAll("keywords[]")).toEqual(["Ona Petraitiene", "Teeth whitening"]);
  expect(newer?.has("language")).toBe(false);
  expect(older?.get("language")).toBe("lt");
  expect(older?.get("prompt")).toBe("Ona Petraitiene, Teeth whitening");
});

test("a rejected language is left out from then on, for this language only", async () => {
  engine = start({ sttModel: "gpt-transcribe" });
  const error = { message: "Unsupported language code 'lv'.", param: "languages[0]" };
  server.script.faultOf = ({ form }) =>
    form?.getAll("languages[]").includes("lv")
      ? { type: "status", status: 400, body: JSON.stringify({ error }) }
      : null;
  server.script.recognises.push("Labdien.", "Labdien!", "Hello.");
  const session = open({ language: "lv" });
  for (const text of ["Labdien.", "Labdien!"]) {
    hum(session, 400);
    expect((await session.stt.finalize()).text).toBe(text);
  }
  expect(server.seen("stt")).toHaveLength(3);
  session.switchLanguage?.("en");
  hum(session, 400);
  await session.stt.finalize();
  expect(server.seen("stt").at(-1)?.form?.getAll("languages[]")).toEqual(["en"]);
});

test("a model's prompt that comes back for noise counts as no words", async () => {
  const content = "Ask for Ona Petraitiene.\n- Teeth whitening: 90 EUR";
  server.script.recognises.push("Ona Petraitiene, teeth whitening.", "Teeth whitening");
  const knowledge = [{ filename: "staff.md", format: "md", content }] as const;
  const session = open({ knowledge });
  hum(session, 400);
  expect((await session.stt.finalize()).text).toBe("");
  hum(session, 400);
  expect((await session.stt.finalize()).text).toBe("Teeth whitening");
});

test("a voice gets its language and manner, unless a server rejects them", async () => {
  engine = start({ ttsModel: "gpt-4o-mini-tts" });
  const session = open({ language: "lt" });
  await speech(session, "Laba diena.");
  session.switchLanguage?.("ru");
  await speech(session, "Zdravstvujte.");
  engine = start({ ttsModel: "kokoro", ttsInstructions: "Calmly, in {language}." });
  await speech(open({ language: "en" }), "Good afternoon.");
  engine = start({ ttsModel: "kokoro" });
  await speech(open(), "Good afternoon.");
  const told = () => server.seen("tts").map(({ json }) => (json as SpeechBody).instructions);
  expect(told()).toEqual([
    "Speak Lithuanian, with the accent of a native speaker.",
    "Speak Russian, with the accent of a native speaker.",
    "Calmly, in English.",
    undefined,
  ]);
  engine = start({ ttsModel: "gpt-4o-mini-tts" });
  server.script.faultOf = ({ service, json }) =>
    service === "tts" && (json as SpeechBody).instructions !== undefined
      ? {
          type: "status",
          status: 400,
          body: '{"error":{"message":"no field","param":"instructions"}}',
        }
      : null;
  const other = open();
  expect((await speech(other, "Good afternoon.")).length).toBeGreaterThan(4_000);
  expect((await speech(other, "Good afternoon.")).length).toBeGreaterThan(4_000);
  expect(told().slice(4)).toHaveLength(3);
});

test("a cancelled utterance is not part of the next one", async () => {
  const session = open();
  hum(session, 2_000);
  session.stt.discard();
  hum(session, 200);
  expect((await session.stt.finalize()).audioMs).toBeCloseTo(300, -1);
});

describe("an utterance recognised at its first silence", () => {
  const early = (session: EngineSession, heard: string[]) => {
    session.stt.onPartial((words) => heard.push(words));
    hum(session, 1_000);
    session.stt.recogniseEarly?.();
  };

  test("is sent once, without the silence after it, and its words are reported", async () => {
    server.script.recognises.push("When are you open?");
    const session = open();
    const heard: string[] = [];
    early(session, heard);
    session.stt.recogniseEarly?.();
    await eventually(() => heard.length > 0, "its words are reported");
    expect(heard).toEqual(["When are you open?"]);
    session.stt.push(new Int16Array(1_600));
    const { text, audioMs } = await session.stt.finalize();
    expect([text, server.seen("stt").length]).toEqual(["When are you open?", 1]);
    expect(audioMs).toBeCloseTo(1_100, -1);
  });

  test("is sent again completely when the caller continues; the unused request is counted", async () => {
    server.script.recognises.push("I would like to book a table.");
    const session = open();
    const heard: string[] = [];
    early(session, heard);
    session.stt.dropEarly?.();
    for (let ms = 0; ms < 1_000; ms += 20) session.stt.push(new Int16Array(160).fill(9));
    const { text, audioMs, discardedMs } = await session.stt.finalize();
    expect(text).toBe("I would like to book a table.");
    expect(audioMs).toBeCloseTo(1_100 + 2_100, -1);
    expect(discardedMs).toBeCloseTo(1_100, -1);
    expect(heard).toEqual([]);
    hum(session, 400);
    expect((await session.stt.finalize()).audioMs).toBeCloseTo(500, -1);
  });

  test("and discarded as noise leaves nothing to the next one", async () => {
    const session = open();
    early(session, []);
    session.stt.discard();
    server.script.recognises.push("Hello.");
    hum(session, 400);
    const { audioMs } = await session.stt.finalize();
    expect(audioMs).toBeCloseTo(1_100 + 500, -1);
  });

  test("and failed at the server fails completely", async () => {
    server.fail({ type: "close" });
    const session = open();
    early(session, []);
    await failureOf(session.stt.finalize());
  });
});

test.each(["pcm", "wav"] as const)(
  "speech of 24 kHz is played at the call's rate (%s)",
  async (format) => {
    engine = start({ format });
    const pcm = await speech(open(), "Good afternoon.");
    const expectedMs = 15 * 60;
    expect(Math.abs(pcm.length / 8 - expectedMs)).toBeLessThan(20);
    expect(Math.max(...pcm)).toBeGreaterThan(6_000);
    expect(server.seen("tts")[0]?.json).toMatchObject({
      voice: "nova",
      input: "Good afternoon.",
      response_format: format,
    });
  },
);

test("speech is played as it arrives, before it is complete", async () => {
  server.script.faults.tts.push({ type: "stall", after: 400 });
  const spoken = open().tts.speak("Good afternoon.", new AbortController().signal);
  const { value } = await spoken[Symbol.asyncIterator]().next();
  expect(value?.length).toBeGreaterThan(0);
});

test("MP3 instead of PCM is refused with a message that says how to fix it", async () => {
  server.script.faults.tts.push({
    type: "raw",
    bytes:
      "HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\ncontent-length: 20\r\n\r\nID3xxxxxxxxxxxxxxxxx",
  });
  const failure = await failureOf(speech(open(), "Hello."));
  expect(failure.message).toContain('tts_format to "wav"');
});

test("silence instead of speech, and speech that breaks off, are failures", async () => {
  server.script.speech = () => new Int16Array(0);
  expect((await failureOf(speech(open(), "Hello."))).reason).toBe("protocol");
  server.script.speech = () => new Int16Array(16_000).fill(900);
  server.script.faults.tts.push({ type: "cut", after: 500 });
  expect((await failureOf(speech(open(), "Hello again."))).reason).toBe("protocol");
});

test("a sentence requested ahead is spoken from that request", async () => {
  const session = open();
  session.tts.prefetch?.("Second sentence.");
  await eventually(() => server.seen("tts").length === 1, "the sentence is asked for");
  await speech(session, "Second sentence.");
  expect(server.seen("tts")).toHaveLength(1);
});

test("the summary is in the agent's language, and its prompt says that the transcript is data", async () => {
  server.script.answer = () => ({ text: "The caller asked about opening hours." });
  const session = open({ language: "lv" });
  await answerTo(session, utterance("When are you open?"));
  const { text: summary } = await session.llm.summarize({
    reason: "caller_hangup",
    durationSeconds: 40,
  });
  expect(summary).toBe("The caller asked about opening hours.");
  const [system] = chats().at(-1)?.messages ?? [];
  expect(system?.content).toContain("Latvian");
  expect(system?.content).toContain("data");
});

test("data after [DONE] is not waited for", async () => {
  const chunk = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n`;
  const head =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
  const body =
    chunk(event({ choices: [{ delta: { content: "We are open." } }] })) + chunk("data: [DONE]\n\n");
  server.script.faults.llm.push({ type: "open", bytes: head + body });
  const startedAt = performance.now();
  expect(textOf(await answerTo(open(), utterance("Open?")))).toBe("We are open.");
  expect(performance.now() - startedAt).toBeLessThan(3_000);
});

test("passages precede their question, and are in no later request", async () => {
  const session = open();
  const passage = { fileId: 1, filename: "faq.md", heading: "Hours", coverage: 1 };
  const passages = [{ ...passage, text: "We open at nine." }];
  await answerTo(session, { type: "utterance", text: "When?", confidence: 1, passages });
  await answerTo(session, { type: "utterance", text: "Thanks.", confidence: 1, passages: [] });
  const [first, second] = chats();
  const asked = first?.messages.at(-1)?.content ?? "";
  expect(asked).toStartWith("## KNOWLEDGE BASE");
  expect(asked).toContain("### faq.md › Hours\nWe open at nine.");
  expect(asked).toEndWith("When?");
  expect(
    second?.messages.filter(({ role }) => role === "user").map(({ content }) => content),
  ).toEqual(["When?", "Thanks."]);
});
