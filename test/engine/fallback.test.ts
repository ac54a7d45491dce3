/** Failing providers, over real sockets, and their fallbacks. About 4 s. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Engine, EngineSession } from "../../src/conversation/engine-port.ts";
import { createFallbackEngine } from "../../src/engine/fallback/fallback-engine.ts";
import { MESSAGE_PHRASES } from "../../src/engine/fallback/message-phrases.ts";
import type { ProviderSources } from "../../src/engine/fallback/providers.ts";
import type { Part } from "../../src/engine/provider.ts";
import type { ProviderIncident } from "../../src/engine/provider-incident.ts";
import { createRealtimeEngine } from "../../src/engine/realtime/engine.ts";
import type { AgentLanguage } from "../../src/features/agent/agent.ts";
import {
  answerTo,
  hum,
  openAiParts,
  openAiSettings,
  PORTS,
  realtimeSettings,
  sessionSettings,
  speech,
  textOf,
  utterance,
} from "../support/engine/engine-session.ts";
import { type ChatBody, type OpenAiServer, openAiServer } from "../support/engine/openai-server.ts";
import { type RealtimeServer, realtimeServer } from "../support/engine/realtime-server.ts";

/** Longer than any answer takes on a busy machine. */
const PATIENT_MS = 30_000;
/** Time limit for a provider that hangs; until then it must answer within this time. */
const HANGING_MS = 2_000;
const timeoutsOf = (ms: number) => ({
  connectTimeoutMs: ms,
  sttTimeoutMs: ms,
  llmTimeoutMs: ms,
  ttsTimeoutMs: ms,
});
const TIMEOUTS = timeoutsOf(PATIENT_MS);
const MARK = 12_345;

let first: OpenAiServer;
let second: OpenAiServer;
let realtime: RealtimeServer;
let engines: Engine[] = [];

beforeEach(() => {
  first = openAiServer("127.0.42.1");
  second = openAiServer("127.0.42.2");
  realtime = realtimeServer("127.0.42.3");
});
afterEach(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  engines = [];
  first.close();
  second.close();
  await realtime.close();
});

/** A substitute for the embedded engine: recognises "embedded", speaks recognisable samples. */
const embedded: Engine = {
  label: "embedded",
  open: () => ({
    stt: {
      capabilities: { partials: false },
      startUtterance() {},
      push() {},
      finalize: async () => ({ text: "embedded", confidence: 1, audioMs: 1 }),
      discard() {},
      onPartial() {},
      expect() {},
    },
    llm: {
      async *respond() {},
      truncateSpoken() {},
      summarize: async () => ({ text: "", line: "" }),
    },
    tts: {
      async *speak(text) {
        yield new Int16Array(text.length * 80).fill(MARK);
      },
    },
    close() {},
  }),
  close: async () => {},
};

function openAiSources(urls: readonly string[], firstMs = PATIENT_MS): ProviderSources {
  const all = urls.map((url, index) =>
    openAiParts(openAiSettings(url, timeoutsOf(index === 0 ? firstMs : PATIENT_MS))),
  );
  const of = <P extends Part>(part: P) =>
    all.map((parts, index) => ({ name: `provider-${index}`, engine: parts[part] }));
  return { stt: of("stt"), llm: of("llm"), tts: of("tts") };
}

function openWith(
  urls: readonly string[],
  {
    takesMessages = true,
    retries = 1,
    breakerFailures = 3,
    language = "en" as AgentLanguage,
    firstMs = PATIENT_MS,
    onTrouble = (_: ProviderIncident): unknown => undefined,
  } = {},
): EngineSession {
  const engine = createFallbackEngine({
    label: "openai",
    providers: openAiSources(urls, firstMs),
    embedded,
    takesMessages,
    guard: { retries, breaker_failures: breakerFailures, breaker_open_sec: 60 },
    clock: PORTS.clock,
    log: PORTS.log,
    onTrouble,
  });
  engines.push(engine);
  return engine.open(sessionSettings({ language, history: [{ by: "agent", text: "Hello?" }] }));
}

const lastChat = (server: OpenAiServer) => server.seen("llm").at(-1)?.json as ChatBody;

