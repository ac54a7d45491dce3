/** The Realtime engine against a server on a real WebSocket: about 8 s. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Engine, UnsupportedText } from "../../src/conversation/engine-port.ts";
import { createRealtimeEngine } from "../../src/engine/realtime/engine.ts";
import type { RealtimeSettings } from "../../src/engine/realtime/settings.ts";
import {
  API_KEY,
  answerTo,
  failureOf,
  hum,
  PORTS,
  realtimeSettings,
  sessionSettings,
  speech,
  textOf,
  utterance,
} from "../support/engine/engine-session.ts";
import { type RealtimeServer, realtimeServer } from "../support/engine/realtime-server.ts";
import { eventually } from "../support/eventually.ts";

let server: RealtimeServer;
let engine: Engine;

beforeEach(() => {
  server = realtimeServer("127.0.41.1");
  engine = start();
});
afterEach(async () => {
  await engine.close();
  await server.close();
  expect(server.violations).toEqual([]);
});

const start = (more: Partial<RealtimeSettings> = {}) =>
  createRealtimeEngine({
    settings: realtimeSettings(server.url, { api_key: API_KEY, ...more }),
    ...PORTS,
  });
const open = (more = {}) => engine.open(sessionSettings(more));
type Session = ReturnType<typeof open>;

/** The caller says `words`; returns the agent's answer. */
async function exchange(session: Session, words: string) {
  server.script.recognises.push(words);
  hum(session, 800);
  const heard = await session.stt.finalize();
  return { heard, events: await answerTo(session, utterance(heard.text)) };
}

async function spokenMs(session: Session, texts: readonly string[]): Promise<number> {
  let samples = 0;
  for (const text of texts) samples += (await speech(session, text)).length;
  return samples / 8;
}

const texts = (events: Awaited<ReturnType<typeof answerTo>>) =>
  events.flatMap((event) => (event.type === "text" ? [event.text] : []));

test.each([
  ["ga", "g711"],
  ["ga", "g711_ulaw"],
  ["ga", "pcm"],
  ["beta", "g711"],
  ["beta", "pcm"],
] as const)("a question is heard, answered and spoken (%s, %s)", async (dialect, audio) => {
  server.script.dialect = dialect;
  engine = start({ audio });
  server.script.answer = () => ({ text: "We are open from nine. On Sunday we are closed." });
  const session = open({ history: [{ by: "agent", text: "Hello?" }] });
  const { heard, events } = await exchange(session, "When are you open?");
  expect(heard).toMatchObject({ text: "When are you open?" });
  expect(textOf(events)).toBe("We are open from nine. On Sunday we are closed.");
  expect(events.at(-1)).toEqual({ type: "done", usage: { inputTokens: 20, outputTokens: 10 } });
  expect(Math.abs((await spokenMs(session, texts(events))) - 47 * 60)).toBeLessThan(40);
  const [items] = server.conversations();
  expect(items?.map(({ role }) => role)).toEqual(["assistant", "user", "assistant"]);
  expect(items?.[1]?.audioMs).toBeCloseTo(900, -2);
  expect(server.headers[0]?.get("authorization")).toBe(`Bearer ${API_KEY}`);
});

test("the session gets prompt, tools, voice and format before anything else", async () => {
  const session = open();
  await exchange(session, "Hello");
  const [update] = server.of("session.update");
  expect(server.received[0]).toBe(update as never);
  expect(update?.session).toMatchObject({
    type: "realtime",
    instructions: "You answer for a dental clinic.",
    tools: [{ type: "function", name: "book_visit" }],
    audio: {
      input: {
        format: { type: "audio/pcma" },
        transcription: { model: "whisper-1", language: "en" },
        turn_detection: null,
      },
      output: { format: { type: "audio/pcma" }, voice: "marin" },
    },
  });
});

test("the answer is requested before the transcription is finished", async () => {
  server.script.transcriptionDelayMs = 300;
  server.script.recognises.push("When are you open?");
  const session = open();
  hum(session, 800);
  const heard = session.stt.finalize();
  await eventually(() => server.of("response.create").length === 1, "the answer is asked for");
  expect((await heard).text).toBe("When are you open?");
  await answerTo(session, utterance("When are you open?"));
  expect(server.of("response.create")).toHaveLength(1);
});

