/** Ends of conversations and their transcripts, with scripted audio and engine. */
import { expect, test } from "bun:test";
import { EngineFailure, type LlmEvent } from "../../../src/conversation/engine-port.ts";
import { END_BEFORE_LIMIT_MS } from "../../../src/conversation/session/call-length.ts";
import { phrasesFor } from "../../../src/conversation/speech/phrases.ts";
import type { MediaDirection, MediaPlan } from "../../../src/core/media-plan.ts";
import { callConfig, scriptedCall } from "../../support/media/scripted-call.ts";

const PHRASES = phrasesFor("en");
/** A call on hold: the caller's silence does not end it. */
const HELD = {
  remote: { host: "127.0.0.1", port: 4000 },
  codec: { name: "PCMA", sendPayloadType: 8, receivePayloadType: 8 },
  telephoneEvent: null,
  ptimeMs: 20,
} as const;
const text = (value: string): LlmEvent => ({ type: "text", text: value });
const planOf = (direction: MediaDirection): MediaPlan => ({
  remote: { host: "192.0.2.1", port: 4000 },
  codec: { name: "PCMA", sendPayloadType: 8, receivePayloadType: 8 },
  telephoneEvent: null,
  direction,
  ptimeMs: 20,
});

/** When the end was requested, in milliseconds since the answer; null: not within `untilMs`. */
async function endOf(call: Awaited<ReturnType<typeof scriptedCall>>, untilMs: number) {
  const answeredAt = call.clock.monotonic();
  while (call.clock.monotonic() - answeredAt < untilMs) {
    await call.silence(20);
    if (call.hangupRequested()) return call.clock.monotonic() - answeredAt;
  }
  return null;
}

for (const maxDurationSeconds of [30, 60, 3600])
  test(`${maxDurationSeconds} s at most: the closing phrase is spoken completely and the end requested within them`, async () => {
    const call = await scriptedCall({ config: callConfig({ maxDurationSeconds }) });
    await call.session.prepare();
    call.session.answered();
    call.session.connect({ ...HELD, direction: "sendonly" });
    const endedAt = (await endOf(call, maxDurationSeconds * 1_000)) ?? Number.NaN;
    expect(call.hangupRequested()).toEqual({ type: "hangup_requested", reason: "max_duration" });
    expect(call.turns().at(-1)).toMatchObject({ text: PHRASES.maxDuration, interrupted: false });
    // Not a second earlier than the phrase needs.
    expect(endedAt).toBeGreaterThan(maxDurationSeconds * 1_000 - 1_100);
    expect(endedAt).toBeLessThanOrEqual(maxDurationSeconds * 1_000 - END_BEFORE_LIMIT_MS);
  });

test("an agent that is still talking is interrupted for the closing phrase", async () => {
  const call = await scriptedCall({ config: callConfig({ maxDurationSeconds: 30 }) });
  await call.answerAndGreet();
  call.script.answers = () => [text("I talk and talk. ".repeat(40))];
  await call.says("Tell me all.");
  expect(await endOf(call, 30_000)).not.toBeNull();
  expect(call.turns().slice(-2)).toMatchObject([
    { interrupted: true },
    { text: PHRASES.maxDuration, interrupted: false },
  ]);
});

test("a closing message keeps its reason when the time limit cuts it off", async () => {
  const call = await scriptedCall({ config: callConfig({ maxDurationSeconds: 30 }) });
  await call.answerAndGreet();
  await call.silence(24_000);
  call.session.sayAndEnd("Goodbye and thank you. ".repeat(20), "balance_exhausted");
  await call.silence(6_000);
  expect(call.hangupRequested()).toEqual({ type: "hangup_requested", reason: "balance_exhausted" });
});

test("the agent finishes its goodbye before it requests the end, and cannot be interrupted", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  const goodbye = "Thank you for calling and goodbye.";
  call.script.answers = () => [text(goodbye), { type: "end_call" }];
  await call.says("That was all, thanks.");
  await call.speech(1_000);
  expect(call.hangupRequested()).toBeNull();
  await call.silence(2_000);
  expect(call.hangupRequested()).toEqual({ type: "hangup_requested", reason: "agent_hangup" });
  expect(call.turns().at(-1)).toMatchObject({ text: goodbye, interrupted: false });
});

test("a transfer is requested after its announcement", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.answers = () => [
    text("I will put you through."),
    { type: "transfer", target: "desk" },
  ];
  await call.says("A human please.");
  expect(call.messages.some((message) => message.type === "transfer_requested")).toBe(false);
  await call.silence(2_000);
  expect(call.messages.at(-1)).toEqual({
    type: "transfer_requested",
    target: "desk",
    announcement: null,
  });
});

