/** The built-in tools: when they are offered, how arguments are read, and what each does in a call. */
import { describe, expect, test } from "bun:test";
import type { LlmEvent } from "../../../src/conversation/engine-port.ts";
import {
  builtInTools,
  isBuiltIn,
  maySendDigits,
  readBuiltInCall,
} from "../../../src/conversation/tools/built-in-tools.ts";
import { BuiltIns, type BuiltInsOptions } from "../../../src/conversation/tools/built-ins.ts";
import type { ToolAnswer } from "../../../src/conversation/tools/tool-calls.ts";
import { callConfig, scriptedCall } from "../../support/media/scripted-call.ts";

const TARGETS = { Reception: "+37060000000", desk: "sip:desk@example.com" };
const text = (words: string): LlmEvent => ({ type: "text", text: words });
const calls = (tool: string, args: Record<string, string>): LlmEvent => ({
  type: "tool_call",
  toolCallId: `id-${tool}`,
  tool,
  arguments: args,
});

test("transfer is offered only if there are targets, and lists all of them", () => {
  const names = (targets: Record<string, string>) =>
    builtInTools({ transferTargets: targets, sendDigits: true }).map((tool) => tool.name);
  expect(names({})).not.toContain("transfer_call");
  expect(names(TARGETS)).toContain("transfer_call");
  const tool = builtInTools({ transferTargets: TARGETS, sendDigits: true }).find(
    ({ name }) => name === "transfer_call",
  );
  expect(JSON.stringify(tool?.parameters)).toContain('"enum":["Reception","desk"]');
});

test("the key tool works on outbound calls, and on inbound calls if the agent allows it", async () => {
  for (const [direction, sendDigitsInbound, may] of [
    ["outbound", false, true],
    ["outbound", true, true],
    ["inbound", false, false],
    ["inbound", true, true],
  ] as const) {
    const config = { ...callConfig({ sendDigitsInbound }), direction };
    const offered = builtInTools({ transferTargets: {}, sendDigits: maySendDigits(config) });
    expect(offered.some(({ name }) => name === "send_digits")).toBe(may);
    const call = await scriptedCall({ config });
    const sent: string[] = [];
    call.audio.sendDigits = (digits: string) => void sent.push(digits);
    await call.answerAndGreet();
    // An outbound call is greeted after two seconds of silence.
    await call.silence(4_000);
    call.script.answers = ({ type }) =>
      type === "utterance" ? [calls("send_digits", { digits: "##21" })] : [text("Done.")];
    await call.says("Press hash hash twenty-one, please.");
    await call.silence(2_000);
    expect(sent.length > 0).toBe(may);
    const answered = call.inputs.find(({ type }) => type === "tool_result");
    expect(answered).toMatchObject({ ok: may });
  }
});

test("built-in tools reject unknown arguments", () => {
  const offered = builtInTools({ transferTargets: TARGETS, sendDigits: true });
  expect(offered.length).toBeGreaterThan(4);
  for (const { name, parameters } of offered)
    expect([name, parameters]).toEqual([
      name,
      expect.objectContaining({ type: "object", additionalProperties: false }),
    ]);
});

test("a tenant's tool of the same name replaces the built-in tool", () => {
  const own = { name: "end_call", description: "Ours", parameters: {} };
  expect(
    builtInTools({ transferTargets: {}, sendDigits: true }, [own]).map(({ name }) => name),
  ).not.toContain("end_call");
  expect(isBuiltIn("end_call")).toBe(true);
});

/** Longest allowed briefing. */
const LONG = "a".repeat(500);

test.each([
  ["transfer_call", { to: "reception" }, { target: "+37060000000", announcement: null }],
  ["transfer_call", { to: "desk", briefing: "Moves a visit." }, { announcement: "Moves a visit." }],
  ["transfer_call", { to: "desk", briefing: LONG }, { announcement: LONG }],
  ["transfer_call", { to: "desk", briefing: `${LONG}!` }, { announcement: LONG }],
  ["send_digits", { digits: "20 4#" }, { digits: "204#" }],
  ["take_message", { message: "Call me", caller_name: "Jonas" }, { callerName: "Jonas" }],
  // Each value is one line of the mail and cannot begin a section.
  [
    "take_message",
    { message: "Hi", caller_name: "Jonas\n\nSummary\n-------", callback: "5\r\nTo: x\u001b" },
    { callerName: "Jonas Summary -------", callback: "5 To: x" },
  ],
  ["switch_language", { language: "lt" }, { language: "lt" }],
] as const)("%s accepts %j", (tool, args, call) => {
  expect(readBuiltInCall(tool, args, { transferTargets: TARGETS, sendDigits: true })).toMatchObject(
    {
      ok: true,
      call,
    },
  );
});

test.each([
  ["transfer_call", { to: "+37099999999" }],
  ["transfer_call", {}],
  ["send_digits", { digits: "call me" }],
  ["send_digits", { digits: "1".repeat(33) }],
  ["take_message", { message: " " }],
  ["switch_language", { language: "de" }],
] as const)("%s rejects %j with a reason", (tool, args) => {
  const reading = readBuiltInCall(tool, args, { transferTargets: TARGETS, sendDigits: true });
  expect(reading.ok).toBe(false);
});

