/**
 * Conversations over real RTP with the real workers and the embedded engine: about 40 s. Content is recognised
 * from the audio on the wire, never judged by counting packets.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { CallConfig } from "../../src/conversation/call-config.ts";
import { phrasesFor } from "../../src/conversation/speech/phrases.ts";
import { sleep, systemClock } from "../../src/core/clock.ts";
import { atMost } from "../support/at-most.ts";
import { openStudio, type Studio, startCall } from "../support/media/live-conversation.ts";
import { type AGENT, callConfig } from "../support/media/scripted-call.ts";
import { CLINIC_KNOWLEDGE } from "../support/speech/dental-clinic.ts";
import { spoken } from "../support/speech/spoken.ts";
import { tempDir } from "../support/temp-dir.ts";

const KNOWLEDGE = [{ filename: "clinic.md", format: "md" as const, content: CLINIC_KNOWLEDGE }];
const PHRASES = phrasesFor("en");
const HOURS = "We are open Monday to Friday from nine to five, and on Saturday from ten to two.";
const PARKING = "Yes, there is free parking behind the building.";
const ADDRESS = "Our address is 12 Garden Street, next to the central station.";
const WHITENING = "Teeth whitening costs 200 euros.";
const CONSULTATION = "A consultation costs 40 euros.";
const GREETING = "Bright Smile dental clinic, how can I help you?";

function briefOf(agent: Partial<typeof AGENT> = {}): Partial<CallConfig> {
  const { callId: _, ...brief } = callConfig({ firstMessage: GREETING, ...agent });
  return { ...brief, knowledge: KNOWLEDGE };
}

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio(
    { first: 31_200, last: 31_259 },
    { idlePromptMs: 1_500, silenceTimeoutMs: 6_000, fillerDelayMs: 1_000 },
  );
}, 60_000);
afterAll(async () => {
  await studio.close();
});

/** Two tests at once, plus those that only wait. */
const turn = atMost(2);
const beside = (name: string, conversation: () => Promise<void>) =>
  test.concurrent(name, () => turn(conversation), spoken(180_000));

test.concurrent(
  "a silent caller is prompted twice and disconnected with a goodbye",
  async () => {
    const call = await startCall(studio, briefOf());
    await call.waitFor(() => call.hangups.length > 0);
    expect(call.hangups).toEqual(["silence_timeout"]);
    expect(await call.heard(PHRASES.silenceGoodbye, [PARKING, PHRASES.maxDuration])).toBe(true);
    const report = await call.hangUp();
    expect(report.turns.at(-1)?.text).toBe(PHRASES.silenceGoodbye);
  },
  spoken(60_000),
);

test.concurrent(
  "the maximum duration ends the call with a complete phrase",
  async () => {
    const answeredAt = systemClock.monotonic();
    const call = await startCall(studio, briefOf({ maxDurationSeconds: 10 }));
    await call.waitFor(() => call.hangups.length > 0);
    expect(systemClock.monotonic() - answeredAt).toBeGreaterThan(3_000);
    expect(call.hangups).toEqual(["max_duration"]);
    expect(await call.heard(PHRASES.maxDuration, [PARKING, PHRASES.silenceGoodbye])).toBe(true);
    await call.hangUp();
  },
  spoken(60_000),
);

beside("the greeting is heard as it was written, and recorded", async () => {
  const recordingPath = join(tempDir(), "call.wav");
  const call = await startCall(studio, { ...briefOf(), recordingPath });
  const greeting = await call.agentDone(0);
  expect(greeting.text).toBe(GREETING);
  expect(await call.heard(GREETING, [PARKING, PHRASES.apology])).toBe(true);
  const report = await call.hangUp();
  expect(report.recording).toMatchObject({ path: recordingPath });
  expect(report.recording?.durationMs).toBeGreaterThan(greeting.endMs - 500);
});

beside("a spoken question is answered from the agent's knowledge", async () => {
  const call = await startCall(studio, briefOf());
  await call.agentDone(0);
  await call.say("Where are you located?");
  const answer = await call.agentDone(1);
  expect(answer.text).toContain("12 Garden Street");
  expect(answer.latencyMs).toBeGreaterThan(0);
  expect(await call.heard(ADDRESS, [HOURS, WHITENING])).toBe(true);
  const report = await call.hangUp();
  const question = report.turns.find((turn) => turn.speaker === "customer");
  expect(question?.text.toLowerCase()).toContain("located");
  expect(report.summary.length).toBeGreaterThan(10);
});

