/** Transfers to people: by the carrier, by a bridge, with a briefing, and back: about 80 s. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/core/clock.ts";
import { packetsOf } from "../../src/core/packet-headers.ts";
import { readMail } from "../../src/demo/evidence/mail-file.ts";
import { decodeMp3 } from "../../src/demo/evidence/mp3.ts";
import { findSentenceGently } from "../../src/demo/hearing/sentence-matcher.ts";
import { createVoices, type Voices } from "../../src/demo/voices.ts";
import {
  type Appliance,
  type CallView,
  OWN_NUMBER,
  startAppliance,
} from "../support/appliance/appliance.ts";
import { atMost } from "../support/at-most.ts";
import { eventually } from "../support/eventually.ts";
import { createPhone, type Phone } from "../support/media/phone/phone.ts";
import type { PhoneCall } from "../support/media/phone/phone-call.ts";
import { tone, toneShare } from "../support/media/phone.ts";
import { spoken } from "../support/speech/spoken.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Sentences that nobody says. */
const DECOYS = [
  "Yes, there is free parking behind the building.",
  "I am sorry, I did not get that.",
];
/** A number without a registered phone. */
const NOBODY = "+37061000099";
const CALLER_HZ = 440;
const DESK_HZ = 1_000;

let world: Appliance;
let voices: Voices;
let question: Int16Array;
let decoys: Int16Array[];

beforeAll(async () => {
  world = await startAppliance({
    dataDir: tempDir(),
    host: "127.0.31.1",
    settings: (settings) => ({
      ...settings,
      plans: settings.plans.map((plan) => ({ ...plan, maxConcurrentCalls: 20 })),
      callWorker: { ...settings.callWorker, keepsPacketHeaders: true },
    }),
  });
  voices = await createVoices();
  // Synthesised before: later it would keep this thread from the audio of other tests.
  question = await voices.speak("m3", "What are your opening hours?");
  decoys = await Promise.all(DECOYS.map((text) => voices.speak("Sari", text)));
}, 60_000);

afterAll(() => world.close());

const ended = (call: CallView) => call.ended_at !== null;

interface People {
  readonly caller: Phone;
  readonly desk: Phone;
}

let pairs = 0;

type Script = (people: People) => Promise<void>;

/** Two new people for each attempt. */
const between = (script: Script) => async () => {
  const pair = String(++pairs).padStart(3, "0");
  const caller = await world.phone(`+37061001${pair}`, "m3");
  const desk = await world.phone(`+37061002${pair}`, "m3");
  try {
    await script({ caller, desk });
  } finally {
    await Promise.all([...caller.calls, ...desk.calls].map((call) => call.hangUp()));
  }
};

/** Two tests at once, plus one that only waits. More would be late on a busy machine. */
const turn = atMost(2);
const beside = (name: string, script: Script) =>
  test.concurrent(name, () => turn(between(script)), spoken(300_000));
const waiting = (name: string, script: Script) =>
  test.concurrent(name, between(script), spoken(90_000));

/** Not concurrent: pure tones break if this thread is late. */
const alone = (name: string, script: Script) => test(name, between(script), spoken(60_000));

async function liveUuid({ number }: Phone): Promise<string> {
  const { body } = await world.api("GET", "/calls?limit=50");
  return body.calls.find(({ from_number }) => from_number === number)?.call_uuid ?? "";
}

/** The number of our ports with audio. */
async function portsOf(uuid: string): Promise<number> {
  const { callRecords } = world.app.services;
  const call = await callRecords.get(world.tenantId, uuid);
  const headers = await callRecords.packetHeaders(call);
  const packets = headers ? packetsOf(headers) : [];
  const sound = packets.filter(({ direction, length }) => direction === "in" && length === 172);
  return new Set(sound.map(({ path }) => path.localPort)).size;
}

const transfer = (uuid: string, body: object) => world.api("POST", `/calls/${uuid}/transfer`, body);

/** The desk's call, after the desk has answered. */
async function atDesk({ desk }: People): Promise<PhoneCall> {
  const active = () => desk.calls.filter((call) => call.state === "active").at(-1);
  await eventually(() => active() !== undefined, "the desk has answered");
  const call = active();
  if (!call) throw new Error("the desk's call is over");
  return call;
}

/** Resolves when the agent has greeted the caller. */
async function talkingToAgent({ caller }: People) {
  const call = await caller.call(OWN_NUMBER);
  await call.answered;
  await call.waitForReply();
  return { call, uuid: await liveUuid(caller) };
}