test("an answer to a non-question is cancelled when the caller continues, and leaves no trace", async () => {
  server.script.responseDelayMs = 100;
  const session = open();
  server.script.recognises.push("mhm");
  hum(session, 200);
  await session.stt.finalize();
  const { events } = await exchange(session, "When are you open?");
  expect(textOf(events)).toBe("All right.");
  expect(server.of("response.cancel").length).toBeGreaterThan(0);
  const answers = server.conversations()[0]?.filter(({ role }) => role === "assistant");
  expect(answers).toHaveLength(1);
});

test("a tool is called, its result is returned, and the answer follows", async () => {
  server.script.answer = (heard) =>
    heard.includes("booked")
      ? { text: "You are booked." }
      : { text: "One moment.", tools: [{ name: "book_visit", arguments: { day: "Friday" } }] };
  const session = open();
  const { events } = await exchange(session, "Book me for Friday");
  const call = events.find((event) => event.type === "tool_call");
  if (call?.type !== "tool_call") throw new Error("no tool call");
  expect(call).toMatchObject({ tool: "book_visit", arguments: { day: "Friday" } });
  const output = { booked: true };
  const result = { type: "tool_result", toolCallId: call.toolCallId, ok: true, output } as const;
  expect(textOf(await answerTo(session, result))).toBe("You are booked.");
  const created = server.of("conversation.item.create").at(-1);
  expect(created?.item).toMatchObject({ type: "function_call_output", output: '{"booked":true}' });
});

test("a call of an unknown tool is returned to the model", async () => {
  let asked = 0;
  server.script.answer = () =>
    ++asked === 1 ? { tools: [{ name: "fly", arguments: {} }] } : { text: "I cannot do that." };
  const { events } = await exchange(open(), "Fly");
  expect(events.map(({ type }) => type)).toContain("text");
  expect(textOf(events)).toBe("I cannot do that.");
});

test("calls of unknown tools end after three rounds and a request without tools", async () => {
  server.script.answer = () => ({ tools: [{ name: "fly", arguments: {} }] });
  const { events } = await exchange(open(), "Fly");
  expect(textOf(events)).toBe(
    "I am sorry, I could not answer that. Could you ask me again, please?",
  );
  expect(events.at(-1)).toMatchObject({ type: "done", rejectedRounds: 3 });
  const choices = server
    .of("response.create")
    .map(({ response }) => (response as { tool_choice?: string }).tool_choice);
  expect(choices).toEqual([undefined, undefined, undefined, "none"]);
});

test("after the last tool round the model must answer in words, and its tool calls get an apology", async () => {
  server.script.answer = () => ({ tools: [{ name: "book_visit", arguments: { day: "Friday" } }] });
  const session = open();
  const { events } = await exchange(session, "Book me for Friday");
  const call = events.find((event) => event.type === "tool_call");
  if (call?.type !== "tool_call") throw new Error("no tool call");
  const { toolCallId } = call;
  const result = { type: "tool_result", toolCallId, ok: true, output: {}, toolRounds: 0 } as const;
  const answer = await answerTo(session, result);
  expect(answer.map(({ type }) => type)).toEqual(["text", "done"]);
  expect(textOf(answer)).toContain("could not answer that");
  expect(server.of("response.create").at(-1)?.response).toMatchObject({ tool_choice: "none" });
});

test("an answer of tool calls only is counted even if the server reports no usage", async () => {
  server.script.reportsUsage = false;
  server.script.answer = () => ({ tools: [{ name: "book_visit", arguments: { day: "Friday" } }] });
  const { events } = await exchange(open(), "Book me for Friday");
  const done = events.at(-1);
  if (done?.type !== "done") throw new Error("the answer is not done");
  expect(done.usage.inputTokens).toBeGreaterThan(10);
  expect(done.usage.outputTokens).toBeGreaterThan(4);
});

test("an interrupted answer is cancelled and truncated to the played milliseconds", async () => {
  server.script.answer = () => ({
    text: "We are open from nine to five on every day of the week. ".repeat(5),
  });
  server.script.paceMs = 10;
  const session = open();
  server.script.recognises.push("When are you open?");
  hum(session, 800);
  await session.stt.finalize();
  const abort = new AbortController();
  const answer = session.llm
    .respond(utterance("When are you open?"), abort.signal)
    [Symbol.asyncIterator]();
  const first = await answer.next();
  if (first.value?.type !== "text") throw new Error("no text came");
  const speaking = session.tts.speak(first.value.text, abort.signal)[Symbol.asyncIterator]();
  await speaking.next();
  const rest = answer.next();
  abort.abort();
  await rest;
  session.llm.truncateSpoken("We are", 180);
  await eventually(
    () => server.of("conversation.item.truncate").length === 1,
    "the item is truncated",
  );
  expect(server.of("conversation.item.truncate")[0]).toMatchObject({
    content_index: 0,
    audio_end_ms: 180,
  });
  expect(server.of("response.cancel")).toHaveLength(1);
  server.script.paceMs = 0;
  server.script.answer = () => ({ text: "All right." });
  expect(textOf((await exchange(session, "Stop")).events)).toBe("All right.");
});

