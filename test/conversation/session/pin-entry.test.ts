/** When a PIN may be asked for: only in a conversation with the agent, and not during a transfer. */
import { expect, test } from "bun:test";
import type { LlmEvent } from "../../../src/conversation/engine-port.ts";
import { callConfig, scriptedCall } from "../../support/media/scripted-call.ts";

type Call = Awaited<ReturnType<typeof scriptedCall>>;

/** Checks that `pin_entered` comes at once without digits, and nothing is spoken. */
async function expectRefused(call: Call): Promise<void> {
  const before = call.spoken.length;
  call.session.askPin(false);
  expect(call.messages.at(-1)).toEqual({ type: "pin_entered", digits: null });
  expect(call.spoken.slice(before)).toEqual([]);
}

test("a caller talking with the agent is asked, and the keys before # are reported", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.session.askPin(false);
  for (const key of "1234#") call.audio.press(key);
  expect(call.messages.at(-1)).toEqual({ type: "pin_entered", digits: "1234" });
});

test("nobody is asked before the answering detection has a result", async () => {
  const call = await scriptedCall({ config: { ...callConfig(), direction: "outbound" } });
  await call.session.prepare();
  call.session.answered();
  await call.silence(200);
  expect(call.session.turn.name).toBe("screening");
  await expectRefused(call);
});

test("nobody is asked during the last sentence before a transfer", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  const words: LlmEvent = { type: "text", text: "I will put you through to a colleague now." };
  call.script.answers = () => [words];
  await call.says("A person, please.");
  await call.silence(400);
  expect(call.session.turn.name).toBe("agent_speaking");
  call.session.transferBegin();
  await expectRefused(call);
});

test("a caller waiting for a transfer is not asked", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.session.transferBegin();
  expect(call.session.turn.name).toBe("transferring");
  await expectRefused(call);
});

test("the first key cuts off the question, and has no other effect on the audio", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.session.askPin(false);
  await call.silence(200);
  expect(call.audio.queuedMs).toBeGreaterThan(500);
  call.audio.press("1");
  expect(call.audio.queuedMs).toBe(0);
  call.audio.press("2");
  call.audio.press("#");
  expect(call.messages.at(-1)).toEqual({ type: "pin_entered", digits: "12" });
  expect(call.illegalEvents).toEqual([]);
});

test("a call in progress gives a heartbeat every second from its answer on", async () => {
  const call = await scriptedCall();
  await call.session.prepare();
  await call.silence(2_000);
  const beats = () => call.messages.filter(({ type }) => type === "heartbeat").length;
  expect(beats()).toBe(0);
  call.session.answered();
  await call.silence(980);
  expect(beats()).toBe(0);
  await call.silence(20);
  expect(beats()).toBe(1);
  await call.silence(3_000);
  expect(beats()).toBe(4);
});

test("a repeated answer, or one after the end, starts nothing", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  const beats = () => call.messages.filter(({ type }) => type === "heartbeat").length;
  const before = beats();
  call.session.answered();
  await call.silence(3_000);
  expect(beats() - before).toBe(3);
  const late = await scriptedCall();
  await late.session.prepare();
  await late.session.close("cancelled");
  late.session.answered();
  await late.clock.advance(3_000);
  expect(late.messages.filter(({ type }) => type === "heartbeat")).toEqual([]);
});
