/** First words of an outbound call: to people, to machines, and in silence. */
import { expect, test } from "bun:test";
import { Screening } from "../../../src/conversation/answering-machine-detection/screening.ts";
import type { AgentSnapshot } from "../../../src/conversation/call-config.ts";
import type { CallNote } from "../../../src/conversation/call-report.ts";
import { sine } from "../../../src/platform/audio/tones.ts";
import { callConfig, scriptedCall } from "../../support/media/scripted-call.ts";

const NAMED = "Hello Jonas, this is the clinic.";
const GENERAL = "Hello, this is the clinic.";
const DISCLOSURE = "You speak with an AI.";

async function outbound(agent: Partial<AgentSnapshot> = {}, disclosure = DISCLOSURE) {
  const config = callConfig({ firstMessage: GENERAL, ...agent });
  const call = await scriptedCall({
    config: { ...config, direction: "outbound", namedGreeting: NAMED },
    settings: { disclosure: { en: disclosure, lt: "", lv: "", ru: "" } },
  });
  await call.session.prepare();
  call.session.answered();
  return call;
}

const notes = (call: Awaited<ReturnType<typeof outbound>>): CallNote[] =>
  call.messages.flatMap((message) => (message.type === "note" ? [message.note] : []));

const said = (call: Awaited<ReturnType<typeof outbound>>) =>
  call.turns().flatMap((turn) => (turn.speaker === "agent" ? [turn.text] : []));

/** Half a second of 1000 Hz. */
async function beep(call: Awaited<ReturnType<typeof outbound>>) {
  const pcm = sine(1_000, 500, 8_000, 8_000);
  for (let at = 0; at < pcm.length; at += 160) {
    await call.clock.advance(20);
    call.audio.tick(pcm.subarray(at, at + 160));
  }
}

test.each([
  ["words of a mailbox without a beep", "Please leave a message after the tone.", false],
  ["a beep without such words", "Yes, go on.", true],
  ["a question about machines and a beep", "Are you an answering machine?", true],
])("a detected person stays one after %s", async (_, words, beeps) => {
  for (const voicemailAction of ["hangup", "leave_message"] as const) {
    const call = await outbound({ voicemailAction });
    call.script.recognises.push("Hello, Jonas speaking.");
    await call.speech(600);
    await call.silence(5_000);
    call.script.recognises.push(words);
    await call.speech(1_500);
    await call.silence(1_000);
    if (beeps) await beep(call);
    await call.silence(8_000);
    expect(call.session.turn.name).not.toBe("ended");
    expect(call.hangupRequested()).toBeNull();
    expect(notes(call).filter(({ kind }) => kind === "answered_by")).toMatchObject([
      { result: "human" },
    ]);
  }
});

test("a person hears the disclosure and a greeting by name, 600 ms after their hello", async () => {
  const call = await outbound();
  call.script.recognises.push("Hello?");
  await call.speech(500);
  await call.silence(560);
  expect(call.session.turn.name).toBe("screening");
  await call.silence(100);
  expect(call.session.turn.name).not.toBe("screening");
  await call.silence(5_000);
  expect(said(call)).toEqual([`${DISCLOSURE} ${NAMED}`]);
  expect(notes(call)[0]).toMatchObject({
    kind: "answered_by",
    result: "human",
    cause: "short_greeting",
  });
  expect((await call.session.close("caller_hangup")).answeredBy).toBe("human");
});

test("600 ms of silence after a hello end it, to the frame", async () => {
  const call = await outbound();
  call.script.recognises.push("Hello?");
  await call.speech(500);
  await call.silence(580);
  expect(call.session.turn.name).toBe("screening");
  await call.silence(20);
  expect(call.session.turn.name).not.toBe("screening");
});

test("an early transfer sets the detection result, however long the call lasts then", async () => {
  const call = await outbound();
  const judged = () => notes(call).filter(({ kind }) => kind === "answered_by");
  await call.silence(500);
  call.session.transferBegin();
  const unknown = { kind: "answered_by", atMs: 500, result: "unknown", cause: "transfer" } as const;
  expect(judged()).toEqual([unknown]);
  call.session.transferFailed("declined");
  await call.silence(12_000);
  expect(judged()).toEqual([unknown]);
});

test("in silence the general greeting comes after two seconds, without the name", async () => {
  const call = await outbound();
  await call.silence(1_900);
  expect(call.session.turn.name).toBe("screening");
  await call.silence(6_000);
  expect(said(call)).toEqual([`${DISCLOSURE} ${GENERAL}`]);
});

test("a screening service hears the caller's identity without the name, after it has finished", async () => {
  const call = await outbound();
  call.script.partial = "Please state your name";
  call.script.recognises.push("Please state your name and why you are calling.");
  await call.speech(3_000);
  await call.silence(700);
  call.script.partial = "";
  await call.silence(5_000);
  expect(notes(call)[0]).toMatchObject({ result: "unknown", cause: "call_screening" });
  expect(said(call)).toEqual([`${DISCLOSURE} ${GENERAL}`]);
});

