/** A transfer as the caller hears it: the complete sentence, then the ringing tone, then a person. */
import { expect, test } from "bun:test";
import type { LlmEvent } from "../../../src/conversation/engine-port.ts";
import { MS_PER_CHARACTER, scriptedCall } from "../../support/media/scripted-call.ts";

const text = (words: string): LlmEvent => ({ type: "text", text: words });

test("the agent finishes its current sentence and drops the next ones", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.answers = () => [text("This is the first sentence."), text("And a second one.")];
  await call.says("Tell me about your hours.");
  await call.silence(400);
  expect(call.session.turn.name).toBe("agent_speaking");
  call.session.transferBegin();
  expect(call.messages.some(({ type }) => type === "transfer_ready")).toBe(false);
  await call.silence(1_400);
  expect(call.messages.some(({ type }) => type === "transfer_ready")).toBe(true);
  expect(call.turns().at(-1)?.text).toBe("This is the first sentence.");
  expect(call.truncated).toEqual(["This is the first sentence."]);
});

test("in its second sentence the agent finishes that one", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  const sentences = ["This is the first sentence.", "And a second, longer one.", "A third."];
  call.script.answers = () => sentences.map(text);
  await call.says("Tell me about your hours.");
  await call.silence(27 * MS_PER_CHARACTER + 300);
  call.session.transferBegin();
  expect(call.messages.some(({ type }) => type === "transfer_ready")).toBe(false);
  await call.silence(1_400);
  expect(call.messages.some(({ type }) => type === "transfer_ready")).toBe(true);
  expect(call.turns().at(-1)?.text).toBe("This is the first sentence. And a second, longer one.");
});

test("an endless sentence is cut off after ten seconds", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.answers = () => [text("word ".repeat(80))];
  await call.says("Tell me everything.");
  await call.silence(400);
  call.session.transferBegin();
  await call.silence(9_000);
  expect(call.messages.some(({ type }) => type === "transfer_ready")).toBe(false);
  await call.silence(1_500);
  expect(call.messages.some(({ type }) => type === "transfer_ready")).toBe(true);
});

test("a waiting caller hears a tone, is never prompted, and interrupts nobody", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.session.transferBegin();
  expect(call.messages.at(-1)).toEqual({ type: "transfer_ready" });
  const played = call.audio.playedMs;
  await call.silence(6_000);
  const tonesMs = call.audio.playedMs - played;
  expect(tonesMs).toBeGreaterThan(1_900);
  expect(tonesMs).toBeLessThanOrEqual(2_000);
  await call.speech(2_000);
  await call.silence(20_000);
  expect(call.inputs).toEqual([]);
  expect(call.hangupRequested()).toBeNull();
  expect(call.illegalEvents).toEqual([]);
});

test("time during the transfer does not count as the caller's silence", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  await call.silence(5_000);
  call.session.transferBegin();
  await call.silence(35_000);
  call.session.transferFailed("no_answer");
  await call.silence(25_000);
  expect(call.hangupRequested()).toBeNull();
  await call.silence(25_000);
  expect(call.hangupRequested()).toEqual({ type: "hangup_requested", reason: "silence_timeout" });
});

test("the waiting caller's tone is the European ringing tone: 425 Hz", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  const played: Int16Array[] = [];
  call.audio.play = (pcm) => played.push(pcm) > 0;
  call.session.transferBegin();
  await call.silence(100);
  const [tone = new Int16Array()] = played;
  const rises = tone.filter((sample, at) => sample > 0 && (tone[at - 1] ?? 0) <= 0).length;
  expect([tone.length, rises]).toEqual([call.audio.sampleRateHz, 425]);
});

test.each(["busy", "no_answer", "declined", "failed"] as const)(
  "after %s the agent announces it and listens again",
  async (cause) => {
    const call = await scriptedCall();
    await call.answerAndGreet();
    call.session.transferBegin();
    await call.silence(1_000);
    call.session.transferFailed(cause);
    await call.silence(6_000);
    expect(call.turns().at(-1)?.text).toContain("How else can I help you?");
    expect(call.session.turn.name).toBe("listening");
    await call.says("When are you open?");
    await call.silence(1_000);
    expect(call.inputs.at(-1)).toMatchObject({ type: "utterance", text: "When are you open?" });
  },
);

