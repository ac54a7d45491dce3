/**
 * Kill −9 during the transfer of a caller to a person, on the real program. At every step, the next start ends the
 * call as interrupted, charges and reports it once, and mails both people's words; ports are free and the trunk is
 * registered. One kill for all the steps: about 30 s.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readMail } from "../../src/demo/evidence/mail-file.ts";
import { decodeMp3 } from "../../src/demo/evidence/mp3.ts";
import { type Killable, killable, OWN_NUMBER } from "../support/appliance/killable.ts";
import { eventually } from "../support/eventually.ts";
import type { IncomingCall } from "../support/media/phone/incoming-call.ts";
import type { PhoneCall } from "../support/media/phone/phone-call.ts";
import { tone, toneShare } from "../support/media/phone.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(120_000);

const HOST = "127.0.8.89";
/**
 * A frame of 20 ms has whole periods of both, so that a frame dropped by a busy machine leaves the tone intact.
 */
const CALLER_HZ = 500;
const PERSON_HZ = 1_000;
/** Longer than the unwritten part of a recording. */
const SPOKEN_MS = 2_500;
const FOUND_WITHIN_MS = 30_000;
let world: Killable;
let numbers = 0;

beforeAll(async () => {
  world = await killable({ dir: tempDir(), host: HOST, rtpPorts: "23200-23399" });
});
afterAll(() => world.close());

const nextNumber = () => `+370611${String(10_000 + numbers++)}`;

interface CallRow {
  readonly call_uuid: string;
  readonly status: string;
  readonly ended_reason: string | null;
  readonly billable_seconds: number;
  readonly recording_status: string;
}
const callOf = (number: string): CallRow | undefined =>
  world.rows<CallRow>(
    `SELECT * FROM calls WHERE to_number = '${number}' OR from_number = '${number}'`,
  )[0];

/** A call with the agent, inbound or outbound, and the number of the person in it. */
interface Talk {
  readonly number: string;
  readonly uuid: string;
  readonly call: PhoneCall;
}

async function inProgress(number: string): Promise<string> {
  const row = () => callOf(number);
  await eventually(() => row()?.status === "in_progress", "in progress", FOUND_WITHIN_MS);
  return row()?.call_uuid ?? "";
}

async function inbound(): Promise<Talk> {
  const phone = await world.phone(nextNumber());
  const call = await phone.call(OWN_NUMBER);
  await call.answered;
  return { number: phone.number, call, uuid: await inProgress(phone.number) };
}

async function outbound(): Promise<Talk> {
  const called = Promise.withResolvers<IncomingCall>();
  const number = await person((call) => {
    called.resolve(call);
    call.answer().catch(() => undefined);
  });
  await world.api("POST", "/calls", { to_number: number, agent_id: world.agentId });
  return { number, call: await called.promise, uuid: await inProgress(number) };
}

/** A person with a phone, whose behaviour the test sets. */
async function person(onCall: (call: IncomingCall) => void): Promise<string> {
  const phone = await world.phone(nextNumber());
  phone.onCall((call) => {
    call.answered.catch(() => undefined);
    onCall(call);
  });
  return phone.number;
}

async function transfer({ uuid }: Talk, to: string, briefing?: string): Promise<void> {
  const { status, body } = await world.api("POST", `/calls/${uuid}/transfer`, { to, briefing });
  expect({ status, body }).toMatchObject({ status: 200 });
}

/** This caller's carrier transfers the call itself, or does not answer; resolves at its request. */
async function referred(talk: Talk, answer: 202 | null): Promise<void> {
  const asked = Promise.withResolvers<void>();
  talk.call.onRefer = () => {
    asked.resolve();
    return answer;
  };
  await transfer(talk, nextNumber());
  await asked.promise;
}

/** The second leg has reached the person, whose phone rings. */
async function ringing(talk: Talk, briefing?: string): Promise<IncomingCall> {
  const reached = Promise.withResolvers<IncomingCall>();
  const desk = await person((call) => {
    call.ring();
    reached.resolve(call);
  });
  await transfer(talk, desk, briefing);
  return reached.promise;
}

/** The person hears the agent, the caller still waits. */
async function briefed(talk: Talk): Promise<IncomingCall> {
  const leg = await ringing(talk, "A patient wants to move an appointment to Thursday. ".repeat(8));
  await leg.answer();
  await leg.waitForSpeech();
  return leg;
}

const transfersOf = async ({ uuid }: Talk) =>
  (await world.api("GET", `/calls/${uuid}`)).body.call.transfers;

