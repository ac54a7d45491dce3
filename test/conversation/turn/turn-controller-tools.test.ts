/** Tools in a conversation: waits, fillers and time-outs, with scripted audio and engine. */
import { expect, test } from "bun:test";
import { type LlmEvent, NOTHING_USED } from "../../../src/conversation/engine-port.ts";
import { scriptedCall } from "../../support/media/scripted-call.ts";

const text = (value: string): LlmEvent => ({ type: "text", text: value });
const toolCall = (toolCallId: string): LlmEvent => ({
  type: "tool_call",
  toolCallId,
  tool: "lookup",
  arguments: {},
});
const toolResult = (toolCallId: string) => ({
  toolCallId,
  ok: true,
  httpStatus: 200,
  durationMs: 10,
  output: "done",
});

test("a slow tool is bridged by rotating fillers, and the answer clips none", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.answers = (input) =>
    input.type === "tool_result" ? [text("Your visit is on Monday.")] : [toolCall("t1")];
  await call.says("When is my visit?");
  expect(call.messages.at(-1)).toMatchObject({ type: "tool_call_requested", tool: "lookup" });
  await call.silence(2_300);
  expect(call.session.turn.name).toBe("thinking");
  await call.silence(300);
  expect(call.session.turn.name).toBe("agent_speaking");
  call.session.toolResult(toolResult("t1"));
  await call.silence(3_000);
  expect(call.turns().at(-1)?.text).toBe("One moment. Your visit is on Monday.");
});

test("a second wait gets another filler", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.answers = (input) =>
    input.type === "tool_result" ? [text("Here it is.")] : [toolCall("t1")];
  await call.says("When is my visit?");
  await call.silence(2_600 + 600 + 2_600 + 700);
  call.session.toolResult(toolResult("t1"));
  await call.silence(2_000);
  expect(call.turns().at(-1)?.text).toBe("One moment. Let me look. Here it is.");
});

test("a fast tool gets no filler", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.answers = (input) =>
    input.type === "tool_result" ? [text("Here it is.")] : [toolCall("t1")];
  await call.says("When is my visit?");
  await call.silence(1_000);
  call.session.toolResult(toolResult("t1"));
  await call.silence(4_000);
  expect(call.turns().at(-1)?.text).toBe("Here it is.");
});

test("a tool that never answers times out and the LLM gets an error", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.answers = (input) =>
    input.type === "tool_result" ? [text("I could not reach it.")] : [toolCall("t1")];
  await call.says("When is my visit?");
  await call.silence(13_000);
  expect(call.inputs.at(-1)).toMatchObject({ type: "tool_result", toolCallId: "t1", ok: false });
  expect(call.turns().at(-1)?.text).toContain("I could not reach it.");
  call.session.toolResult(toolResult("t1"));
  await call.silence(500);
  expect(call.inputs.filter((input) => input.type === "tool_result")).toHaveLength(1);
});

test("words spoken during a tool call are answered after the tool's answer", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.answers = (input) => {
    if (input.type === "tool_result") return [text("It is on Monday.")];
    return call.inputs.length === 1 ? [toolCall("t1")] : [text("In Garden Street.")];
  };
  await call.says("When is my visit?");
  await call.says("And where do I go?");
  expect(call.inputs).toHaveLength(1);
  call.session.toolResult(toolResult("t1"));
  await call.silence(4_000);
  expect(call.inputs.map((input) => input.type)).toEqual(["utterance", "tool_result", "utterance"]);
});

test("of nine tools requested at once eight run, and the LLM gets an error for the ninth", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.answers = ({ type }) =>
    type === "utterance" ? Array.from({ length: 9 }, (_, at) => toolCall(`call-${at}`)) : [];
  await call.says("When are you open?");
  await call.silence(100);
  const requested = call.messages.flatMap((sent) =>
    sent.type === "tool_call_requested" ? [sent.toolCallId] : [],
  );
  expect(requested).toEqual(Array.from({ length: 8 }, (_, at) => `call-${at}`));
  expect(call.inputs.filter(({ type }) => type === "tool_result")).toMatchObject([
    { toolCallId: "call-8", ok: false, output: { error: "too many tool calls at once" } },
  ]);
});

test("an LLM that answers each tool result with a tool call gets three rounds and must then answer in words", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  let asked = 0;
  call.script.answers = ({ toolRounds }) =>
    toolRounds === 0 ? [text("I could not find that.")] : [toolCall(`call-${++asked}`)];
  await call.says("When are you open?");
  for (let answered = 1; answered <= 6; answered++) {
    call.session.toolResult(toolResult(`call-${answered}`));
    await call.silence(100);
  }
  await call.silence(2_000);
  const requests = () => call.messages.filter(({ type }) => type === "tool_call_requested");
  expect(requests()).toHaveLength(3);
  expect(call.toolRounds).toEqual([3, 2, 1, 0]);
  expect(call.turns().at(-1)?.text).toContain("I could not find that.");
  const notes = () => call.messages.filter((sent) => sent.type === "note");
  expect(notes()).toMatchObject([{ note: { kind: "tool_limit", toolCalls: 3 } }]);
  await call.says("And tomorrow?");
  expect(requests()).toHaveLength(4);
  expect(notes()).toHaveLength(1);
});