test("the caller's words at the start of the transfer are stored, not answered", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.partial = "I also wanted";
  call.script.recognises.push("I also wanted to say");
  await call.speech(600);
  call.session.transferBegin();
  await call.silence(200);
  expect(call.turns().at(-1)).toMatchObject({ speaker: "customer", text: "I also wanted to say" });
  expect(call.inputs).toEqual([]);
  expect(call.session.turn.name).toBe("transferring");
});

test("if the money ends while two people talk, the caller hears it, and the call ends", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.session.transferBegin();
  await call.silence(500);
  call.session.sayAndEnd("I am sorry, this call has to end.", "balance_exhausted");
  await call.silence(4_000);
  expect(call.hangupRequested()).toEqual({ type: "hangup_requested", reason: "balance_exhausted" });
});

test("without a free port the second leg is refused, and the transfer may still return to the agent", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.session.transferBegin();
  call.session.bridgeOpen();
  await call.silence(40);
  expect(call.messages.some(({ type }) => type === "bridge_failed")).toBe(true);
  call.session.transferFailed("failed");
  await call.silence(5_000);
  expect(call.session.turn.name).toBe("listening");
});

test("if a person hangs up as the bridge closes, the caller stays with the agent", async () => {
  const call = await scriptedCall({ secondAudio: true });
  await call.answerAndGreet();
  call.session.transferBegin();
  call.session.bridgeOpen();
  await call.silence(40);
  call.session.bridgeJoin(null);
  await call.silence(40);
  expect(call.messages.some(({ type }) => type === "bridged")).toBe(true);
  expect(call.session.turn.name).toBe("bridged");
  call.session.transferFailed("failed");
  await call.silence(6_000);
  expect(call.turns().at(-1)?.text).toContain("How else can I help you?");
  expect(call.session.turn.name).toBe("listening");
  await call.says("When are you open?");
  await call.silence(1_000);
  expect(call.inputs.at(-1)).toMatchObject({ type: "utterance", text: "When are you open?" });
  expect(call.secondAudio.closed).toBe(true);
  expect(call.illegalEvents).toEqual([]);
});

test("after a failed bridge the caller can be transferred again", async () => {
  const call = await scriptedCall({ secondAudio: true });
  await call.answerAndGreet();
  call.session.transferBegin();
  call.session.bridgeOpen();
  await call.silence(40);
  call.session.bridgeJoin(null);
  await call.silence(40);
  call.session.transferFailed("failed");
  await call.silence(6_000);
  call.session.transferBegin();
  await call.silence(1_000);
  expect(call.messages.filter(({ type }) => type === "transfer_ready")).toHaveLength(2);
  expect(call.session.turn.name).toBe("transferring");
});

const INTRO = "Hello, this is the assistant of Bright Smile. I have a caller for you.";

test.each([
  ["nothing", null, []],
  ["the agent's own words", "Moves a visit.", [`${INTRO} Moves a visit.`]],
  ["the call so far", true, [`${INTRO} Ended by transferred after 7 s.`]],
] as const)("before both are joined the person hears %s", async (_, announcement, told) => {
  const call = await scriptedCall({ secondAudio: true });
  await call.answerAndGreet();
  await call.silence(6_500 - call.audio.playedMs);
  call.session.transferBegin();
  call.session.bridgeOpen();
  await call.silence(100);
  const before = call.spoken.length;
  call.session.bridgeJoin(announcement);
  await call.silence(100);
  expect(call.spoken.slice(before)).toEqual([...told]);
});

test("the end of a call is requested once, and not after its end", async () => {
  const asked = (call: Awaited<ReturnType<typeof scriptedCall>>) =>
    call.messages.filter(({ type }) => type === "hangup_requested");
  const twice = await scriptedCall();
  await twice.session.prepare();
  twice.session.sayAndEnd("Goodbye.", "max_duration");
  twice.session.sayAndEnd("Goodbye.", "balance_exhausted");
  expect(asked(twice)).toEqual([{ type: "hangup_requested", reason: "max_duration" }]);
  const ended = await scriptedCall();
  await ended.answerAndGreet();
  await ended.session.close("caller_hangup");
  ended.audio.loseMedia();
  expect(asked(ended)).toEqual([]);
});