beside("a caller who speaks up cuts the agent short", async () => {
  const call = await startCall(studio, briefOf());
  await call.agentDone(0);
  await call.say("What are your opening hours?");
  await call.waitFor(() => call.peer.quietForMs < 100);
  await sleep(systemClock, 1_200);
  await call.say("How much does a consultation cost?");
  const cut = await call.agentDone(1);
  expect(cut.interrupted).toBe(true);
  expect(cut.text.length).toBeLessThan(HOURS.length - 10);
  const answer = await call.agentDone(2);
  expect(answer.text).toContain("40 euros");
  expect(await call.heard(HOURS, [])).toBe(false);
  expect(await call.heard(CONSULTATION, [PARKING, PHRASES.apology])).toBe(true);
  await call.hangUp();
});

beside("a tool is called, the wait is filled, and its result is spoken", async () => {
  const call = await startCall(studio, {
    ...briefOf({ fillerPhrases: ["Let me look that up."] }),
    tools: [
      {
        name: "next_free_appointment",
        description: "Tells the next free appointment. Find the next free appointment.",
        parameters: { type: "object", properties: {} },
      },
    ],
  });
  await call.agentDone(0);
  await call.say("I want to find the next free appointment");
  await call.waitFor(() => call.toolCalls.length > 0);
  expect(call.toolCalls[0]?.tool).toBe("next_free_appointment");
  // "One moment, please." is spoken with the tool call; then silence, and the filler.
  await call.waitFor(() => call.peer.quietForMs < 100);
  await call.waitFor(() => call.peer.quietForMs > 500);
  await call.waitFor(() => call.peer.quietForMs < 100);
  call.answerTool(call.toolCalls[0]?.toolCallId ?? "", {
    message: "The next free appointment is on Monday at nine.",
  });
  const answer = await call.agentDone(1);
  expect(answer.text).toContain("Let me look that up. ");
  expect(answer.text).toContain("The next free appointment is on Monday at nine.");
  expect(await call.heard("Let me look that up.", [WHITENING, PARKING])).toBe(true);
  await call.hangUp();
});

beside("keys pressed during the greeting interrupt it and reach main one by one", async () => {
  const call = await startCall(studio, briefOf());
  const keys: string[] = [];
  call.channel.on("digit_received", ({ digit }) => keys.push(digit));
  await call.waitFor(() => call.peer.quietForMs < 100);
  await sleep(systemClock, 600);
  call.peer.media.press("42");
  const greeting = await call.agentDone(0);
  expect(greeting.interrupted).toBe(true);
  await call.waitFor(() => call.turns.some((turn) => turn.text === "[keys 42]"));
  expect(keys).toEqual(["4", "2"]);
  await call.hangUp();
});

test(
  "a hang-up in mid-sentence stops the audio at once and reports",
  async () => {
    // Calls of a failed first attempt may still be live.
    const others = studio.pool.liveCalls;
    const call = await startCall(studio, briefOf());
    await call.agentDone(0);
    await call.say("What are your opening hours?");
    await call.waitFor(() => call.peer.quietForMs < 100);
    await sleep(systemClock, 1_000);
    call.peer.mute();
    const report = await call.channel.close("caller_hangup");
    // Packets are made 10 ms before they leave: one may be on its way.
    await sleep(systemClock, 20);
    const packets = call.peer.media.statistics.packetsReceived;
    await sleep(systemClock, 300);
    expect(call.peer.media.statistics.packetsReceived).toBe(packets);
    call.peer.close();
    expect(report.turns.at(-1)).toMatchObject({ speaker: "agent", interrupted: true });
    expect(studio.pool.liveCalls).toBe(others);
  },
  spoken(60_000),
);

test(
  "the agent's own echo, weaker and late, does not interrupt it",
  async () => {
    const call = await startCall(studio, briefOf());
    await call.agentDone(0);
    await call.say("What are your opening hours?");
    const stopEcho = echoBack(call);
    // On a slow machine fillers come before it, and are echoed too.
    const isAnswer = ({ text }: { text: string }) => text.includes("We are open");
    await call.waitFor(() => call.turns.some(isAnswer));
    stopEcho();
    const answer = call.turns.find(isAnswer);
    expect(answer?.interrupted).toBe(false);
    expect(answer?.text).toEndWith(HOURS);
    const report = await call.hangUp();
    expect(report.turns.filter((turn) => turn.speaker === "customer")).toHaveLength(1);
  },
  spoken(60_000),
);

/**
 * Sends back the agent's audio, at a fifth of its level and some 300 ms late. The delay keeps the echo free of
 * gaps when this thread's timer is late: a line's echo has none either.
 */
function echoBack(call: Awaited<ReturnType<typeof startCall>>): () => void {
  const leadMs = 160;
  void call.peer.media.play(new Int16Array(leadMs * 8));
  let from = call.peer.media.received().length;
  const timer = systemClock.every(100, () => {
    const heard = call.peer.media.received();
    const echo = heard.slice(from).map((sample) => sample / 5);
    from = heard.length;
    if (echo.length > 0) void call.peer.media.play(echo);
  });
  return () => timer.cancel();
}