test("two rounds of tools and an answer are not noted as too many", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  let asked = 0;
  call.script.answers = () =>
    asked < 2 ? [toolCall(`call-${++asked}`)] : [text("We open at nine.")];
  await call.says("When are you open?");
  for (const id of ["call-1", "call-2"]) {
    call.session.toolResult(toolResult(id));
    await call.silence(100);
  }
  await call.silence(2_000);
  expect(call.turns().at(-1)?.text).toContain("We open at nine.");
  expect(call.messages.some(({ type }) => type === "note")).toBe(false);
});

test("tool calls in an answer without allowed tools are not executed", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  let asked = 0;
  call.script.answers = () => [text("One more look."), toolCall(`call-${++asked}`)];
  await call.says("When are you open?");
  for (let answered = 1; answered <= 10; answered++) {
    call.session.toolResult(toolResult(`call-${answered}`));
    await call.silence(100);
  }
  await call.silence(3_000);
  expect(call.messages.filter(({ type }) => type === "tool_call_requested")).toHaveLength(3);
  expect(call.inputs).toHaveLength(4);
});

test("calls rejected by the engine itself count as rounds of the utterance", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  const done = { type: "done", usage: NOTHING_USED, rejectedRounds: 2 } as const;
  let asked = 0;
  call.script.answers = ({ toolRounds }) =>
    toolRounds === 3 ? [toolCall(`call-${++asked}`), done] : [text("So it is.")];
  await call.says("When are you open?");
  call.session.toolResult(toolResult("call-1"));
  await call.silence(100);
  expect(call.toolRounds).toEqual([3, 0]);
});

test.each([
  [0, 0],
  [2, 2],
  [3, 3],
  [4, 3],
])(
  "with tool_calls_max %d an LLM that asks three times gets %d tools",
  async (toolCallsMax, called) => {
    const call = await scriptedCall({ settings: { toolCallsMax } });
    await call.answerAndGreet();
    let asked = 0;
    const refused: string[] = [];
    call.script.answers = (input) => {
      if (input.type === "tool_result" && !input.ok) refused.push(JSON.stringify(input.output));
      return refused.length === 0 && asked < 3
        ? [toolCall(`call-${++asked}`)]
        : [text("So it is.")];
    };
    await call.says("When are you open?");
    const requests = () =>
      call.messages.filter(({ type }) => type === "tool_call_requested").length;
    for (let answered = 1; answered <= called; answered++) {
      call.session.toolResult(toolResult(`call-${answered}`));
      await call.silence(100);
    }
    expect(requests()).toBe(called);
    expect(refused).toHaveLength(called < 3 ? 1 : 0);
    await call.silence(2_000);
    expect(call.turns().at(-1)?.text).toContain("So it is.");
  },
);

test("a back-channel word during a tool call is ignored, unless yes or no was asked for", async () => {
  const words: Readonly<Record<string, LlmEvent[]>> = {
    dismissed: [toolCall("t1")],
    heard: [{ type: "expect", answer: "yes_no" }, toolCall("t1")],
  };
  for (const [outcome, answers] of Object.entries(words)) {
    const call = await scriptedCall();
    await call.answerAndGreet();
    call.script.answers = (input) =>
      input.type === "tool_result" ? [text("It is on Monday.")] : answers;
    await call.says("When is my visit?");
    await call.says("Yes.", 500);
    call.session.toolResult(toolResult("t1"));
    await call.silence(6_000);
    const heard = call.inputs.filter((input) => input.type === "utterance");
    expect([outcome, heard.length]).toEqual([outcome, outcome === "heard" ? 2 : 1]);
  }
});

test("keys replace the answer that the agent has just started", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.llmTakesMs = 1_000;
  call.script.answers = (input) =>
    input.type === "digits"
      ? [text("Five it is.")]
      : [text("This is a long answer that goes on and on and on, until somebody stops it.")];
  await call.says("What are the choices?");
  call.audio.press("5");
  await call.silence(1_900);
  expect(call.session.turn.name).toBe("agent_speaking");
  await call.silence(4_000);
  const said = call.turns().filter(({ speaker }) => speaker === "agent");
  expect(said.slice(1)).toMatchObject([{ interrupted: true }, { text: "Five it is." }]);
});

test("no filler is spoken while the caller speaks", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.answers = (input) =>
    input.type === "tool_result" ? [text("It is on Monday.")] : [toolCall("t1")];
  await call.says("When is my visit?");
  await call.silence(2_300);
  await call.speech(160); // too short to cancel the question
  await call.speech(80);
  await call.silence(100);
  expect(call.session.turn.name).toBe("thinking");
  expect(call.audio.queuedMs).toBe(0);
});

test.each([
  ["is being said", 0, "I look at the calendars of all our doctors for these three weeks."],
  ["is being made", 3_000, "I look."],
])("no filler is spoken while the agent's words %s", async (_, ttsTakesMs, words) => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.ttsTakesMs = ttsTakesMs;
  call.script.answers = (input) =>
    input.type === "tool_result" ? [text("It is on Monday.")] : [text(words), toolCall("t1")];
  await call.says("When is my visit?");
  await call.silence(3_500);
  call.script.ttsTakesMs = 0;
  call.session.toolResult(toolResult("t1"));
  await call.silence(6_000);
  expect(call.turns().at(-1)?.text).toBe(`${words} It is on Monday.`);
});