async function bridged(talk: Talk): Promise<IncomingCall> {
  const leg = await ringing(talk);
  await leg.answer();
  await eventually(async () => (await transfersOf(talk)).length > 0, "bridged", FOUND_WITHIN_MS);
  return leg;
}

/** Both people talk. */
const talkTogether = (talk: Talk, leg: PhoneCall) =>
  Promise.all([talk.call.play(tone(CALLER_HZ, SPOKEN_MS)), leg.play(tone(PERSON_HZ, SPOKEN_MS))]);

async function mailedAudio({ uuid }: Talk) {
  const mails = world.smtp.mails.filter(({ data }) => data.includes(uuid));
  expect(mails).toHaveLength(1);
  const { attachment } = await readMail(mails[0]?.data ?? "");
  return decodeMp3(attachment?.content ?? new Uint8Array());
}

/** Kills and starts the program; the trunk is registered in time. */
async function dieAndStart(): Promise<void> {
  await world.kill();
  const { registeredMs } = await world.start();
  expect(registeredMs).toBeLessThan(10_000);
}

describe("killed while callers are transferred, each at another step", () => {
  const calls = new Map<string, Talk>();
  const together: { talk: Talk; leg: PhoneCall }[] = [];
  let wrong: readonly string[] = [];
  let dialled = 0;

  beforeAll(async () => {
    const call = async (edge: string, begin = inbound) => {
      const talk = await begin();
      calls.set(edge, talk);
      return talk;
    };
    const [asks, accepted, rings, hears, joined, called, answering, ending] = await Promise.all([
      call("REFER sent, not answered"),
      call("REFER accepted, not told how it went"),
      call("the person's leg rings"),
      call("the person hears the briefing"),
      call("bridged"),
      call("bridged, on a call of ours", outbound),
      call("the person answers just then"),
      call("bridged, and the caller hangs up just then"),
    ]);
    await referred(accepted, 202);
    const [late, leg] = await Promise.all([ringing(rings), ringing(answering)]);
    const left = await bridged(ending);
    for (const talk of [joined, called]) together.push({ talk, leg: await bridged(talk) });
    await Promise.all(together.map(({ talk, leg }) => talkTogether(talk, leg)));
    // The shortest steps come last.
    await Promise.all([briefed(hears), referred(asks, null)]);
    leg.answer().catch(() => undefined);
    void ending.call.hangUp();
    await Bun.sleep(2);
    await dieAndStart();
    dialled = world.trunk.invites.size;
    // Other parties have not noticed: one answers, the others hang up.
    late.answer().catch(() => undefined);
    await Promise.all(
      [left, ...[...calls.values()].map(({ call }) => call)].map((leg) => leg.hangUp()),
    );
    wrong = await world.violations();
  });

  test("calls, ledger, events, mails, ports and files are correct", () => {
    expect(wrong).toEqual([]);
  });

  test.each([
    "REFER sent, not answered",
    "REFER accepted, not told how it went",
    "the person's leg rings",
    "the person answers just then",
    "the person hears the briefing",
    "bridged",
    "bridged, on a call of ours",
    "bridged, and the caller hangs up just then",
  ])("%s: interrupted, charged, its recording mailed", async (edge) => {
    const talk = calls.get(edge);
    if (!talk) throw new Error("no such call");
    const call = callOf(talk.number);
    // A hang-up may have been received before the kill.
    const heard = edge.includes("hangs up") && call?.status === "completed";
    expect(call).toMatchObject({
      status: heard ? "completed" : "failed",
      ended_reason: heard ? "transferred" : "interrupted",
      recording_status: "emailed_deleted",
    });
    expect(call?.billable_seconds).toBeGreaterThanOrEqual(15);
    const { durationMs } = await mailedAudio(talk);
    expect(durationMs).toBeGreaterThan(1_000);
  });

  test("a bridged call's mail has both people's words, and its details the transfer", async () => {
    expect(together).toHaveLength(2);
    for (const { talk } of together) {
      const { left, right } = await mailedAudio(talk);
      expect(toneShare(left, CALLER_HZ)).toBeGreaterThan(0.8);
      expect(toneShare(right, PERSON_HZ)).toBeGreaterThan(0.8);
      expect(await transfersOf(talk)).toMatchObject([{ method: "bridge", outcome: "transferred" }]);
    }
  });

  test("nobody is dialled again, and the line takes the next call", async () => {
    expect(world.trunk.invites.size).toBe(dialled);
    const next = await inbound();
    await next.call.hangUp();
    await eventually(() => callOf(next.number)?.status === "completed", "completed");
  });
});