/** An answer with its first words, but without audio. */
async function longAnswer(session: Session) {
  server.script.answer = () => ({ text: "We are open from nine to five. ".repeat(10) });
  server.script.paceMs = 10;
  server.script.recognises.push("When");
  hum(session, 500);
  await session.stt.finalize();
  const abort = new AbortController();
  const answer = session.llm.respond(utterance("When"), abort.signal)[Symbol.asyncIterator]();
  await answer.next();
  return { answer, abort };
}

test("an answer that nobody heard is deleted at the server", async () => {
  const { answer, abort } = await longAnswer(open());
  abort.abort();
  await answer.next();
  await eventually(() => server.of("conversation.item.delete").length === 1, "the item is deleted");
});

test("deleting it keeps the earlier conversation, here and at the server", async () => {
  const session = open();
  await exchange(session, "Hello");
  const { answer, abort } = await longAnswer(session);
  const rest = answer.next();
  abort.abort();
  session.llm.truncateSpoken("", 0);
  await rest;
  server.script.paceMs = 0;
  server.script.answer = () => ({ text: "On Sunday, too." });
  await exchange(session, "When are you open on Sunday?");
  const answers = () => server.conversations()[0]?.filter(({ role }) => role === "assistant");
  expect(answers()).toHaveLength(2);
  expect(server.of("conversation.item.delete")).toHaveLength(1);
  await session.llm.summarize({ reason: "caller_hangup", durationSeconds: 20 });
  const told = JSON.stringify(server.of("response.create").at(-1));
  expect(told).toContain("Agent: All right.");
  expect(told).not.toContain("We are open");
}, 10_000);

test("a phrase is spoken word for word, or not at all", async () => {
  const session = open();
  expect((await speech(session, "Good afternoon, how can I help?")).length).toBeGreaterThan(8_000);
  server.script.readOut = () => "Sure! Good afternoon!";
  const refused = await speech(session, "This call is recorded.").catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UnsupportedText);
  expect(server.conversations()[0]).toEqual([]);
});

test("a failed phrase keeps the session open", async () => {
  server.script.speech = () => new Int16Array(0);
  const session = open();
  const refused = await speech(session, "Good afternoon.").catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UnsupportedText);
  server.script.speech = (text) => new Int16Array(text.length * 480).fill(3_000);
  expect(textOf((await exchange(session, "Hello")).events)).toBe("All right.");
  expect(server.headers).toHaveLength(1);
});

test("a piece can be spoken again after a false interruption", async () => {
  server.script.answer = () => ({ text: "We are open from nine to five." });
  const session = open();
  const { events } = await exchange(session, "When are you open?");
  const pieces = texts(events);
  const once = await spokenMs(session, pieces);
  const again = await spokenMs(session, pieces);
  expect(Math.abs(once - again)).toBeLessThan(40);
});

test("with the server's turn detection the end of speech comes from the server", async () => {
  engine = start({ turn_detection: "server" });
  const session = open();
  let ended = 0;
  session.stt.onEndpoint?.(() => ended++);
  server.script.recognises.push("When are you open?");
  await eventually(() => server.of("session.update").length === 1, "the session stands");
  hum(session, 600);
  for (let frame = 0; frame < 30; frame++) session.stt.push(new Int16Array(160));
  await eventually(() => ended === 1, "the server found the end");
  expect((await session.stt.finalize()).text).toBe("When are you open?");
  expect(server.of("input_audio_buffer.commit")).toEqual([]);
  expect(server.sessions()[0]).toMatchObject({
    audio: { input: { turn_detection: { create_response: false, interrupt_response: false } } },
  });
});

