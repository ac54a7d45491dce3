/** "Don't call me again" in words: confirmed by a question, and stored only after that. */
import { expect, test } from "bun:test";
import {
  callConfig,
  type ScriptedCallOptions,
  scriptedCall,
} from "../../support/media/scripted-call.ts";

const REFUSABLE: ScriptedCallOptions = { config: { ...callConfig(), canOptOut: true } };
const QUESTION = "I will not call you again. Is that right?";

async function refused(options: ScriptedCallOptions = REFUSABLE, words = "Don't call me again.") {
  const call = await scriptedCall(options);
  await call.answerAndGreet();
  await call.says(words);
  await call.silence(4_000);
  const optedOut = () => call.messages.filter(({ type }) => type === "opted_out").length;
  return { ...call, optedOut };
}

test("an opt-out is confirmed by a question, stored after a yes, and followed by a goodbye", async () => {
  const call = await refused();
  expect(call.spoken).toContain(QUESTION);
  expect(call.inputs).toEqual([]);
  expect(call.optedOut()).toBe(0);
  await call.says("Yes, please.");
  expect(call.optedOut()).toBe(1);
  await call.silence(6_000);
  expect(call.spoken.at(-1)).toBe("All right, we will not call you again. Goodbye.");
  expect(call.hangupRequested()).toMatchObject({ reason: "agent_hangup" });
  await call.session.close("agent_hangup");
  expect(call.optedOut()).toBe(1);
  expect(call.illegalEvents).toEqual([]);
});

test("repeating the request confirms it", async () => {
  const call = await refused();
  await call.says("No, I said do not call me again!");
  expect(call.optedOut()).toBe(1);
});

test("after a no the person stays callable, and the conversation continues", async () => {
  const call = await refused();
  await call.says("No, no.");
  await call.silence(4_000);
  await call.says("What do you offer?");
  await call.silence(3_000);
  expect(call.inputs).toMatchObject([{ type: "utterance", text: "What do you offer?" }]);
  await call.session.close("caller_hangup");
  expect(call.optedOut()).toBe(0);
});

test("another question is answered instead; a later yes confirms nothing", async () => {
  const call = await refused();
  await call.says("Which company is this?");
  await call.silence(4_000);
  await call.says("Yes.");
  await call.silence(3_000);
  expect(call.inputs.length).toBe(2);
  await call.session.close("caller_hangup");
  expect(call.optedOut()).toBe(0);
});

test("a person who hangs up on the question, or right after the request, is not called again", async () => {
  const onQuestion = await refused();
  await onQuestion.session.close("caller_hangup");
  expect(onQuestion.optedOut()).toBe(1);

  const atOnce = await scriptedCall(REFUSABLE);
  await atOnce.answerAndGreet();
  atOnce.script.recognises.push("Never call me again!");
  await atOnce.speech(1_000);
  await atOnce.session.close("caller_hangup");
  expect(atOnce.messages.filter(({ type }) => type === "opted_out").length).toBe(1);
});

test("in any other call such words go to the language model", async () => {
  const call = await refused({});
  expect(call.inputs).toMatchObject([{ type: "utterance", text: "Don't call me again." }]);
  expect(call.spoken).not.toContain(QUESTION);
  await call.session.close("caller_hangup");
  expect(call.optedOut()).toBe(0);
});