test("a failure is retried at the same provider, once only", async () => {
  const session = openWith([first.url, second.url]);
  first.script.faults.llm.push({ type: "status", status: 500 });
  expect(textOf(await answerTo(session, utterance("Open?")))).toBe("All right.");
  expect([first.seen("llm").length, second.seen("llm").length]).toEqual([2, 0]);
  expect(lastChat(first).messages.filter(({ content }) => content === "Open?")).toHaveLength(1);
});

test("a short Retry-After of a 429 is waited for, with a long one the next provider is asked", async () => {
  first.script.faults.llm.push({ type: "status", status: 429, headers: "retry-after-ms: 200\r\n" });
  expect(textOf(await answerTo(openWith([first.url, second.url]), utterance("Open?")))).toBe(
    "All right.",
  );
  expect(second.seen("llm")).toHaveLength(0);
  first.script.faults.llm.push({ type: "status", status: 429, headers: "retry-after: 20\r\n" });
  second.script.answer = () => ({ text: "From the second." });
  expect(textOf(await answerTo(openWith([first.url, second.url]), utterance("Open?")))).toBe(
    "From the second.",
  );
});

test("without another provider, two seconds of Retry-After are waited for", async () => {
  first.script.faults.llm.push({ type: "status", status: 429, headers: "retry-after: 2\r\n" });
  expect(textOf(await answerTo(openWith([first.url]), utterance("Open?")))).toBe("All right.");
});

test("the second provider gets the conversation so far, and keeps the call", async () => {
  const session = openWith([first.url, second.url], { firstMs: HANGING_MS });
  first.script.answer = () => ({ text: "We are open from nine." });
  await answerTo(session, utterance("When are you open?"));
  first.script.always.llm = { type: "hang" };
  second.script.answer = () => ({ text: "On Sunday we are closed." });
  expect(textOf(await answerTo(session, utterance("And on Sunday?")))).toBe(
    "On Sunday we are closed.",
  );
  expect(lastChat(second).messages.slice(1)).toEqual([
    { role: "assistant", content: "Hello?" },
    { role: "user", content: "When are you open?" },
    { role: "assistant", content: "We are open from nine." },
    { role: "user", content: "And on Sunday?" },
  ]);
  first.script.always.llm = null;
  await answerTo(session, utterance("Thanks"));
  expect(first.seen("llm")).toHaveLength(2);
});

test("if a model dies in mid-answer, the next one continues after the words already sent", async () => {
  const session = openWith([first.url, second.url], { retries: 0 });
  first.script.answer = () => ({ text: "We are open from nine. And on Sunday we are" });
  first.script.paceMs = 5;
  first.script.faults.llm.push({ type: "cut", after: 9 });
  second.script.answer = () => ({ text: "And on Sunday we are closed." });
  const answer = await answerTo(session, utterance("When are you open?"));
  expect(textOf(answer)).toBe("We are open from nine. And on Sunday we are closed.");
  const { messages } = lastChat(second);
  expect(messages.at(-2)).toEqual({ role: "assistant", content: "We are open from nine." });
  expect(messages.at(-1)?.content).toContain("Go on");
});

test("a tool's result reaches the current provider, even if the one that called the tool is gone", async () => {
  const session = openWith([first.url, second.url]);
  first.script.answer = () => ({ tools: [{ name: "book_visit", arguments: { day: "Friday" } }] });
  const [call] = await answerTo(session, utterance("Book Friday"));
  if (call?.type !== "tool_call") throw new Error("no tool call");
  first.script.always.llm = { type: "status", status: 503 };
  second.script.answer = () => ({ text: "You are booked." });
  const result = {
    type: "tool_result",
    toolCallId: call.toolCallId,
    ok: true,
    output: { at: 10 },
  } as const;
  expect(textOf(await answerTo(session, result))).toBe("You are booked.");
  expect(lastChat(second).messages.at(-1)?.content).toContain('{"at":10}');
});

test("an utterance is passed to the next recogniser completely", async () => {
  const session = openWith([first.url, second.url], { firstMs: HANGING_MS });
  first.script.always.stt = { type: "hang" };
  second.script.recognises.push("When are you open?");
  hum(session, 1_000);
  expect(await session.stt.finalize()).toMatchObject({ text: "When are you open?" });
  const file = second.seen("stt")[0]?.form?.get("file");
  expect(file instanceof File ? file.size : 0).toBe(44 + 2 * 8_800);
  second.script.always.stt = { type: "status", status: 500 };
  hum(session, 500);
  expect((await session.stt.finalize()).text).toBe("embedded");
});