beside(
  "a person who is to be briefed on the call so far hears its summary, as it stands in the record",
  async (people) => {
    const { call, uuid } = await talkingToAgent(people);
    await call.play(question);
    await call.waitForReply({ quietMs: 1_500 });
    people.desk.onCall((incoming) => incoming.answer());
    const asked = await transfer(uuid, { to: people.desk.number, briefing: true });
    expect(asked.status).toBe(200);
    const person = await atDesk(people);
    await person.waitForSpeech();
    await world.callWhen(uuid, ({ transfers }) => transfers.length > 0, 45_000);
    const recording = person.received();
    await call.hangUp();
    const { summary, turns } = await world.callWhen(uuid, ended);
    expect(turns.some(({ text }) => text.includes("from nine to five"))).toBe(true);
    const [first = ""] = (summary ?? "").split(/(?<=[.!?])\s/);
    expect(first.length).toBeGreaterThan(20);
    const sentence = await voices.speak("Sari", first);
    const match = await findSentenceGently({ sentence, decoys, recording }, systemClock);
    console.info(`briefed with "${first}": ${JSON.stringify(match)}`);
    expect(match.isFound).toBe(true);
  },
);

beside(
  "a carrier that accepts the REFER late calls the person alone: our own leg ends",
  async (people) => {
    const { call, uuid } = await talkingToAgent(people);
    call.onRefer = () => Bun.sleep(10_000).then(() => 202);
    let rings = 0;
    people.desk.onCall((incoming) => {
      rings++;
      incoming.ring();
    });
    await transfer(uuid, { to: people.desk.number });
    const ringing = () => people.desk.calls.some(({ state }) => state !== "ended");
    await eventually(ringing, "we dial the person after 8 s of silence", 12_000);
    await eventually(() => !ringing(), "our leg ends when the carrier accepts", 12_000);
    expect([rings, call.state]).toEqual([1, "active"]);
    await call.hangUp();
    const detail = await world.callWhen(uuid, ended);
    expect(detail).toMatchObject({ status: "completed", ended_reason: "caller_hangup" });
  },
);

waiting(
  "a carrier that accepts the REFER and says nothing for 40 s: the caller is back, and nobody is dialled twice",
  async (people) => {
    const { call, uuid } = await talkingToAgent(people);
    call.onRefer = () => 202;
    let rings = 0;
    people.desk.onCall((incoming) => {
      rings++;
      incoming.ring();
    });
    await transfer(uuid, { to: people.desk.number });
    const isBack = (view: CallView) => view.transfers.length > 0;
    const detail = await world.callWhen(uuid, isBack, 60_000);
    expect(detail.transfers).toMatchObject([
      { to: people.desk.number, method: "refer", outcome: "no_answer" },
    ]);
    await Bun.sleep(1_000);
    expect([rings, call.state]).toEqual([0, "active"]);
    await call.hangUp();
  },
);

beside("the caller who hangs up on a bridged call ends the person's leg too", async (people) => {
  const { call, uuid } = await talkingToAgent(people);
  people.desk.onCall((incoming) => incoming.answer());
  await transfer(uuid, { to: people.desk.number });
  const person = await atDesk(people);
  await Bun.sleep(300);
  await call.hangUp();
  await person.ended;
  const detail = await world.callWhen(uuid, ended);
  expect(detail).toMatchObject({ status: "completed", ended_reason: "transferred" });
});

for (const [code, outcome] of [
  [486, "busy"],
  [603, "declined"],
  [480, "no_answer"],
] as const)
  beside(
    `a person who answers ${code} brings the caller back to the agent, who says so and goes on`,
    async (people) => {
      const { call, uuid } = await talkingToAgent(people);
      people.desk.onCall((incoming) => incoming.reject(code));
      await transfer(uuid, { to: people.desk.number });
      await call.waitForReply({ quietMs: 2_500 });
      await call.play(question);
      await call.waitForReply();
      await call.hangUp();
      const detail = await world.callWhen(uuid, ended);
      expect(detail).toMatchObject({
        status: "completed",
        ended_reason: "caller_hangup",
        transfers: [{ to: people.desk.number, outcome, sip_code: code }],
      });
      expect(detail.transcript).toMatch(/How else can I help you\?/);
      expect(detail.transcript).toContain("We are open Monday to Friday from nine to five.");
    },
  );

beside("a number that the carrier does not know brings the caller back too", async (people) => {
  const { call, uuid } = await talkingToAgent(people);
  await transfer(uuid, { to: NOBODY });
  await call.waitForReply({ quietMs: 1_500 });
  await call.hangUp();
  const detail = await world.callWhen(uuid, ended);
  expect(detail.transcript).toContain("I could not connect you");
  expect(detail.ended_reason).toBe("caller_hangup");
});

beside(
  "a target that the dialling rules forbid is refused, and the call goes on",
  async (people) => {
    const { call, uuid } = await talkingToAgent(people);
    const premium = await transfer(uuid, { to: "+37090012345" });
    expect(premium.body.error).toBe("destination_not_allowed");
    const abroad = await transfer(uuid, { to: "sip:+18005551234@example.com" });
    expect(abroad.body.error).toBe("destination_not_allowed");
    const inside = await transfer(uuid, { to: "sip:desk@10.2.0.1" });
    expect(inside.body.error).toBe("valid_to_required");
    expect(call.state).toBe("active");
    await call.hangUp();
    await world.callWhen(uuid, ended);
  },
);

