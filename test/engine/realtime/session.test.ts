/** A Realtime call's session with a server that refuses every message outside the protocol. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Engine, EngineSession } from "../../../src/conversation/engine-port.ts";
import { ProviderFailure } from "../../../src/engine/provider-failure.ts";
import { createRealtimeEngine } from "../../../src/engine/realtime/engine.ts";
import type { RealtimeSettings } from "../../../src/engine/realtime/settings.ts";
import {
  answerTo,
  hum,
  PORTS,
  realtimeSettings,
  sessionSettings,
  speech,
  textOf,
  utterance,
} from "../../support/engine/engine-session.ts";
import { type RealtimeServer, realtimeServer } from "../../support/engine/realtime-server.ts";
import { eventually } from "../../support/eventually.ts";

let server: RealtimeServer;
let engine: Engine;

beforeEach(() => {
  server = realtimeServer("127.0.41.2");
  engine = start();
});
afterEach(async () => {
  await engine.close();
  await server.close();
  expect(server.violations).toEqual([]);
});

const start = (more: Partial<RealtimeSettings> = {}) =>
  createRealtimeEngine({ settings: realtimeSettings(server.url, more), ...PORTS });
const open = (more = {}) => engine.open(sessionSettings(more));

test.each([-3_600, 0])(
  "a session that expires in %d seconds by our clock is kept",
  async (seconds) => {
    server.script.expiresInSec = seconds;
    const session = open();
    await exchange(session, "Are you there?");
    await Bun.sleep(100);
    expect(server.headers).toHaveLength(1);
  },
);

/** Only this session is short, so it is replaced exactly once, however late. */
async function openExpiring(): Promise<EngineSession> {
  server.script.expiresInSec = 2;
  const session = open();
  await eventually(() => server.headers.length === 1, "a session is opened");
  server.script.expiresInSec = 3_600;
  return session;
}

async function heardBy(session: EngineSession, words: string): Promise<string> {
  server.script.recognises.push(words);
  hum(session, 800);
  return (await session.stt.finalize()).text;
}

async function exchange(session: EngineSession, words: string): Promise<string> {
  return textOf(await answerTo(session, utterance(await heardBy(session, words))));
}

async function failureOf(work: Promise<unknown>): Promise<ProviderFailure> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ProviderFailure)) throw new Error(`no failure but ${String(error)}`);
  return error;
}

test("a session rejected by the server is a failure, and none of its audio is played", async () => {
  const message = "Invalid value: 'nova'. Supported values are: 'alloy'.";
  const param = "session.audio.output.voice";
  server.script.refuseUpdate = () => ({ code: "invalid_value", message, param });
  const failure = await failureOf(speech(open(), "Good afternoon."));
  expect(failure).toMatchObject({ reason: "request", lasting: false });
  expect(failure.message).toContain("Invalid value: 'nova'");
  expect(server.of("response.create")).toEqual([]);
});

test("a session confirmed in another format is a failure, not noise", async () => {
  server.script.updates = "as_they_were";
  const failure = await failureOf(speech(open(), "Good afternoon."));
  expect(failure.reason).toBe("request");
  expect(failure.message).toContain("audio/pcm instead of audio/pcma");
});

test("a server that names no formats sends PCM: accepted only if PCM is configured", async () => {
  server.script.updates = "without_formats";
  expect((await failureOf(speech(open(), "Good afternoon."))).message).toContain("audio/pcm");
  engine = start({ audio: "pcm" });
  expect((await speech(open(), "Good afternoon.")).length).toBeGreaterThan(4_000);
});

test("without a confirmation of the session there is a failure to connect", async () => {
  server.script.updates = "ignored";
  engine = start({ connect_timeout_ms: 150 });
  expect((await failureOf(speech(open(), "Good afternoon."))).reason).toBe("connect");
});

test.each([
  [401, "auth", true],
  [403, "auth", true],
  [404, "not_found", true],
  [429, "rate_limited", false],
  [503, "server", false],
] as const)("a handshake with status %i is %s", async (status, reason, lasting) => {
  server.script.refuse = status;
  const failure = await failureOf(speech(open(), "Good afternoon."));
  expect(failure).toMatchObject({ reason, status, lasting });
});