test("if a voice breaks off, another speaks the missing words", async () => {
  const text =
    "We are open from Monday to Friday, from nine in the morning to five in the afternoon.";
  const session = openWith([first.url, second.url], { retries: 0 });
  first.script.speech = (said) => new Int16Array(said.length * 65 * 8).fill(2_000);
  first.script.paceMs = 2;
  first.script.faults.tts.push({ type: "cut", after: 2_600 });
  await speech(session, text);
  const [rest] = second.seen("tts").map(({ json }) => (json as { input: string }).input);
  expect(text.endsWith(rest ?? "-")).toBe(true);
  expect((rest ?? "").length).toBeLessThan(text.length - 20);
  expect((rest ?? "").length).toBeGreaterThan(text.length / 3);
});

test.each([
  ["zeros", 0],
  ["dither", 8],
])("a voice that returns %s is reported, and another one speaks the sentence", async (_, level) => {
  const troubles: ProviderIncident[] = [];
  const session = openWith([first.url, second.url], {
    onTrouble: (trouble) => troubles.push(trouble),
  });
  first.script.speech = (said) => new Int16Array(said.length * 800).fill(level);
  const pcm = await speech(session, "Good afternoon.");
  expect(pcm.some((sample) => Math.abs(sample) > 1_000)).toBe(true);
  expect([first.seen("tts").length, second.seen("tts").length]).toEqual([1, 1]);
  expect(troubles).toMatchObject([
    { provider: "provider-0", part: "tts", trouble: { reason: "silent" } },
  ]);
  await speech(session, "How can I help?");
  expect([first.seen("tts").length, second.seen("tts").length]).toEqual([1, 2]);
});

test("the embedded voice speaks if the only voice returns silence, and a quiet voice is not silence", async () => {
  const session = openWith([first.url]);
  first.script.speech = (said) => new Int16Array(said.length * 800).fill(40);
  await speech(session, "Good afternoon.");
  expect(session.tts.isFallback).toBe(false);
  first.script.speech = (said) => new Int16Array(said.length * 800);
  const pcm = await speech(session, "How can I help?");
  expect(pcm.includes(MARK)).toBe(true);
  expect(session.tts.isFallback).toBe(true);
});

test("with all voices dead the embedded one speaks, and its audio is not cached for other calls", async () => {
  const session = openWith([first.url]);
  expect(session.tts.isFallback).toBe(false);
  first.fail({ type: "close" });
  const pcm = await speech(session, "Good afternoon.");
  expect(pcm.every((sample) => sample === MARK)).toBe(true);
  expect(session.tts.isFallback).toBe(true);
});

test("with all models dead a message is taken, and the summary contains it", async () => {
  const session = openWith([first.url, second.url]);
  first.fail({ type: "status", status: 500 });
  second.fail({ type: "status", status: 401 });
  const { apology, askName, askMessage, thanks } = MESSAGE_PHRASES.en;
  expect(textOf(await answerTo(session, utterance("When are you open?")))).toBe(
    `${apology} ${askName}`,
  );
  await answerTo(session, utterance("Anna Smith"));
  expect(textOf(await answerTo(session, { type: "digits", digits: "860000001" }))).toBe(askMessage);
  const last = await answerTo(session, utterance("Please call me tomorrow."));
  expect(textOf(last)).toBe(thanks);
  expect(last.map(({ type }) => type)).toContain("end_call");
  const { text: summary } = await session.llm.summarize({
    reason: "agent_hangup",
    durationSeconds: 60,
  });
  for (const part of ["technical problem", "Anna Smith", "860000001", "Please call me tomorrow."]) {
    expect(summary).toContain(part);
  }
});

test("after a cancelled early apology, the apology is still due", async () => {
  const session = openWith([first.url]);
  first.fail({ type: "status", status: 401 });
  const abort = new AbortController();
  const early = session.llm
    .respond(utterance("When are you"), abort.signal)
    [Symbol.asyncIterator]();
  const { apology, askName } = MESSAGE_PHRASES.en;
  expect((await early.next()).value).toEqual({ type: "text", text: apology });
  abort.abort();
  await early.return?.();
  const all = `${apology} ${askName}`;
  expect(textOf(await answerTo(session, utterance("When are you open")))).toBe(all);
  session.llm.truncateSpoken("");
  expect(textOf(await answerTo(session, utterance("When are you open tomorrow?")))).toBe(all);
});

