/** Early answers at the caller's first silence: start, cancellation and restrictions. */
import { expect, test } from "bun:test";
import type { LlmEvent, LlmInput } from "../../../src/conversation/engine-port.ts";
import { type ScriptedCallOptions, scriptedCall } from "../../support/media/scripted-call.ts";

type Call = Awaited<ReturnType<typeof scriptedCall>>;

const FIRST = "I need a table.";
const WHOLE = "I need a table for two people.";
const words = (text: string): LlmEvent => ({ type: "text", text });
const echo = (input: LlmInput): LlmEvent[] =>
  input.type === "utterance" ? [words(`You said: ${input.text}`)] : [];

async function greeted(settings: ScriptedCallOptions["settings"] = {}): Promise<Call> {
  const call = await scriptedCall({ earlyStart: true, settings });
  await call.answerAndGreet();
  call.script.answers = echo;
  call.prefetched.length = 0;
  return call;
}

/** Says a part, pauses, says the rest and waits for the answer. */
async function pauseAndGoOn(call: Call, pauseMs: number): Promise<void> {
  call.script.early = FIRST;
  await call.speech(1_000);
  await call.silence(pauseMs);
  call.script.early = WHOLE;
  call.script.recognises.push(WHOLE);
  await call.speech(1_000);
  await call.silence(4_000);
}

const said = (call: Call) => call.spoken.filter((text) => text.startsWith("You said"));
const heardFromCaller = (call: Call) =>
  call.turns().flatMap(({ speaker, text }) => (speaker === "customer" ? [text] : []));
const events = (call: Call) =>
  call.messages.flatMap(({ type }) => (type === "heartbeat" ? [] : [type]));
const usageOf = async (call: Call) => {
  const closing = call.session.close("caller_hangup");
  await call.silence(5_000);
  return (await closing).usage;
};

test.each([
  // Frames last 20 ms. The VAD is about 60 ms late: its third silent frame is 120 ms of real silence.
  [20, 0],
  [40, 0],
  [60, 1],
  [80, 1],
  [100, 1],
  [120, 1],
  [320, 1],
])("a caller who continues after %d ms cancels %d answers, and hears one", async (ms, times) => {
  const call = await greeted();
  await pauseAndGoOn(call, ms);
  expect(call.inputs).toHaveLength(times + 1);
  expect(said(call)).toEqual([`You said: ${WHOLE}`]);
  expect(heardFromCaller(call)).toEqual([WHOLE]);
  expect(call.stillPrefetched()).toEqual([`You said: ${WHOLE}`]);
  const { discarded, ...all } = await usageOf(call);
  expect(discarded).toMatchObject({
    llmInputTokens: 10 * times,
    llmOutputTokens: 5 * times,
    ttsCharacters: times * `You said: ${FIRST}`.length,
  });
  expect(all.llmInputTokens).toBe(10 + 10 * times);
  expect(call.illegalEvents).toEqual([]);
});

test("a click starts nothing", async () => {
  const call = await greeted();
  call.script.early = FIRST;
  await call.speech(100);
  await call.silence(1_000);
  expect([call.earlyRecognitions, call.inputs]).toEqual([[], []]);
});

test("early work does not shorten the endpoint silence", async () => {
  const turnEnds = async (speculate: "off" | "all") => {
    const call = await greeted({ speculate });
    await call.says("When are you open?");
    await call.silence(3_000);
    return call.turns().find(({ latencyMs }) => latencyMs !== null)?.measures?.endpointMs;
  };
  expect(await turnEnds("all")).toBe(await turnEnds("off"));
});

test("before the end of the silence nothing is played or stored", async () => {
  const call = await greeted();
  const playedMs = call.audio.playedMs;
  const { length } = call.turns();
  call.script.early = FIRST;
  await call.speech(1_000);
  await call.silence(320);
  expect(call.prefetched).toEqual([`You said: ${FIRST}`]);
  expect(call.turns()).toHaveLength(length);
  expect([call.audio.playedMs, call.audio.queuedMs]).toEqual([playedMs, 0]);
});