test("Azure gets its key in its own header", async () => {
  engine = start({ api_key: "the-key", api_key_header: "api-key" });
  await speech(open(), "Good afternoon.");
  expect(server.headers[0]?.get("api-key")).toBe("the-key");
  expect(server.headers[0]?.has("authorization")).toBe(false);
});

test("session settings use the server's names", async () => {
  engine = start({
    turn_detection: "semantic",
    turn_eagerness: "high",
    noise_reduction: "far_field",
    reasoning_effort: "low",
    transcription_model: "gpt-transcribe",
    transcription_prompt: "Calls to a dental clinic.",
  });
  const content = "Our dentist is Ona Petraitiene, and the hygienist is Jonas Kazlauskas.";
  const session = open({
    language: "lt",
    knowledge: [{ filename: "staff.md", format: "md", content }],
  });
  await speech(session, "Good afternoon.");
  expect(server.sessions()[0]).toMatchObject({
    reasoning: { effort: "low" },
    audio: {
      input: {
        noise_reduction: { type: "far_field" },
        transcription: {
          model: "gpt-transcribe",
          languages: ["lt"],
          keywords: ["Ona Petraitiene", "Jonas Kazlauskas"],
          prompt: "Calls to a dental clinic.",
        },
        turn_detection: {
          type: "semantic_vad",
          eagerness: "high",
          create_response: false,
          interrupt_response: false,
        },
      },
    },
  });
});

test("a language rejected by the server is left out, also in later calls", async () => {
  engine = start({ transcription_model: "gpt-transcribe" });
  server.script.refuseUpdate = (session) =>
    JSON.stringify(session).includes('"lv"')
      ? { code: "invalid_value", message: "Unsupported language code: lv", param: "session.audio" }
      : null;
  expect(await exchange(open({ language: "lv" }), "Labdien")).toBe("All right.");
  expect(server.of("session.update")).toHaveLength(2);
  expect(await exchange(open({ language: "lv" }), "Labdien")).toBe("All right.");
  expect(server.of("session.update")).toHaveLength(3);
});

test("a reasoning model is asked for low effort; after a rejection the setting is left out", async () => {
  engine = start({ model: "gpt-realtime-2.1", reasoning_effort: "auto" });
  expect(await exchange(open(), "Hello")).toBe("All right.");
  expect(server.sessions()[0]).toMatchObject({ reasoning: { effort: "low" } });
  engine = start({ model: "gpt-realtime-mini", reasoning_effort: "minimal" });
  const message = "Reasoning is not supported by this model.";
  server.script.refuseUpdate = ({ reasoning }) =>
    reasoning ? { code: "invalid_value", message, param: "session.reasoning" } : null;
  // Two calls that start at once are both refused, and both continue.
  const calls = [open(), open()];
  await Promise.all(calls.map((session) => speech(session, "Good afternoon.")));
  expect(server.of("session.update")).toHaveLength(5);
  await speech(open(), "Good afternoon.");
  expect(server.of("session.update")).toHaveLength(6);
});

test("a change of language changes the transcription and nothing else", async () => {
  const session = open();
  await exchange(session, "Hello");
  session.switchLanguage?.("lt");
  await eventually(() => server.of("session.update").length === 2, "the language is told");
  expect(server.of("session.update")[1]?.session).toEqual({
    type: "realtime",
    audio: { input: { transcription: { model: "whisper-1", language: "lt" } } },
  });
  expect(await exchange(session, "Laba diena")).toBe("All right.");
});

test("a question that collides with another answer is asked again after it", async () => {
  server.script.busy = 2;
  expect(await exchange(open(), "When are you open?")).toBe("All right.");
  expect(server.of("response.create")).toHaveLength(3);
});

test("an answer that never ends is a temporary failure of the server", async () => {
  server.script.busy = 100;
  const failure = await failureOf(exchange(open(), "When are you open?"));
  expect(failure).toMatchObject({ reason: "server", lasting: false });
});