test("a failing voice ends the call with the prepared apology", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.ttsFails = true;
  await call.says("When are you open?");
  await call.silence(8_000);
  expect(call.hangupRequested()).toEqual({ type: "hangup_requested", reason: "engine_failure" });
  expect(call.turns().at(-1)?.text).toBe(PHRASES.apology);
});

test("one lost sentence is repeated, two in a row are a failed engine", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  for (let question = 1; question <= 2; question++) {
    call.script.voiceLosses = 1;
    await call.says("When are you open?");
    await call.silence(3_000);
    expect(call.turns().at(-1)).toMatchObject({ text: "All right.", interrupted: false });
  }
  call.script.voiceLosses = 2;
  await call.says("When are you open?");
  await call.silence(8_000);
  expect(call.hangupRequested()).toEqual({ type: "hangup_requested", reason: "engine_failure" });
});

test("a TTS that uses its full time limit still speaks the answer", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.ttsTakesMs = 16_000;
  await call.says("When are you open?");
  await call.silence(20_000);
  expect(call.hangupRequested()).toBeNull();
  expect(call.turns().at(-1)?.text).toEndWith("All right.");
});

test.each([
  ["a tts that fails", { ttsFails: true }],
  ["a tts that hangs", { ttsTakesMs: 600_000 }],
  ["an llm that fails", { llmFails: new EngineFailure("llm", "gone") }],
  ["an llm that hangs", { llmTakesMs: 600_000 }],
] as const)("a silent caller is disconnected for silence, also with %s", async (_, fault) => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  Object.assign(call.script, fault);
  await call.silence(120_000);
  expect(call.hangupRequested()).toEqual({ type: "hangup_requested", reason: "silence_timeout" });
  const said = call.turns().map((turn) => turn.text);
  expect(said.join(" ")).toContain(PHRASES.idlePrompts[0]);
  expect(said.at(-1)).toBe(PHRASES.silenceGoodbye);
  expect(call.illegalEvents).toEqual([]);
});

test("a failing LLM ends the call with an apology", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.llmFails = new EngineFailure("llm", "gone");
  await call.says("When are you open?");
  await call.silence(8_000);
  expect(call.hangupRequested()).toEqual({ type: "hangup_requested", reason: "engine_failure" });
});

test.each([
  ["14.9", 14_900, false],
  ["15.1", 15_100, true],
])("an LLM without output for %s s has failed: %p", async (_, llmTakesMs, hasFailed) => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.llmTakesMs = llmTakesMs;
  await call.says("When are you open?");
  await call.silence(20_000);
  expect(call.hangupRequested()?.type === "hangup_requested").toBe(hasFailed);
});

test("one lost recognition is tolerated, two in a row are a failed engine", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.recognises.push(new EngineFailure("stt", "late"));
  await call.speech(600);
  await call.silence(3_000);
  expect(call.hangupRequested()).toBeNull();
  call.script.recognises.push(new EngineFailure("stt", "late"));
  await call.speech(600);
  await call.silence(8_000);
  expect(call.hangupRequested()).toEqual({ type: "hangup_requested", reason: "engine_failure" });
});

test("two utterances lost during one outage of the recogniser count as one failure", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.sttTakesMs = 4_000;
  call.script.recognises.push(new EngineFailure("stt", "late"), new EngineFailure("stt", "late"));
  await call.speech(600);
  await call.silence(2_000);
  await call.speech(600);
  await call.silence(11_000);
  expect(call.script.recognises).toEqual([]);
  expect(call.hangupRequested()).toBeNull();
  call.script.recognises.push(new EngineFailure("stt", "late"));
  await call.speech(600);
  await call.silence(12_000);
  expect(call.hangupRequested()).toEqual({ type: "hangup_requested", reason: "engine_failure" });
});

test("lost media ends the call at once", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.audio.loseMedia();
  expect(call.hangupRequested()).toEqual({ type: "hangup_requested", reason: "media_lost" });
});

test("a hold that takes too long ends the call with the reason hold_timeout", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.audio.loseMedia("held");
  expect(call.hangupRequested()).toEqual({ type: "hangup_requested", reason: "hold_timeout" });
});

test.each(["recvonly", "inactive"] as const)(
  "a far end on hold (%s) that receives no audio gets no closing message",
  async (direction) => {
    const call = await scriptedCall();
    await call.answerAndGreet();
    call.session.connect(planOf(direction));
    call.session.sayAndEnd("I am sorry, this call has to end.", "balance_exhausted");
    await call.silence(40);
    expect(call.hangupRequested()).toEqual({
      type: "hangup_requested",
      reason: "balance_exhausted",
    });
    expect(call.illegalEvents).toEqual([]);
  },
);