test("a name recognised by a closed-phrase recogniser is not stored as a name", async () => {
  const session = openWith([first.url], { language: "lt" });
  first.fail({ type: "status", status: 500 });
  const result = async (): Promise<string> => {
    hum(session, 400);
    return (await session.stt.finalize()).text;
  };
  for (let said = 0; said < 2; said++) await answerTo(session, utterance(await result()));
  await answerTo(session, { type: "digits", digits: "860000001" });
  const last = await answerTo(session, utterance(await result()));
  const { onTheRecording } = MESSAGE_PHRASES.lt;
  expect(last).toContainEqual({
    type: "message",
    text: `Vardas: ${onTheRecording}. Telefonas perskambinti: 860000001. Žinutė: ${onTheRecording}`,
  });
});

test("without a fallback the call gets the failure", async () => {
  const session = openWith([first.url], { takesMessages: false });
  first.fail({ type: "status", status: 500 });
  await expect(answerTo(session, utterance("Hello"))).rejects.toThrow(/500/);
  await expect(speech(session, "Hello")).rejects.toThrow(/500/);
});

test("a dead provider is not waited for again, until one request finds it working", async () => {
  first.script.always.llm = { type: "status", status: 401 };
  let skippedMs = 0;
  const engine = createFallbackEngine({
    label: "openai",
    providers: openAiSources([first.url, second.url]),
    embedded,
    takesMessages: true,
    guard: { retries: 1, breaker_failures: 3, breaker_open_sec: 60 },
    clock: { ...PORTS.clock, monotonic: () => PORTS.clock.monotonic() + skippedMs },
    log: PORTS.log,
  });
  engines.push(engine);
  const ask = () => answerTo(engine.open(sessionSettings()), utterance("Hello"));
  for (let call = 0; call < 4; call++) await ask();
  expect(first.seen("llm")).toHaveLength(1);
  first.script.always.llm = null;
  skippedMs = 60_000;
  for (let call = 0; call < 3; call++) await ask();
  expect(first.seen("llm")).toHaveLength(4);
});

test("each part uses its own provider, and fails over separately", async () => {
  const [one, other] = [first.url, second.url].map((url) =>
    openAiParts(openAiSettings(url, TIMEOUTS)),
  );
  if (!one || !other) throw new Error("there are two servers");
  const engine = createFallbackEngine({
    label: "one+other",
    providers: {
      stt: [
        { name: "one", engine: one.stt },
        { name: "other", engine: other.stt },
      ],
      llm: [{ name: "other", engine: other.llm }],
      tts: [{ name: "one", engine: one.tts }],
    },
    embedded,
    takesMessages: true,
    guard: { retries: 0, breaker_failures: 3, breaker_open_sec: 60 },
    clock: PORTS.clock,
    log: PORTS.log,
  });
  engines.push(engine);
  const session = engine.open(sessionSettings());
  first.script.recognises.push("When are you open?");
  hum(session, 600);
  expect((await session.stt.finalize()).text).toBe("When are you open?");
  await answerTo(session, utterance("When are you open?"));
  await speech(session, "From nine.");
  expect([first.seen("llm").length, second.seen("llm").length]).toEqual([0, 1]);
  expect(first.seen("tts").length).toBeGreaterThan(0);
  first.script.always.stt = { type: "status", status: 500 };
  second.script.recognises.push("And on Sunday?");
  hum(session, 600);
  expect((await session.stt.finalize()).text).toBe("And on Sunday?");
  await speech(session, "Closed.");
  expect(second.seen("tts")).toHaveLength(0);
});