test.each([
  ["tool_call", { type: "tool_call", toolCallId: "t1", tool: "book_visit", arguments: {} }],
  ["message", { type: "message", text: "Call me back." }],
  ["transfer", { type: "transfer", target: "reception" }],
  ["end_call", { type: "end_call" }],
] as const)("%s: actions of an early answer wait for the end of the turn", async (_, event) => {
  const call = await greeted();
  const { length } = events(call);
  call.script.answers = () => [event, words("All right.")];
  call.script.early = FIRST;
  await call.speech(1_000);
  await call.silence(320);
  expect(call.inputs).toHaveLength(1);
  expect(events(call).slice(length)).toEqual([]);
  expect(call.session.turn.name).toBe("endpointing");
  call.script.answers = echo;
  call.script.early = WHOLE;
  call.script.recognises.push(WHOLE);
  await call.speech(1_000);
  await call.silence(4_000);
  expect(events(call).filter((type) => type !== "turn")).toEqual([]);
  expect(said(call)).toEqual([`You said: ${WHOLE}`]);
});

test("a tool call of an early answer is made once, after the end of the turn", async () => {
  const call = await greeted();
  call.script.answers = () => [
    { type: "tool_call", toolCallId: "t1", tool: "book_visit", arguments: {} },
  ];
  call.script.early = FIRST;
  await call.says(FIRST);
  await call.silence(200);
  const made = call.messages.filter(({ type }) => type === "tool_call_requested");
  expect(made).toHaveLength(1);
  expect(call.inputs).toHaveLength(1);
});

test("after three early starts in one utterance, no more are made", async () => {
  const call = await greeted();
  call.script.early = FIRST;
  for (let pause = 0; pause < 6; pause++) {
    await call.speech(600);
    await call.silence(200);
  }
  expect(call.inputs).toHaveLength(3);
  expect(call.earlyRecognitions.filter((what) => what === "begun")).toHaveLength(3);
  call.script.recognises.push(WHOLE);
  await call.silence(4_000);
  expect(said(call)).toEqual([`You said: ${WHOLE}`]);
  call.script.early = "When are you open?";
  await call.speech(1_000);
  await call.silence(200);
  expect(call.earlyRecognitions.filter((what) => what === "begun")).toHaveLength(4);
});

test("a caller who interrupts an early answer is heard, and the LLM learns which words were spoken", async () => {
  const call = await greeted();
  call.script.early = FIRST;
  call.script.answers = () => [words("We have one at seven, and another one late at nine.")];
  await call.says(FIRST);
  await call.silence(1_000);
  call.script.early = null;
  await call.says("Stop, at eight please.");
  await call.silence(3_000);
  expect(call.truncated).toHaveLength(1);
  expect((await usageOf(call)).discarded).toMatchObject({ llmInputTokens: 0, ttsCharacters: 0 });
});

test("a caller who continues after the end of the turn cancels an answer that nobody heard", async () => {
  const call = await greeted();
  Object.assign(call.script, { early: FIRST, llmTakesMs: 600 });
  call.script.recognises.push(FIRST);
  await call.speech(1_000);
  await call.silence(380);
  call.script.early = null;
  call.script.recognises.push("For two people.");
  await call.speech(600);
  await call.silence(4_000);
  expect(said(call)).toEqual([`You said: ${FIRST} For two people.`]);
  expect((await usageOf(call)).discarded).toMatchObject({ llmInputTokens: 10 });
});

test("a caller who hangs up in the pause starts nothing", async () => {
  const call = await greeted();
  call.script.early = FIRST;
  call.script.answers = () => [
    { type: "tool_call", toolCallId: "t1", tool: "book_visit", arguments: {} },
  ];
  await call.speech(1_000);
  await call.silence(200);
  const { discarded } = await usageOf(call);
  expect(discarded).toMatchObject({ llmInputTokens: 10, llmOutputTokens: 5 });
  expect(call.messages.filter(({ type }) => type === "tool_call_requested")).toEqual([]);
});

test.each(["off", "hearing"] as const)("speculate = %s cancels no answer", async (speculate) => {
  const call = await greeted({ speculate });
  await pauseAndGoOn(call, 200);
  expect(call.inputs).toHaveLength(1);
  expect(call.prefetched).toEqual([]);
  expect((await usageOf(call)).discarded).toMatchObject({ llmInputTokens: 0, ttsCharacters: 0 });
});
