/** Conversations with scripted audio and engine on a fake clock. */
import { expect, test } from "bun:test";
import type { LlmEvent } from "../../../src/conversation/engine-port.ts";
import { phrasesFor } from "../../../src/conversation/speech/phrases.ts";
import { AGENT, callConfig, scriptedCall } from "../../support/media/scripted-call.ts";

const PHRASES = phrasesFor("en");
const text = (value: string): LlmEvent => ({ type: "text", text: value });

test("the greeting is ready before the answer and spoken with the first frame", async () => {
  const call = await scriptedCall();
  await call.session.prepare();
  expect(call.spoken[0]).toBe(AGENT.firstMessage);
  call.session.answered();
  await call.silence(40);
  expect(call.session.turn.name).toBe("agent_speaking");
  await call.silence(2_000);
  expect(call.turns()).toMatchObject([
    { index: 0, speaker: "agent", text: AGENT.firstMessage, interrupted: false, latencyMs: null },
  ]);
});

test("a known caller is greeted by name", async () => {
  const call = await scriptedCall({
    config: { ...callConfig(), namedGreeting: "Hello Jonas, how can I help you?" },
  });
  await call.answerAndGreet();
  await call.silence(1_000);
  expect(call.turns().map(({ text: said }) => said)).toEqual(["Hello Jonas, how can I help you?"]);
});

test("an agent configured to wait says nothing until the caller has spoken", async () => {
  const call = await scriptedCall({ config: callConfig({ firstSpeaker: "customer" }) });
  await call.answerAndGreet();
  expect(call.turns()).toEqual([]);
  await call.says("Good morning.");
  await call.silence(1_000);
  expect(call.turns().map((turn) => turn.speaker)).toEqual(["customer", "agent"]);
});

test.each([
  ["is nearly done", "We are open from nine to five, from Monday to Friday.", false],
  ["has much more to say", "We are open from nine to five. ".repeat(4).trim(), true],
] as const)(
  "if the caller continues while the agent %s, the LLM learns which words were heard",
  async (_, words, isTruncated) => {
    const call = await scriptedCall();
    await call.answerAndGreet();
    call.script.answers = () => [{ type: "text", text: words }];
    await call.says("When are you open?");
    await call.silence(500);
    call.script.recognises.push("On Saturday too?");
    await call.speech(300);
    await call.silence(1_000);
    expect(call.inputs.at(-1)).toMatchObject({ type: "utterance", text: "On Saturday too?" });
    expect(call.truncated).toHaveLength(isTruncated ? 1 : 0);
    await call.silence(8_000);
    const said = call.turns().filter(({ speaker }) => speaker === "agent");
    expect(said.slice(1)).toMatchObject([
      { interrupted: true },
      { text: words, interrupted: false },
    ]);
  },
);

test("a question is heard, answered and timed from the caller's last speech frame", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  await call.says("When are you open?");
  await call.silence(1_000);
  expect(call.inputs).toEqual([{ type: "utterance", text: "When are you open?", confidence: 0.9 }]);
  const [, question, answer] = call.turns();
  expect(question).toMatchObject({ speaker: "customer", text: "When are you open?" });
  expect(answer).toMatchObject({ speaker: "agent", text: "All right." });
  expect(answer?.latencyMs).toBeGreaterThanOrEqual(350);
  expect(answer?.latencyMs).toBeLessThan(450);
});

test("the silence after an unfinished sentence is longer than after a finished one", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  await call.says("I would like to");
  await call.silence(300);
  expect(call.inputs).toEqual([]);
  await call.silence(500);
  expect(call.inputs).toHaveLength(1);
});

test("a caller who goes on before the answer is heard gets one answer to all of it", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.llmTakesMs = 600;
  await call.says("I need an appointment.");
  expect(call.session.turn.name).toBe("thinking");
  await call.says("On Monday.");
  await call.silence(1_500);
  expect(call.inputs.map((input) => input.type === "utterance" && input.text)).toEqual([
    "I need an appointment.",
    "I need an appointment. On Monday.",
  ]);
  expect(call.turns().map((turn) => turn.speaker)).toEqual([
    "agent",
    "customer",
    "customer",
    "agent",
  ]);
});

test("an answer that nobody heard yet is removed from the LLM's history", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.ttsTakesMs = 600;
  await call.says("I need an appointment.");
  expect(call.session.turn.name).toBe("thinking");
  expect(call.inputs).toHaveLength(1);
  await call.says("On Monday.");
  expect(call.truncated).toEqual([""]);
  await call.silence(1_500);
  expect(call.inputs.at(-1)).toMatchObject({ text: "I need an appointment. On Monday." });
});