test("a lost Realtime session moves the whole call to the next provider", async () => {
  const settings = realtimeSettings(realtime.url, {
    connect_timeout_ms: PATIENT_MS,
    response_timeout_ms: PATIENT_MS,
  });
  const whole = { name: "realtime", combined: createRealtimeEngine({ settings, ...PORTS }) };
  const others = openAiParts(openAiSettings(second.url));
  const engine = createFallbackEngine({
    label: "realtime",
    providers: {
      stt: [whole, { name: "openai", engine: others.stt }],
      llm: [whole, { name: "openai", engine: others.llm }],
      tts: [whole, { name: "openai", engine: others.tts }],
    },
    embedded,
    takesMessages: true,
    guard: { retries: 1, breaker_failures: 3, breaker_open_sec: 60 },
    clock: PORTS.clock,
    log: PORTS.log,
  });
  engines.push(engine);
  const session = engine.open(sessionSettings({ history: [{ by: "agent", text: "Hello?" }] }));
  realtime.script.recognises.push("When are you open?");
  hum(session, 600);
  const result = await session.stt.finalize();
  expect(textOf(await answerTo(session, utterance(result.text)))).toBe("All right.");
  realtime.script.refuse = 503;
  realtime.drop();
  second.script.recognises.push("And on Sunday?");
  second.script.answer = () => ({ text: "On Sunday we are closed." });
  hum(session, 600);
  const next = await session.stt.finalize();
  expect(next.text).toBe("And on Sunday?");
  expect(textOf(await answerTo(session, utterance(next.text)))).toBe("On Sunday we are closed.");
  expect(
    lastChat(second)
      .messages.slice(1)
      .map(({ content }) => content),
  ).toEqual(["Hello?", "When are you open?", "All right.", "And on Sunday?"]);
  expect((await speech(session, "On Sunday we are closed.")).length).toBeGreaterThan(1_000);
  expect(second.seen("tts")).toHaveLength(1);
});

test("a cancelled early answer leaves neither question nor answer, nor speech ahead", async () => {
  const session = openWith([first.url]);
  expect(session.llm.capabilities?.earlyStart).toBe(true);
  const abort = new AbortController();
  const early = session.llm
    .respond(utterance("When are you"), abort.signal)
    [Symbol.asyncIterator]();
  expect((await early.next()).value).toMatchObject({ type: "text" });
  abort.abort();
  expect(textOf(await answerTo(session, utterance("When are you open?")))).toBe("All right.");
  expect(lastChat(first).messages.slice(1)).toEqual([
    { role: "assistant", content: "Hello?" },
    { role: "user", content: "When are you open?" },
  ]);
  const before = first.seen("tts").length;
  await speech(session, "All right.");
  expect(first.seen("tts").length - before).toBeLessThanOrEqual(1);
});

test("a third and fourth sentence are requested ahead in order", async () => {
  const session = openWith([first.url]);
  const sentences = [
    "First sentence here.",
    "Second sentence here.",
    "Third sentence here.",
    "Fourth sentence here.",
  ];
  first.script.answer = () => ({ text: sentences.join(" ") });
  await answerTo(session, utterance("Tell me"));
  for (const sentence of sentences) await speech(session, sentence);
  const asked = first.seen("tts").map(({ json }) => (json as { input: string }).input);
  expect(asked.sort()).toEqual([...sentences].sort());
});

test("a voice that deviates from its text is replaced by the next one, after the words already played", async () => {
  realtime.script.readOut = (text) => text.replace("How can I", "But how could I");
  realtime.script.paceMs = 2;
  const voices = { Sari: "marin", Emma: "shimmer", Nathan: "cedar", Adrian: "echo" };
  const settings = openAiSettings(first.url, { ...TIMEOUTS, speechUrl: realtime.url, voices });
  const sources = openAiSources([second.url]);
  const engine = createFallbackEngine({
    label: "openai",
    providers: {
      ...sources,
      tts: [{ name: "realtime voice", engine: openAiParts(settings).tts }, ...sources.tts],
    },
    embedded,
    takesMessages: true,
    guard: { retries: 1, breaker_failures: 3, breaker_open_sec: 60 },
    ...PORTS,
  });
  engines.push(engine);
  const text = "Good afternoon, this is the dental clinic. How can I help you?";
  await speech(engine.open(sessionSettings()), text);
  const input = String((second.seen("tts")[0]?.json as { input?: string } | undefined)?.input);
  expect(input).toEndWith("How can I help you?");
  expect(input).not.toContain("Good afternoon");
  expect(text).toEndWith(input);
});