alone(
  "where the carrier refuses REFER a second leg is dialled, both people hear each other, keys cross, and either hang-up ends both",
  async (people) => {
    const { call, uuid } = await talkingToAgent(people);
    people.desk.onCall(async (incoming) => {
      incoming.ring();
      await incoming.answer();
    });
    const asked = await transfer(uuid, { to: people.desk.number });
    expect(asked).toMatchObject({
      status: 200,
      body: { ok: true, call_uuid: uuid, status: "transferring", to: people.desk.number },
    });
    const person = await atDesk(people);
    await Bun.sleep(500);
    await Promise.all([call.play(tone(CALLER_HZ, 1_500)), person.play(tone(DESK_HZ, 1_500))]);
    await Bun.sleep(400);
    expect(toneShare(person.received(), CALLER_HZ)).toBeGreaterThan(0.9);
    expect(toneShare(call.received(), DESK_HZ)).toBeGreaterThan(0.9);
    await call.press("42");
    await eventually(() => person.digitsReceived === "42", "the caller's keys reach the desk");
    await person.press("7");
    await eventually(() => call.digitsReceived === "7", "the desk's key reaches the caller");
    const { body } = await transfer(uuid, { to: people.desk.number });
    expect(body.error).toBe("conflict");

    await person.hangUp();
    await call.ended;
    const detail = await world.callWhen(uuid, ended);
    expect(detail).toMatchObject({
      status: "completed",
      ended_reason: "transferred",
      transfers: [{ to: people.desk.number, method: "bridge", outcome: "transferred" }],
    });
    expect(detail.billing.billable_seconds).toBe(Math.max(15, detail.billable_seconds));
    const talkSec =
      (Date.parse(detail.ended_at ?? "") - Date.parse(detail.answered_at ?? "")) / 1_000;
    expect(Math.abs(detail.billable_seconds - Math.max(15, talkSec))).toBeLessThanOrEqual(2);
    expect(await portsOf(uuid)).toBe(2);
  },
);

alone(
  "with a briefing the person hears it before the caller, and the caller hears a ringing tone meanwhile",
  async (people) => {
    const { call, uuid } = await talkingToAgent(people);
    people.desk.onCall((incoming) => incoming.answer());
    const briefing = "A patient wants to move an appointment.";
    const greeted = call.received().length;
    const asked = await transfer(uuid, { to: people.desk.number, briefing });
    expect(asked.status).toBe(200);
    const person = await atDesk(people);
    await person.waitForSpeech();
    await world.callWhen(uuid, ({ transfers }) => transfers.length > 0, 45_000);
    expect(toneShare(call.received().subarray(greeted), 425)).toBeGreaterThan(0.5);
    const briefed = person.received().length;
    await call.play(tone(CALLER_HZ, 1_200));
    await Bun.sleep(300);
    expect(toneShare(person.received().subarray(briefed), CALLER_HZ)).toBeGreaterThan(0.9);
    await call.hangUp();
    const detail = await world.callWhen(uuid, ended);
    expect(detail).toMatchObject({ ended_reason: "transferred" });
  },
);

alone(
  "legs with different codecs are joined, a held leg comes back, and the recording has both people",
  async (people) => {
    const number = "+37061000013";
    const account = { username: number, password: number };
    world.carrier.addSubscriber({ ...account, numbers: [number] });
    const other = await createPhone({
      number,
      account,
      domain: "carrier.test",
      host: "127.0.31.1",
      proxy: world.carrier.address,
      codecs: ["PCMU"],
    });
    await other.register();
    try {
      const { call, uuid } = await talkingToAgent(people);
      other.onCall((incoming) => incoming.answer());
      await transfer(uuid, { to: number });
      const active = () => other.calls.find(({ state }) => state === "active");
      await eventually(() => active() !== undefined, "the other has answered");
      const person = active();
      if (!person) throw new Error("no call at the other");
      await Bun.sleep(400);
      await person.hold();
      await Bun.sleep(600);
      await person.resume();
      await Promise.all([call.play(tone(CALLER_HZ, 1_500)), person.play(tone(DESK_HZ, 1_500))]);
      await Bun.sleep(400);
      expect(toneShare(person.received(), CALLER_HZ)).toBeGreaterThan(0.9);
      expect(toneShare(call.received(), DESK_HZ)).toBeGreaterThan(0.9);
      await call.hangUp();
      await person.ended;
      const done = (view: CallView) => view.recording_status === "emailed_deleted";
      await world.callWhen(uuid, done, 30_000);
      const file = world.mails().find((name) => name.includes(uuid)) ?? "";
      const mail = await readMail(readFileSync(join(world.dataDir, "outbox", file), "utf8"));
      const { left, right } = await decodeMp3(mail.attachment?.content ?? Buffer.alloc(0));
      expect(toneShare(left, CALLER_HZ)).toBeGreaterThan(0.9);
      expect(toneShare(right, DESK_HZ)).toBeGreaterThan(0.9);
    } finally {
      await other.close();
    }
  },
);