test.each([
  [220, false],
  [240, true],
])(
  "a caller speaks for %d ms while the agent thinks: the question is extended: %p",
  async (ms, waits) => {
    const call = await scriptedCall();
    await call.answerAndGreet();
    call.script.llmTakesMs = 1_000;
    await call.says("I would like to book a table.");
    expect(call.session.turn.name).toBe("thinking");
    await call.speech(ms);
    expect(call.session.turn.name).toBe(waits ? "caller_speaking" : "thinking");
  },
);

test("an agent that thinks too long says one filler phrase", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.llmTakesMs = 4_000;
  await call.says("When are you open?");
  await call.silence(6_000);
  expect(call.turns().at(-1)?.text).toBe(`${PHRASES.pleaseWait} All right.`);
});

test("speech longer than a back-channel word interrupts the agent; the transcript keeps the heard words", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  const long = "We are open from Monday to Friday, from nine in the morning until five o'clock.";
  call.script.answers = () => [text(long)];
  await call.says("When are you open?");
  await call.silence(1_200);
  await call.speech(700);
  expect(call.session.turn.name).toBe("caller_speaking");
  expect(call.audio.queuedMs).toBe(0);
  const cut = call.turns().at(-1);
  expect(cut?.interrupted).toBe(true);
  expect(long.startsWith(cut?.text ?? "?")).toBe(true);
  expect(cut?.text.length).toBeGreaterThan(10);
  expect(cut?.text.length).toBeLessThan(40);
  call.script.answers = () => [text("On Saturday too.")];
  call.script.recognises.push("And on Saturday?");
  await call.silence(2_000);
  expect(call.truncated).toEqual([cut?.text ?? ""]);
  expect(call.turns().at(-1)?.text).toBe("On Saturday too.");
});

test("a short noise does not interrupt the agent", async () => {
  const call = await scriptedCall();
  await call.session.prepare();
  call.session.answered();
  await call.silence(200);
  await call.speech(200);
  await call.silence(3_000);
  expect(call.turns()).toMatchObject([{ text: AGENT.firstMessage, interrupted: false }]);
});

test.each([
  ["has nothing more to say: an answer", { thinksOnForMs: 0, ttsTakesMs: 0 }, 2],
  ["thinks on: not meant to interrupt", { thinksOnForMs: 5_000, ttsTakesMs: 0 }, 1],
  ["will say another: not meant to interrupt", { thinksOnForMs: 0, ttsTakesMs: 1_000 }, 1],
])(
  "one word of the caller near the end of a sentence while the agent %s",
  async (_, script, asked) => {
    const call = await scriptedCall();
    await call.answerAndGreet();
    call.script.thinksOnForMs = script.thinksOnForMs;
    call.script.ttsTakesMs = script.ttsTakesMs;
    call.script.answers = () => [text("I am looking for a free hour on Monday."), text("Wait.")];
    await call.says("When can I come?");
    await call.silence(script.ttsTakesMs + 100);
    call.script.answers = () => [text("All right.")];
    await call.says("Tuesday.", 300);
    await call.silence(1_000);
    expect(call.inputs).toHaveLength(asked);
  },
);

test("after a false interruption the agent continues after 1.5 s", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  const long = "We are open from Monday to Friday, from nine in the morning until five o'clock.";
  call.script.answers = () => [text(long)];
  await call.says("When are you open?");
  await call.silence(600);
  await call.speech(700);
  expect(call.session.turn.name).toBe("caller_speaking");
  call.script.recognises.push("");
  await call.silence(1_000 + 1_500 + 100);
  expect(call.session.turn.name).toBe("agent_speaking");
  await call.silence(5_000);
  expect(call.turns().at(-1)).toMatchObject({ text: long, interrupted: false });
  expect(call.truncated).toEqual([]);
});

test("the disclosure comes first and cannot be interrupted", async () => {
  const disclosure = "I am a computer and this call is recorded for quality.";
  const call = await scriptedCall({
    settings: { disclosure: { en: disclosure, lt: "", lv: "", ru: "" } },
  });
  await call.session.prepare();
  call.session.answered();
  await call.silence(200);
  call.script.recognises.push("hello hello");
  await call.speech(1_500);
  await call.silence(6_000);
  expect(call.turns()[0]?.text).toStartWith(disclosure);
});