test("if the far end goes on hold during the closing message, the call does not wait for its end", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.session.sayAndEnd("I am sorry, this call has to end now.", "balance_exhausted");
  await call.silence(200);
  expect(call.hangupRequested()).toBeNull();
  call.session.connect(planOf("recvonly"));
  expect(call.hangupRequested()).toEqual({ type: "hangup_requested", reason: "balance_exhausted" });
});

test("a caller back from hold hears the complete closing message", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.session.connect(planOf("recvonly"));
  call.session.connect(planOf("sendrecv"));
  call.session.sayAndEnd("Goodbye for now.", "balance_exhausted");
  await call.silence(400);
  expect(call.hangupRequested()).toBeNull();
  await call.silence(1_500);
  expect(call.hangupRequested()).toEqual({ type: "hangup_requested", reason: "balance_exhausted" });
  expect(call.turns().at(-1)?.text).toBe("Goodbye for now.");
});

test("missing media while the phone rings does not count as lost media", async () => {
  const call = await scriptedCall();
  await call.session.prepare();
  call.audio.loseMedia();
  expect(call.hangupRequested()).toBeNull();
});

test("a hang-up stops everything at once; the words heard so far are stored", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.answers = () => [text("This is a rather long answer that nobody will hear out.")];
  await call.says("When are you open?");
  await call.silence(500);
  const report = await call.session.close("caller_hangup");
  expect(call.audio.closed).toBe(true);
  expect(call.audio.queuedMs).toBe(0);
  expect(report.summary).toBe("Ended by caller_hangup after 4 s.");
  expect(report.turns.at(-1)).toMatchObject({ speaker: "agent", interrupted: true });
  const before = call.messages.length;
  await call.silence(5_000);
  expect(call.messages.length).toBe(before);
  expect(call.clock.pendingTimers).toBe(0);
  expect(await call.session.close("agent_hangup")).toBe(report);
});

test("words spoken at the hang-up reach the transcript", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.recognises.push("thanks bye");
  await call.speech(600);
  const report = await call.session.close("caller_hangup");
  expect(report.turns.at(-1)).toMatchObject({ speaker: "customer", text: "thanks bye" });
});

test("keys pressed just before the hang-up reach the transcript", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  for (const key of "417") call.session.digit(key);
  await call.session.close("caller_hangup");
  expect(call.turns().at(-1)).toMatchObject({ speaker: "customer", text: "[keys 417]" });
  await call.silence(3_000);
  expect(call.turns().filter((turn) => turn.text.startsWith("[keys"))).toHaveLength(1);
});

test("sayAndEnd speaks its text in every state, then requests the end", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.session.sayAndEnd("Your credit is used up.", "balance_exhausted");
  await call.silence(3_000);
  expect(call.hangupRequested()).toEqual({ type: "hangup_requested", reason: "balance_exhausted" });
  expect(call.turns().at(-1)?.text).toBe("Your credit is used up.");
});

/** Milliseconds until `close` of an ended call resolves. */
async function closedAfter(call: Awaited<ReturnType<typeof scriptedCall>>, untilMs: number) {
  const from = call.clock.monotonic();
  let closedAt = null as number | null;
  void call.session.close("caller_hangup").then(() => {
    closedAt = call.clock.monotonic() - from;
  });
  for (let turn = 0; turn < 5; turn++) await call.clock.advance(0);
  for (let ms = 0; ms < untilMs && closedAt === null; ms += 10) await call.clock.advance(10);
  return closedAt;
}

test.each([
  [990, 990],
  [5_000, 1_000],
])(
  "at a hang-up, words that take %d ms to recognise delay the end by %d ms",
  async (takesMs, waitedMs) => {
    const call = await scriptedCall();
    await call.answerAndGreet();
    Object.assign(call.script, { sttTakesMs: takesMs, recognises: ["thanks bye"] });
    await call.speech(600);
    expect(await closedAfter(call, 10_000)).toBe(waitedMs);
  },
);

test.each([
  [3_990, 3_990],
  [9_000, 4_000],
])("a summary that takes %d ms delays the end by %d ms", async (takesMs, waitedMs) => {
  const call = await scriptedCall();
  call.script.summaryTakesMs = takesMs;
  await call.answerAndGreet();
  expect(await closedAfter(call, 20_000)).toBe(waitedMs);
});

test("the end is requested 0.3 s after the last word", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.session.sayAndEnd("Goodbye.", "balance_exhausted");
  while (call.audio.queuedMs === 0) await call.silence(20);
  while (call.audio.queuedMs > 0) await call.silence(20);
  await call.silence(280);
  expect(call.hangupRequested()).toBeNull();
  await call.silence(20);
  expect(call.hangupRequested()).not.toBeNull();
});