test("an answer cancelled before the server started it is cancelled by its id when it starts", async () => {
  server.script.createdDelayMs = 150;
  server.script.answer = () => ({ text: "Mhm to you, too. ".repeat(20) });
  server.script.paceMs = 10;
  const session = open();
  await heardBy(session, "mhm");
  const words = heardBy(session, "When are you open?");
  await eventually(() => server.of("response.cancel").length === 1, "the first is cancelled");
  server.script.answer = () => ({ text: "From nine." });
  expect(textOf(await answerTo(session, utterance(await words)))).toBe("From nine.");
  expect(server.of("response.cancel")).toHaveLength(1);
});

test("of several messages in an answer the current one is truncated, and later ones are deleted", async () => {
  server.script.answer = () => ({
    before: ["Let me look that up."],
    text: "We are open from nine to five on every day of the week, and on Saturday until noon.",
  });
  const session = open();
  const words = await heardBy(session, "When are you open?");
  const events = await answerTo(session, utterance(words));
  expect(textOf(events)).toBe(
    "Let me look that up. We are open from nine to five on every day of the week, and on Saturday until noon.",
  );
  for (const event of events) if (event.type === "text") await speech(session, event.text);
  session.llm.truncateSpoken("Let me look", 700);
  await eventually(() => server.of("conversation.item.delete").length === 1, "the second goes");
  const [truncated] = server.of("conversation.item.truncate");
  const answers = server.conversations()[0]?.filter(({ role }) => role === "assistant");
  expect(answers?.map(({ text }) => text)).toEqual(["Let me look that up."]);
  expect(truncated).toMatchObject({ item_id: answers?.[0]?.id, audio_end_ms: 700 });
});

test("truncating the second message keeps the first complete", async () => {
  server.script.answer = () => ({
    before: ["One moment."],
    text: "We are open from nine to five.",
  });
  const session = open();
  await answerTo(session, utterance(await heardBy(session, "When are you open?")));
  // 11 characters of 60 ms, then 500 ms of the next message.
  session.llm.truncateSpoken("One moment. We are", 660 + 500);
  await eventually(() => server.of("conversation.item.truncate").length === 1, "it is cut");
  const answers = server.conversations()[0]?.filter(({ role }) => role === "assistant");
  expect(server.of("conversation.item.truncate")[0]).toMatchObject({
    item_id: answers?.[1]?.id,
    audio_end_ms: 500,
  });
  expect(server.of("conversation.item.delete")).toEqual([]);
});

test("a truncation is never longer than the spoken audio: the server would reject it", async () => {
  server.script.answer = () => ({ before: ["One moment."], text: "We are open." });
  const session = open();
  await answerTo(session, utterance(await heardBy(session, "When are you open?")));
  session.llm.truncateSpoken("One moment. We are open.", 60_000);
  expect(await exchange(session, "Thank you")).toBe("One moment. We are open.");
});

test("a session is renewed before it expires, between two turns, and keeps the conversation", async () => {
  const session = await openExpiring();
  await exchange(session, "When are you open?");
  await eventually(() => server.headers.length === 2, "another session is opened");
  await eventually(() => server.conversations().length === 1, "the old one is closed");
  expect(server.conversations()[0]?.map(({ text }) => text)).toEqual([
    "When are you open?",
    "All right.",
  ]);
  expect(await exchange(session, "And on Sunday?")).toBe("All right.");
  expect(server.headers).toHaveLength(2);
});

test("a session that would expire during a tool call is renewed when the result is sent", async () => {
  server.script.answer = (heard) =>
    heard.includes("booked")
      ? { text: "You are booked." }
      : { tools: [{ name: "book_visit", arguments: { day: "Friday" } }] };
  const session = await openExpiring();
  const events = await answerTo(session, utterance(await heardBy(session, "Book me")));
  await eventually(() => server.headers.length === 2, "another session is opened");
  const call = events.find((event) => event.type === "tool_call");
  if (call?.type !== "tool_call") throw new Error("no tool call");
  const result = { type: "tool_result", toolCallId: call.toolCallId, ok: true } as const;
  const told = await answerTo(session, { ...result, output: { booked: true } });
  expect(textOf(told)).toBe("You are booked.");
  await eventually(() => server.conversations().length === 1, "the old one is closed");
});