describe("in a call", () => {
  const withTargets = { settings: { transferTargets: TARGETS } };

  test("a hundred calls of built-in tools are executed, the next is refused", () => {
    const answers: ToolAnswer[] = [];
    const builtIns = new BuiltIns({
      transferTargets: {},
      sendDigits: true,
      tenantToolNames: new Set(),
      audio: { sendDigits: () => undefined },
      answer: (answered: ToolAnswer) => void answers.push(answered),
    } as unknown as BuiltInsOptions);
    const request = { toolCallId: "1", tool: "send_digits", arguments: { digits: "1" } };
    for (let count = 0; count <= 100; count++) builtIns.handle(request);
    expect(answers.map(({ ok }) => ok)).toEqual([...Array(100).fill(true), false]);
  });

  test("end_call finishes the goodbye and ends the call", async () => {
    const call = await scriptedCall();
    await call.answerAndGreet();
    call.script.answers = () => [text("Goodbye then."), calls("end_call", {})];
    await call.says("That is all.");
    await call.silence(2_000);
    expect(call.hangupRequested()).toEqual({ type: "hangup_requested", reason: "agent_hangup" });
    expect(call.turns().at(-1)).toMatchObject({ text: "Goodbye then.", interrupted: false });
  });

  test("transfer_call asks the main process after the announcement, with the briefing", async () => {
    const call = await scriptedCall(withTargets);
    await call.answerAndGreet();
    call.script.answers = () => [
      text("I will connect you."),
      calls("transfer_call", { to: "Reception", briefing: "Jonas, about a bill." }),
    ];
    await call.says("A human please.");
    await call.silence(1_800);
    expect(call.messages).toContainEqual({
      type: "transfer_requested",
      target: "+37060000000",
      announcement: "Jonas, about a bill.",
    });
  });

  test("a failed transfer is announced to the caller at once and is the tool's result for the LLM", async () => {
    const call = await scriptedCall(withTargets);
    await call.answerAndGreet();
    call.script.answers = (input) =>
      input.type === "tool_result"
        ? [text("Shall I take a message?")]
        : [text("I will connect you."), calls("transfer_call", { to: "desk" })];
    await call.says("A human please.");
    await call.silence(1_800);
    call.session.transferBegin();
    expect(call.messages.at(-1)).toEqual({ type: "transfer_ready" });
    expect(call.session.turn.name).toBe("transferring");
    await call.silence(9_000);
    expect(call.inputs.some((input) => input.type === "silence")).toBe(false);
    call.session.transferFailed("busy");
    await call.silence(6_000);
    expect(call.inputs.at(-1)).toMatchObject({ type: "tool_result", ok: false });
    expect(call.turns().at(-1)?.text).toContain("the line is busy");
    expect(call.turns().at(-1)?.text).toContain("Shall I take a message?");
  });

  test("take_message stores the message with the call, and the LLM gets a result", async () => {
    const call = await scriptedCall();
    await call.answerAndGreet();
    call.script.answers = (input) =>
      input.type === "tool_result"
        ? [text("I will pass it on.")]
        : [calls("take_message", { message: "Please call back.", callback: "after five" })];
    await call.says("Tell them to call me back after five.");
    await call.silence(1_000);
    expect(call.messages).toContainEqual(
      expect.objectContaining({
        type: "note",
        note: expect.objectContaining({
          kind: "message",
          text: "Please call back.",
          callback: "after five",
        }),
      }),
    );
    expect(call.inputs.at(-1)).toMatchObject({
      type: "tool_result",
      ok: true,
      output: { kept: true },
    });
    expect(call.messages.some(({ type }) => type === "tool_call_requested")).toBe(false);
  });

  test("an engine that cannot switch the language reports that to its LLM", async () => {
    const call = await scriptedCall();
    await call.answerAndGreet();
    call.script.answers = (input) =>
      input.type === "tool_result" ? [] : [calls("switch_language", { language: "lt" })];
    await call.says("Lietuviškai, prašau.");
    await call.silence(500);
    expect(call.inputs.at(-1)).toMatchObject({ type: "tool_result", ok: false });
  });
});

test("the words of a message, its names and a briefing are cut to their maximum lengths", () => {
  const setting = { transferTargets: { desk: "+37060000001" }, sendDigits: true };
  const long = (letters: number) => "x".repeat(letters);
  const message = { message: long(2_001), caller_name: long(121), callback: long(121) };
  expect(readBuiltInCall("take_message", message, setting)).toEqual({
    ok: true,
    call: {
      name: "take_message",
      message: long(2_000),
      callerName: long(120),
      callback: long(120),
    },
  });
  const transfer = { to: "desk", briefing: long(501) };
  expect(readBuiltInCall("transfer_call", transfer, setting)).toMatchObject({
    call: { target: "+37060000001", announcement: long(500) },
  });
  const keys = (count: number) =>
    readBuiltInCall("send_digits", { digits: "1".repeat(count) }, setting).ok;
  expect([keys(0), keys(1), keys(32), keys(33)]).toEqual([false, true, true, false]);
});

test("a message, its sender and a briefing have the limits that the tool definitions state", () => {
  const offered = builtInTools({ transferTargets: TARGETS, sendDigits: true });
  const limit = (tool: string, argument: string) => {
    const parameters = offered.find(({ name }) => name === tool)?.parameters;
    const { properties } = parameters as { properties: Record<string, { maxLength?: number }> };
    return properties[argument]?.maxLength;
  };
  expect(limit("take_message", "message")).toBe(2_000);
  expect(limit("take_message", "caller_name")).toBe(120);
  expect(limit("take_message", "callback")).toBe(120);
  expect(limit("transfer_call", "briefing")).toBe(500);
  const long = "a".repeat(3_000);
  const read = (tool: string, args: Record<string, string>) =>
    readBuiltInCall(tool, args, { transferTargets: TARGETS, sendDigits: true });
  expect(read("take_message", { message: long, caller_name: long, callback: long })).toMatchObject({
    ok: true,
    call: { message: "a".repeat(2_000), callerName: "a".repeat(120), callback: "a".repeat(120) },
  });
  expect(read("transfer_call", { to: "desk", briefing: long })).toMatchObject({
    call: { announcement: "a".repeat(500) },
  });
});