test.each([[["5"]], [["5", "#"]], [["5", "#", "6", "#"]]])(
  "keys %j pressed during the disclosure take effect at its end, cut off the next speech, and keep their order",
  async (keys) => {
    const disclosure = `${"I am a computer and this call is recorded for quality. ".repeat(3)}Yes.`;
    const call = await scriptedCall({
      config: callConfig({ firstMessage: "This is what I say first, and it is rather long." }),
      settings: { disclosure: { en: disclosure, lt: "", lv: "", ru: "" } },
    });
    await call.session.prepare();
    call.session.answered();
    await call.silence(500);
    for (const key of keys) call.audio.press(key);
    await call.silence(disclosure.length * 50 - 600);
    expect(call.inputs).toEqual([]);
    await call.silence(2_000);
    expect(call.inputs).toEqual([{ type: "digits", digits: keys.join("").replaceAll("#", "") }]);
    expect(call.turns()).toMatchObject([
      { speaker: "agent", text: disclosure, interrupted: true },
      { speaker: "customer" },
      { speaker: "agent", text: "All right." },
    ]);
  },
);

const DISCLOSURE = "This call is recorded.";
const DISCLOSED = { disclosure: { en: DISCLOSURE, lt: "", lv: "", ru: "" } };

for (const direction of ["inbound", "outbound"] as const)
  test(`${direction}: a caller who speaks first hears the disclosure before the first answer, not earlier`, async () => {
    const call = await scriptedCall({
      config: { ...callConfig({ firstSpeaker: "customer" }), direction },
      settings: DISCLOSED,
    });
    await call.answerAndGreet();
    await call.silence(20_000);
    expect(call.turns()).toEqual([]);
    expect(call.audio.playedMs).toBe(0);
    await call.says("Yes, hello?");
    await call.silence(4_000);
    expect(call.turns().at(-1)?.text).toBe(`${DISCLOSURE} All right.`);
    const proof = call.messages.find(
      (message) => message.type === "note" && message.note.kind === "disclosure",
    );
    expect(proof).toMatchObject({ note: { text: DISCLOSURE, heard: true } });
  });

test("a call whose customer never speaks first ends without a phrase", async () => {
  const call = await scriptedCall({
    config: callConfig({ firstSpeaker: "customer" }),
    settings: DISCLOSED,
  });
  await call.session.prepare();
  call.session.answered();
  await call.silence(29_000);
  expect(call.hangupRequested()).toBeNull();
  await call.silence(2_000);
  expect(call.hangupRequested()).toEqual({ type: "hangup_requested", reason: "silence_timeout" });
  expect(call.audio.playedMs).toBe(0);
});

test("time during which the process was stopped does not count as the caller's silence", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  const said = call.spoken.length;
  call.clock.stop(40_000);
  call.audio.tick(new Int16Array(160));
  await call.silence(7_900);
  expect(call.spoken).toHaveLength(said);
  await call.silence(5_000);
  expect(call.spoken).toHaveLength(said + 1);
  expect(call.hangupRequested()).toBeNull();
});

test("before the disclosure the agent says no filler and asks for no key", async () => {
  const call = await scriptedCall({
    config: callConfig({ firstSpeaker: "customer" }),
    settings: DISCLOSED,
  });
  await call.answerAndGreet();
  call.script.llmTakesMs = 4_000;
  await call.says("Good morning.");
  await call.silence(8_000);
  expect(call.turns().at(-1)?.text).toBe(`${DISCLOSURE} ${PHRASES.pleaseWait} All right.`);
});

test.each([3_000, 6_000])(
  "words recognised %d ms late do not interrupt the disclosure, and are answered after it",
  async (sttTakesMs) => {
    const disclosure = `${"I am a computer and this call is recorded for quality. ".repeat(3)}Yes.`;
    const call = await scriptedCall({
      config: callConfig({ firstSpeaker: "customer" }),
      settings: { disclosure: { en: disclosure, lt: "", lv: "", ru: "" } },
    });
    await call.answerAndGreet();
    call.script.sttTakesMs = sttTakesMs;
    await call.says("Good morning, when are you open?");
    await call.silence(15_000);
    expect(call.turns()).toMatchObject([
      { speaker: "customer", text: "Good morning, when are you open?" },
      { speaker: "agent", text: `${disclosure} ${PHRASES.pleaseWait} All right.` },
    ]);
    expect(call.inputs.filter(({ type }) => type === "utterance")).toHaveLength(1);
  },
);

test("a first message that contains the disclosure replaces it", async () => {
  const said = "Hello, this call is recorded.";
  const firstMessage = `${said} How can I help you?`;
  const call = await scriptedCall({ config: callConfig({ firstMessage }), settings: DISCLOSED });
  await call.session.prepare();
  call.session.answered();
  await call.silence(500);
  await call.speech(800);
  await call.silence(4_000);
  expect(call.turns()[0]?.text).toStartWith(said);
  expect(
    call
      .turns()
      .map(({ text }) => text)
      .join(" "),
  ).not.toContain(DISCLOSURE);
  const proof = call.messages.find(
    (message) => message.type === "note" && message.note.kind === "disclosure",
  );
  expect(proof).toMatchObject({ note: { text: said, heard: true } });
});

