/** Latency of an answer's steps, early answers, filler phrases and disclosure notes. */
import { expect, test } from "bun:test";
import type { LlmEvent } from "../../../src/conversation/engine-port.ts";
import { callConfig, scriptedCall } from "../../support/media/scripted-call.ts";

const text = (words: string): LlmEvent => ({ type: "text", text: words });

test("the steps of an answer come in their order and add up to its latency", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.llmTakesMs = 300;
  call.script.ttsTakesMs = 200;
  await call.says("When are you open?");
  await call.silence(3_000);
  const turn = call.turns().find(({ latencyMs }) => latencyMs !== null);
  const measures = turn?.measures;
  if (!measures) throw new Error("nothing was measured");
  const { endpointMs, sttFinalMs, firstTokenMs, firstAudioMs, firstPacketMs, early } = measures;
  const steps = [endpointMs, sttFinalMs, firstTokenMs, firstAudioMs, firstPacketMs].map(
    (step) => step ?? Number.NaN,
  );
  expect(steps).toEqual([...steps].sort((a, b) => a - b));
  expect(endpointMs).toBeGreaterThanOrEqual(340);
  expect((firstTokenMs ?? 0) - (sttFinalMs ?? 0)).toBeGreaterThanOrEqual(280);
  expect((firstAudioMs ?? 0) - (firstTokenMs ?? 0)).toBeGreaterThanOrEqual(180);
  expect(firstPacketMs).toBe(turn?.latencyMs ?? -1);
  expect(early).toBe(false);
});

test("after stable words the LLM is asked during the endpoint silence, and its answer is used", async () => {
  const call = await scriptedCall({ earlyStart: true });
  await call.answerAndGreet();
  call.script.llmTakesMs = 300;
  await call.says("When are you open?");
  await call.silence(1_500);
  expect(call.inputs).toHaveLength(1);
  const turn = call.turns().find(({ latencyMs }) => latencyMs !== null);
  expect(turn).toMatchObject({ text: "All right.", measures: { early: true } });
  expect(turn?.latencyMs).toBeLessThan(500);
});

test("a caller who goes on cancels the early answer: nothing of it is spoken", async () => {
  const call = await scriptedCall({ earlyStart: true });
  await call.answerAndGreet();
  call.script.llmTakesMs = 50;
  call.script.answers = (input) =>
    input.type === "utterance" ? [text(`You said: ${input.text}`)] : [];
  call.script.partial = "I need a table.";
  await call.speech(1_000);
  await call.silence(240);
  expect(call.inputs).toHaveLength(1);
  call.script.partial = "I need a table. For two people.";
  call.script.recognises.push("I need a table. For two people.");
  await call.speech(1_000);
  await call.silence(3_000);
  expect(call.spoken.filter((said) => said.startsWith("You said"))).toEqual([
    "You said: I need a table. For two people.",
  ]);
  const asked = new Set(call.inputs.map((input) => input.type === "utterance" && input.text));
  expect([...asked]).toEqual(["I need a table.", "I need a table. For two people."]);
});

test("an early answer is dropped if the final words differ", async () => {
  const call = await scriptedCall({ earlyStart: true });
  await call.answerAndGreet();
  call.script.answers = (input) =>
    input.type === "utterance" ? [text(`You said: ${input.text}`)] : [];
  call.script.partial = "Book a fable.";
  call.script.recognises.push("Book a table.");
  await call.speech(800);
  await call.silence(2_000);
  expect(call.spoken.filter((said) => said.startsWith("You said"))).toEqual([
    "You said: Book a table.",
  ]);
});

test("a recogniser without partial results begins at the first silence, and its result starts the LLM", async () => {
  const call = await scriptedCall({ earlyStart: true });
  await call.answerAndGreet();
  Object.assign(call.script, { early: "When are you open?", sttTakesMs: 80, llmTakesMs: 200 });
  await call.says("When are you open?");
  await call.silence(1_500);
  expect(call.earlyRecognitions).toEqual(["begun"]);
  expect(call.inputs).toHaveLength(1);
  const turn = call.turns().find(({ latencyMs }) => latencyMs !== null);
  expect(turn).toMatchObject({ text: "All right.", measures: { early: true } });
});

test("speech after a pause is recognised again, and the agent waits for the end of an unfinished sentence", async () => {
  const call = await scriptedCall({ earlyStart: true });
  await call.answerAndGreet();
  Object.assign(call.script, { early: "I would like to" });
  await call.speech(1_000);
  await call.silence(600);
  expect(call.inputs).toEqual([]);
  call.script.early = "I would like to book a table.";
  call.script.recognises.push("I would like to book a table.");
  await call.speech(1_000);
  await call.silence(1_000);
  expect(call.earlyRecognitions).toEqual(["begun", "dropped", "begun"]);
  expect(call.inputs).toMatchObject([{ text: "I would like to book a table." }]);
});

test.each([
  ["off", [], 0],
  ["hearing", ["begun"], 0],
  ["all", ["begun"], 1],
] as const)("[conversation] speculate = %s", async (speculate, begun, asked) => {
  const call = await scriptedCall({ earlyStart: true, settings: { speculate } });
  await call.answerAndGreet();
  call.script.early = "When are you open?";
  await call.speech(1_000);
  await call.silence(200);
  expect(call.earlyRecognitions).toEqual([...begun]);
  expect(call.inputs).toHaveLength(asked);
});