test("a tool result for a lost session is sent as text", async () => {
  server.script.answer = (heard) =>
    heard.includes("booked")
      ? { text: "You are booked." }
      : { tools: [{ name: "book_visit", arguments: { day: "Friday" } }] };
  const session = open();
  const events = await answerTo(session, utterance(await heardBy(session, "Book me")));
  server.drop();
  await eventually(() => server.conversations().length === 0, "the session is lost");
  const isSaid = () =>
    speech(session, "One moment, please.").then(
      () => true,
      () => false,
    );
  await eventually(isSaid, "another session speaks");
  const call = events.find((event) => event.type === "tool_call");
  if (call?.type !== "tool_call") throw new Error("no tool call");
  const result = { type: "tool_result", toolCallId: call.toolCallId, ok: true } as const;
  expect(textOf(await answerTo(session, { ...result, output: { booked: true } }))).toBe(
    "You are booked.",
  );
  const told = JSON.stringify(server.of("conversation.item.create").at(-1)?.item);
  expect(told).not.toContain("function_call_output");
  expect(told).toContain("A tool returned");
});

test("an expired session is opened again at once, without waiting for pending work", async () => {
  server.script.answer = () => ({ text: "We are open from nine to five. ".repeat(20) });
  server.script.paceMs = 20;
  const session = open();
  const answer = failureOf(exchange(session, "When are you open?"));
  await eventually(() => server.of("response.create").length === 1, "it is asked");
  const message = "Your session hit the maximum duration of 60 minutes.";
  const error = { type: "invalid_request_error", code: "session_expired", message, event_id: null };
  server.tell({ type: "error", error });
  expect((await answer).reason).toBe("server");
  server.script.paceMs = 0;
  server.script.answer = () => ({ text: "All right." });
  expect(await exchange(session, "Hello?")).toBe("All right.");
});

test("an utterance too short for speech returns empty text at once", async () => {
  const session = open();
  await speech(session, "Good afternoon.");
  session.stt.startUtterance(new Int16Array(0));
  session.stt.push(new Int16Array(160));
  const before = performance.now();
  expect((await session.stt.finalize()).text).toBe("");
  expect(performance.now() - before).toBeLessThan(900);
});

test("missing credit is a lasting failure of the provider, for every call", async () => {
  server.script.faults.push({ type: "failed", code: "insufficient_quota" });
  const failure = await failureOf(exchange(open(), "When are you open?"));
  expect(failure).toMatchObject({ reason: "auth", lasting: true });
});

test.each([
  [3, "max_output_tokens", "All right, we I am sorry, I broke off there. Shall I go on?"],
  [0, "max_output_tokens", "I am sorry, I could not answer that."],
  [0, "content_filter", "I am sorry, I cannot talk about that."],
])("an answer cut off after %i words by %s is announced", async (after, reason, said) => {
  server.script.answer = () => ({ text: "All right, we are open from nine to five." });
  server.script.faults.push({ type: "incomplete", after, reason });
  const session = open();
  const heard = await exchange(session, "When are you open?");
  expect(heard).toContain(said);
  expect((await speech(session, heard.slice(heard.indexOf("I am sorry")))).length).toBeGreaterThan(
    0,
  );
});

test("an answer without words leads to a question", async () => {
  server.script.answer = () => ({});
  expect(await exchange(open(), "When are you open?")).toContain("Could you ask me again");
});

test("passages are sent before the answer is requested, and are deleted with the next question", async () => {
  const session = open({ looksUpKnowledge: true });
  const passage = { fileId: 1, filename: "faq.md", heading: "Hours", coverage: 1 };
  const ask = async (words: string, text: string) => {
    const input = {
      type: "utterance",
      text: await heardBy(session, words),
      confidence: 1,
    } as const;
    await answerTo(session, { ...input, passages: [{ ...passage, text }] });
  };
  await ask("when do you open", "We open at nine.");
  await ask("what does it cost", "It costs 40 EUR.");
  const told = server.of("conversation.item.create").map(({ item }) => JSON.stringify(item));
  expect(told.filter((item) => item.includes("We open at nine.")).length).toBe(1);
  expect(told.filter((item) => item.includes("It costs 40 EUR.")).length).toBe(1);
  const deleted = server.of("conversation.item.delete").map(({ item_id: id }) => id);
  expect(deleted).toEqual(["facts_1"]);
  expect(server.of("response.create").length).toBe(2);
});
