/** Outbound calls answered by people and machines, through the composed appliance: about 30 s. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import { findSentenceGently } from "../../src/demo/hearing/sentence-matcher.ts";
import { createVoices, type Voices } from "../../src/demo/voices.ts";
import { type Appliance, type CallView, startAppliance } from "../support/appliance/appliance.ts";
import { atMost } from "../support/at-most.ts";
import { eventually } from "../support/eventually.ts";
import type { PhoneCall } from "../support/media/phone/phone-call.ts";
import { tone } from "../support/media/phone.ts";
import { spoken } from "../support/speech/spoken.ts";
import { tempDir } from "../support/temp-dir.ts";

const MESSAGE = "This is the dental clinic. Your appointment is tomorrow at nine.";
const DECOYS = ["One moment please.", "A consultation costs forty euros.", "Goodbye for now."];
const MACHINE = "You have reached the voicemail of Tom. I cannot take your call right now.";
const LEAVE = "Please leave a message after the tone and I will call you back.";
const HELLO = "Hello?";
const QUESTION = "Hello, what are your opening hours?";
const CALLEE_VOICE = "m3";

let world: Appliance;
let voices: Voices;

beforeAll(async () => {
  world = await startAppliance({
    dataDir: tempDir(),
    host: "127.0.33.1",
    agent: { firstMessage: MESSAGE },
  });
  voices = await createVoices();
  // Ready before any answer: two seconds of silence would count as nobody.
  for (const text of [MACHINE, LEAVE, HELLO, QUESTION]) await voices.speak(CALLEE_VOICE, text);
}, 60_000);

afterAll(() => world.close());

const ended = (call: CallView) => call.ended_at !== null;

let callees = 0;
/** A call uses the agent's settings at its start: one test at a time changes them. */
const inTurn = atMost(1);

/** The agent calls a new person; the person or machine that answers does `act`. */
async function agentCalls(
  agent: Record<string, string>,
  act: (call: PhoneCall) => Promise<void>,
): Promise<{ uuid: string; call: PhoneCall }> {
  const number = `+370610000${30 + ++callees}`;
  const callee = await world.phone(number);
  const answered = Promise.withResolvers<PhoneCall>();
  callee.onCall(async (incoming) => {
    await incoming.answer();
    answered.resolve(incoming);
  });
  const { body, call } = await inTurn(async () => {
    const patched = await world.api("PATCH", `/agents/${world.agentId}`, agent);
    expect(patched.status).toBe(200);
    const { body } = await world.api("POST", "/calls", { to_number: number });
    return { body, call: await answered.promise };
  });
  await act(call);
  return { uuid: body.call_uuid, call };
}

const say = async (call: PhoneCall, text: string) =>
  call.play(await voices.speak(CALLEE_VOICE, text));

/** Two at once. */
const turn = atMost(2);
const beside = (name: string, run: () => Promise<void>) =>
  test.concurrent(name, () => turn(run), spoken(180_000));

async function heardMessage(pcm: Int16Array): Promise<boolean> {
  const [sentence, ...decoys] = await Promise.all(
    [MESSAGE, ...DECOYS].map((text) => voices.speak("Sari", text)),
  );
  const sought = { recording: pcm, sentence: sentence ?? new Int16Array(0), decoys };
  return (await findSentenceGently(sought, systemClock)).isFound;
}

beside(
  "a machine gets the agent's message after its beep, once, and the call ends as voicemail_left",
  async () => {
    let beepAt = 0;
    const { uuid, call } = await agentCalls(
      { voicemail_action: "leave_message", first_speaker: "assistant" },
      async (machine) => {
        await Bun.sleep(400);
        await say(machine, MACHINE);
        await Bun.sleep(300);
        await say(machine, LEAVE);
        await Bun.sleep(300);
        await machine.play(tone(1_000, 500));
        beepAt = machine.received().length;
      },
    );
    await call.ended;
    const detail = await world.callWhen(uuid, ended);
    expect(detail).toMatchObject({
      status: "completed",
      ended_reason: "voicemail_left",
      answered_by: "machine",
    });
    expect(await heardMessage(call.received().subarray(beepAt))).toBe(true);
    expect(await heardMessage(call.received().subarray(0, beepAt))).toBe(false);
    expect(detail.transcript).toContain(`Agent: ${MESSAGE}`);
  },
);

beside("with voicemail_action hangup nothing is said to a machine", async () => {
  const { uuid, call } = await agentCalls(
    { voicemail_action: "hangup", first_speaker: "assistant" },
    async (machine) => {
      await Bun.sleep(400);
      await say(machine, MACHINE).catch(() => {});
      if (machine.state === "active") await say(machine, LEAVE).catch(() => {});
      if (machine.state === "active") await machine.play(tone(1_000, 500)).catch(() => {});
    },
  );
  await call.ended;
  const detail = await world.callWhen(uuid, ended);
  expect(detail).toMatchObject({ ended_reason: "voicemail_hangup", answered_by: "machine" });
  expect(await heardMessage(call.received())).toBe(false);
});

beside("a person who says hello is greeted and known as human", async () => {
  const { uuid, call } = await agentCalls(
    { voicemail_action: "hangup", first_speaker: "assistant" },
    async (person) => {
      await Bun.sleep(300);
      await say(person, HELLO);
    },
  );
  await call.waitForReply();
  expect(await heardMessage(call.received())).toBe(true);
  await call.hangUp();
  const detail = await world.callWhen(uuid, ended);
  expect(detail).toMatchObject({ answered_by: "human", ended_reason: "caller_hangup" });
});

beside("a person who says nothing is greeted all the same", async () => {
  const { uuid, call } = await agentCalls(
    { voicemail_action: "hangup", first_speaker: "assistant" },
    async () => {},
  );
  await call.waitForSpeech(10_000);
  await call.waitForSilence();
  await call.hangUp();
  const detail = await world.callWhen(uuid, ended);
  expect(detail).toMatchObject({ answered_by: "unknown", ended_reason: "caller_hangup" });
});

beside("an agent that lets the customer speak first waits, and answers what was said", async () => {
  const { uuid, call } = await agentCalls(
    { voicemail_action: "hangup", first_speaker: "customer" },
    async (person) => {
      await Bun.sleep(300);
      await say(person, QUESTION);
    },
  );
  await call.waitForReply();
  await call.hangUp();
  const detail = await world.callWhen(uuid, ended);
  expect(detail.answered_by).toBe("human");
  expect(detail.turns.map(({ speaker }) => speaker).slice(0, 2)).toEqual(["customer", "agent"]);
});

test("the event of an outbound call's answer has the detection result, once", async () => {
  await eventually(async () => {
    const { calls } = (await world.api("GET", "/calls?limit=50")).body;
    return calls.every((call) => call.status === "completed");
  }, "all calls are over");
  const { events } = await import("../../src/store/schema/index.ts");
  const rows = await world.app.database.read.select().from(events);
  const answered = rows.filter((row) => row.type === "call.answered");
  const calls = (await world.api("GET", "/calls?limit=50")).body.calls;
  expect(answered).toHaveLength(calls.length);
  const said = answered.map((row) => JSON.stringify(row)).join("\n");
  expect(said).toContain('\\"answered_by\\":\\"machine\\"');
  expect(said).toContain('\\"answered_by\\":\\"human\\"');
});