test("the LLM learns where it was cut off before it gets the caller's next question", async () => {
  const call = await scriptedCall({ earlyStart: true });
  await call.answerAndGreet();
  const cutsKnown: number[] = [];
  call.script.answers = () => {
    cutsKnown.push(call.truncated.length);
    return [text("We are open from nine to five, and on Saturdays from ten to two in summer.")];
  };
  await call.says("When are you open?");
  await call.silence(1_500);
  call.script.early = "Stop, where are you?";
  call.script.recognises.push("Stop, where are you?");
  await call.speech(1_200);
  await call.silence(2_000);
  expect(cutsKnown).toEqual([0, 1]);
});

test("nothing starts early while the caller dictates a number", async () => {
  const call = await scriptedCall({ earlyStart: true });
  await call.answerAndGreet();
  call.script.answers = () => [{ type: "expect", answer: "digits" }, text("Your number, please?")];
  await call.says("Call me back.");
  await call.silence(4_000);
  const before = call.earlyRecognitions.length;
  await call.speech(600);
  await call.silence(1_000);
  expect(call.earlyRecognitions).toHaveLength(before);
});

test("dictation is sent to the LLM only after its end, even if it sounds finished", async () => {
  const call = await scriptedCall({ earlyStart: true });
  await call.answerAndGreet();
  call.script.answers = () => [{ type: "expect", answer: "digits" }, text("Your number, please?")];
  await call.says("Call me back.");
  await call.silence(4_000);
  const before = call.inputs.length;
  call.script.partial = "It is five five five.";
  await call.speech(600);
  await call.silence(300);
  expect(call.inputs).toHaveLength(before);
});

test("the summary has the call's length by the RTP clock only if the call was answered", async () => {
  const call = await scriptedCall();
  call.audio.rtpClockMs = 500;
  await call.answerAndGreet();
  call.audio.rtpClockMs = 2_500;
  const closing = call.session.close("caller_hangup");
  await call.silence(1_000);
  expect((await closing).answeredRtpMs).toBe(2_000);
  const unanswered = await scriptedCall();
  await unanswered.session.prepare();
  const closed = unanswered.session.close("no_answer");
  await unanswered.silence(1_000);
  expect(Object.keys(await closed)).not.toContain("answeredRtpMs");
});

test.each([
  ["/recordings/a.wav", ["/recordings/a.wav"]],
  [null, []],
])("a call is recorded to %j, from its answer on", async (recordingPath, recordings) => {
  const call = await scriptedCall({ config: { ...callConfig(), recordingPath } });
  await call.session.prepare();
  expect(call.audio.recordings).toEqual([]);
  call.session.answered();
  call.session.answered();
  expect(call.audio.recordings).toEqual(recordings);
});

test.each([
  ["llm", { llmTakesMs: 4_000 }],
  ["tts", { ttsTakesMs: 4_000 }],
] as const)(
  "a slow %s is never silent for more than 1.2 s at first, 2.5 s later",
  async (_, slow) => {
    const call = await scriptedCall();
    await call.answerAndGreet();
    Object.assign(call.script, slow);
    await call.says("When are you open?");
    let quietMs = 0;
    let longestMs = 0;
    let playedMs = call.audio.playedMs;
    for (let passed = 0; passed < 6_000; passed += 20) {
      await call.silence(20);
      quietMs = call.audio.playedMs > playedMs ? 0 : quietMs + 20;
      if (passed < 5_000) longestMs = Math.max(longestMs, quietMs);
      playedMs = call.audio.playedMs;
    }
    expect(longestMs).toBeLessThanOrEqual(2_600);
    const said = call.turns().map((turn) => turn.text);
    expect(said.join(" ")).toContain("One moment");
    await call.silence(3_000);
    expect(call.turns().at(-1)?.text).toContain("All right.");
  },
);

test("a spoken disclosure is stored with its text, language and position", async () => {
  const call = await scriptedCall({
    settings: { disclosure: { en: "This call is recorded.", lt: "", lv: "", ru: "" } },
  });
  await call.session.prepare();
  call.session.answered();
  await call.silence(4_000);
  const notes = call.messages.flatMap((message) => (message.type === "note" ? [message.note] : []));
  expect(notes).toEqual([
    {
      kind: "disclosure",
      text: "This call is recorded.",
      language: "en",
      heard: true,
      atMs: expect.any(Number),
      endMs: expect.any(Number),
    },
  ]);
  const [note] = notes;
  if (note?.kind !== "disclosure") throw new Error("no proof");
  expect(note.atMs).toBeLessThan(100);
  expect(note.endMs - note.atMs).toBeGreaterThan(1_000);
});

test("a disclosure that ends with the line is stored as not heard to its end", async () => {
  const call = await scriptedCall({
    settings: { disclosure: { en: "This call is recorded.", lt: "", lv: "", ru: "" } },
  });
  await call.session.prepare();
  call.session.answered();
  await call.silence(400);
  await call.session.close("caller_hangup");
  const notes = call.messages.flatMap((message) => (message.type === "note" ? [message.note] : []));
  expect(notes).toMatchObject([{ kind: "disclosure", heard: false }]);
});

test("the LLM learns where its greeting was cut off", async () => {
  const call = await scriptedCall();
  await call.session.prepare();
  call.session.answered();
  await call.silence(500);
  await call.says("Stop, I have a question.");
  await call.silence(500);
  expect(call.truncated).toHaveLength(1);
  expect("Hello, how can I help you?").toStartWith(call.truncated[0] ?? "-");
});

test("an answer to keys has neither an endpoint time nor a recognition time", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.audio.press("5");
  call.audio.press("#");
  await call.silence(2_000);
  expect(call.turns().at(-1)).toMatchObject({
    text: "All right.",
    measures: { endpointMs: null, sttFinalMs: null, early: false },
  });
});