test("a machine that asks for a message gets none, or the general message after its silence", async () => {
  const words = "Please leave a message after the tone";
  for (const action of ["hangup", "leave_message"] as const) {
    const call = await outbound({ voicemailAction: action });
    call.script.partial = words;
    call.script.recognises.push(words);
    await call.speech(2_500);
    call.script.partial = "";
    await call.silence(14_000);
    const left = action === "leave_message";
    expect(said(call)).toEqual(left ? [`${DISCLOSURE} ${GENERAL}`] : []);
    expect(call.hangupRequested()).toEqual({
      type: "hangup_requested",
      reason: left ? "voicemail_left" : "voicemail_hangup",
    });
    expect((await call.session.close("voicemail_left")).answeredBy).toBe("machine");
  }
});

test("a machine that plays for 25 s gets its message then, not before", async () => {
  const call = await outbound({ voicemailAction: "leave_message" });
  call.script.partial = "you have reached the voicemail";
  for (let passed = 0; passed < 24; passed++) await call.speech(1_000);
  expect(said(call)).toEqual([]);
  expect(call.session.turn.name).toBe("screening");
  for (let passed = 0; passed < 4; passed++) await call.speech(1_000);
  await call.silence(6_000);
  expect(call.hangupRequested()).toEqual({ type: "hangup_requested", reason: "voicemail_left" });
});

test.each([
  ["speaks on: 25 s", 0, 25_000],
  ["falls silent: 5 s", 20, 5_000],
])("a machine without a beep that %s later gets its message, to the frame", (_, silentMs, ms) => {
  let left = 0;
  const nothing = () => undefined;
  const screening = new Screening({
    sampleRateHz: 8_000,
    voicemailAction: "leave_message",
    effects: {
      human: nothing,
      machine: nothing,
      hangUp: nothing,
      note: nothing,
      leaveMessage: () => void left++,
    },
  });
  screening.words("Please leave a message after the tone");
  expect(screening.answeredBy).toBe("machine");
  const frames = (count: number) => {
    for (let frame = 0; frame < count; frame++)
      screening.frame(new Int16Array(160), {
        active: true,
        silentMs,
        speechMs: 1_000,
        partial: "",
      });
  };
  frames(ms / 20 - 1);
  expect(left).toBe(0);
  frames(1);
  expect(left).toBe(1);
});

test("a person's result changed to machine is reported, and the agent falls silent", async () => {
  const call = await outbound({ voicemailAction: "hangup" });
  call.script.recognises.push("Hi.");
  await call.speech(400);
  await call.silence(1_000);
  expect(call.session.turn.name).toBe("agent_speaking");
  call.script.partial = "I cannot take your call leave a message after the tone";
  call.script.recognises.push("I cannot take your call leave a message after the tone");
  await call.silence(4_000);
  await call.speech(2_000);
  await call.silence(1_000);
  await beep(call);
  await call.silence(1_500);
  expect(notes(call).filter(({ kind }) => kind === "answered_by")).toMatchObject([
    { result: "human" },
    { result: "machine", cause: "beep" },
  ]);
  expect(call.hangupRequested()).toEqual({ type: "hangup_requested", reason: "voicemail_hangup" });
});

test("a machine first detected as a person still gets the complete message with the disclosure in it", async () => {
  const firstMessage = "Hello, I am an AI assistant. Please call us back.";
  const call = await outbound({ voicemailAction: "leave_message", firstMessage });
  call.script.answers = () => [];
  call.script.recognises.push("Hi.");
  await call.speech(400);
  await call.silence(6_000);
  const words = "I cannot take your call leave a message after the tone";
  call.script.partial = words;
  call.script.recognises.push(words);
  await call.speech(2_000);
  call.script.partial = "";
  await call.silence(1_000);
  await beep(call);
  await call.silence(14_000);
  expect(said(call)).toEqual([`${DISCLOSURE} ${NAMED}`, firstMessage]);
  expect(call.hangupRequested()).toMatchObject({ reason: "voicemail_left" });
});

test("a machine that beeps during the disclosure gets all of it with its message", async () => {
  const disclosure = `${"I am a computer and this call is recorded for quality. ".repeat(3)}Yes.`;
  const call = await outbound({ voicemailAction: "leave_message" }, disclosure);
  await call.silence(3_500);
  await beep(call);
  await call.silence(15_000);
  const [cut, message] = said(call);
  expect(cut).toStartWith("I am a computer");
  expect(cut).not.toContain("Yes.");
  expect(message).toBe(`${disclosure} ${GENERAL}`);
  expect(notes(call).filter(({ kind }) => kind === "disclosure")).toMatchObject([
    { heard: false },
    { heard: true },
  ]);
});

test("an agent that lets the customer speak first answers their hello with the LLM", async () => {
  const call = await outbound({ firstSpeaker: "customer" });
  call.script.recognises.push("Hello?");
  await call.speech(500);
  await call.silence(3_000);
  expect(call.inputs).toMatchObject([{ type: "utterance", text: "Hello?" }]);
  expect(said(call)[0]).toStartWith(DISCLOSURE);
});