test("a connection lost between two turns is opened again and gets the conversation so far", async () => {
  const session = open({ history: [{ by: "agent", text: "Hello?" }] });
  await exchange(session, "When are you open?");
  server.drop();
  await eventually(() => server.conversations().length === 0, "the connection is lost");
  const { events } = await exchange(session, "And on Sunday?");
  expect(textOf(events)).toBe("All right.");
  const [items] = server.conversations();
  expect(items?.map(({ text }) => text)).toEqual([
    "Hello?",
    "When are you open?",
    "All right.",
    "And on Sunday?",
    "All right.",
  ]);
});

test("a connection lost in mid-utterance loses none of it", async () => {
  const session = open();
  await exchange(session, "Hello");
  hum(session, 400);
  server.drop();
  await eventually(() => server.conversations().length === 0, "the connection is lost");
  server.script.recognises.push("When are you open?");
  expect((await session.stt.finalize()).text).toBe("When are you open?");
  const spoken = server.conversations()[0]?.findLast(({ role }) => role === "user");
  expect(spoken?.audioMs ?? 0).toBeGreaterThan(450);
});

test.each([
  [{ type: "close", after: 3 }, "protocol"],
  [{ type: "stall", after: 0 }, "timeout"],
  [{ type: "failed", code: "server_error" }, "server"],
  [{ type: "failed", code: "rate_limit_exceeded" }, "rate_limited"],
  [{ type: "huge", characters: 5_000_000 }, "protocol"],
] as const)("a response that fails with %j is a failure", async (fault, reason) => {
  server.script.answer = () => ({ text: "We are open from nine to five." });
  server.script.faults.push(fault);
  server.script.paceMs = 5;
  expect((await failureOf(exchange(open(), "When are you open?"))).reason).toBe(reason);
});

test("frames other than events are dropped", async () => {
  server.script.faults.push({ type: "garbage" });
  expect(textOf((await exchange(open(), "Hello")).events)).toBe("All right.");
});

test("a server that rejects or never answers is a failure to connect, without the key in its message", async () => {
  server.script.refuse = 401;
  engine = start({ connect_timeout_ms: 200 });
  const refused = await failureOf(answerTo(open(), utterance("Hello")));
  expect(["connect", "auth"]).toContain(refused.reason);
  server.script.refuse = 0;
  const silent = await failureOf(answerTo(open(), utterance("Hello")));
  expect(silent.reason).toBe("connect");
  expect(`${refused.message} ${silent.message}`).not.toContain(API_KEY);
});

test("the summary is requested outside the conversation", async () => {
  const session = open();
  await exchange(session, "When are you open?");
  const before = server.conversations()[0]?.length;
  const { text: summary } = await session.llm.summarize({
    reason: "caller_hangup",
    durationSeconds: 20,
  });
  expect(summary).toBe("A short summary of the call.");
  expect(server.conversations()[0]?.length).toBe(before as number);
});

test("a server that sends words and calls only when complete is supported", async () => {
  server.script.sparse = true;
  server.script.answer = () => ({
    text: "We are open from nine to five.",
    tools: [{ name: "book_visit", arguments: { day: "Friday" } }],
  });
  const session = open();
  const { events } = await exchange(session, "When are you open?");
  expect(textOf(events)).toContain("We are open from nine to five.");
  expect(events.filter(({ type }) => type === "tool_call")).toHaveLength(1);
  expect(await spokenMs(session, texts(events))).toBeGreaterThan(1_500);
});

test("a call that ends in the middle of everything leaves neither connection nor timer behind", async () => {
  server.script.answer = () => ({ text: "We are open from nine to five. ".repeat(20) });
  server.script.paceMs = 20;
  const session = open();
  server.script.recognises.push("When are you open?");
  hum(session, 500);
  await session.stt.finalize();
  const answer = answerTo(session, utterance("When are you open?")).catch(
    (error: unknown) => error,
  );
  hum(session, 300);
  const heard = session.stt.finalize().catch((error: unknown) => error);
  const phrase = speech(session, "One moment.").catch((error: unknown) => error);
  session.close();
  await Promise.all([answer, heard, phrase]);
  await eventually(() => server.conversations().length === 0, "the connection is closed");
});

test("a server that keeps disconnecting is not retried for ever", async () => {
  const session = open();
  let failed = 0;
  for (let turn = 0; turn < 8; turn++) {
    await exchange(session, "Hello").catch(() => failed++);
    server.drop();
    await eventually(() => server.conversations().length === 0, "the connection is lost");
  }
  expect(failed).toBeGreaterThan(0);
  expect(server.headers.length).toBeLessThanOrEqual(4);
});