test("a first message that contains the disclosure is spoken once", async () => {
  const firstMessage = "Hello, this call is recorded. How can I help you?";
  const call = await scriptedCall({ config: callConfig({ firstMessage }), settings: DISCLOSED });
  await call.session.prepare();
  call.session.answered();
  await call.silence(4_000);
  expect(call.turns().map(({ text }) => text)).toEqual([firstMessage]);
});

test("a silent caller is prompted at 8 s, prompted again, and disconnected at 30 s", async () => {
  const call = await scriptedCall();
  call.script.answers = () => [];
  await call.answerAndGreet();
  await call.silence(8_300);
  expect(call.spoken).toContain(PHRASES.idlePrompts[0]);
  expect(call.inputs).toEqual([{ type: "silence", count: 1 }]);
  await call.silence(10_500);
  expect(call.inputs).toHaveLength(2);
  expect(call.hangupRequested()).toBeNull();
  await call.silence(16_000);
  expect(call.hangupRequested()).toEqual({ type: "hangup_requested", reason: "silence_timeout" });
  expect(call.turns().at(-1)).toMatchObject({ text: PHRASES.silenceGoodbye, interrupted: false });
});

test("if the LLM words the question to a silent caller, the fixed phrase is not spoken", async () => {
  const call = await scriptedCall();
  call.script.answers = () => [{ type: "text", text: "Do you hear me?" }];
  await call.answerAndGreet();
  await call.silence(8_000 + 2_000);
  expect(call.inputs).toEqual([{ type: "silence", count: 1 }]);
  expect(call.turns().at(-1)?.text).toBe("Do you hear me?");
});

test("after speaking again, a caller gets the full silence times again", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  await call.silence(20_000);
  await call.says("I am still here.");
  await call.silence(20_000);
  expect(call.hangupRequested()).toBeNull();
});

test("neither a long utterance nor a long wait for its answer counts as silence", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.llmTakesMs = 9_000;
  await call.says("It began with the tooth on the left, and then the one above it.", 9_000);
  await call.silence(11_000);
  expect(call.inputs).toMatchObject([{ type: "utterance" }]);
  expect(call.turns().map(({ speaker }) => speaker)).toEqual(["agent", "customer", "agent"]);
});

test("keys interrupt the agent, and reach the LLM as one number after a pause or #", async () => {
  const call = await scriptedCall();
  await call.session.prepare();
  call.session.answered();
  await call.silence(400);
  call.audio.press("1");
  expect(call.audio.queuedMs).toBe(0);
  await call.silence(500);
  call.session.digit("2");
  await call.silence(1_900);
  expect(call.inputs).toEqual([]);
  await call.silence(200);
  expect(call.inputs).toEqual([{ type: "digits", digits: "12" }]);
  await call.silence(2_000);
  for (const key of "34#") call.audio.press(key);
  expect(call.inputs.at(-1)).toEqual({ type: "digits", digits: "34" });
  expect(call.messages.filter((message) => message.type === "digit_received")).toHaveLength(5);
});

test("a very long greeting is spoken completely, with at most half a minute queued", async () => {
  const firstMessage = "This is one of many sentences that nobody would want to hear. ".repeat(30);
  const call = await scriptedCall({ config: callConfig({ firstMessage }) });
  await call.session.prepare();
  call.session.answered();
  const lengthMs = firstMessage.trim().length * 50;
  let queuedMsMax = 0;
  for (let passed = 0; passed < lengthMs + 1_000; passed += 500) {
    await call.silence(500);
    queuedMsMax = Math.max(queuedMsMax, call.audio.queuedMs);
  }
  expect(call.audio.playedMs).toBe(lengthMs);
  expect(queuedMsMax).toBeLessThan(30_000);
  expect(call.turns()[0]).toMatchObject({ text: firstMessage.trim(), interrupted: false });
});

test("time on hold does not count as the caller's silence", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.session.connect({
    remote: { host: "127.0.0.1", port: 4_000 },
    codec: { name: "PCMA", sendPayloadType: 8, receivePayloadType: 8 },
    telephoneEvent: null,
    direction: "sendonly",
    ptimeMs: 20,
  });
  await call.silence(60_000);
  expect(call.hangupRequested()).toBeNull();
  expect(call.inputs).toEqual([]);
});
