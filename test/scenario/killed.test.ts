/**
 * Kill −9 at each step of a call's life, on the real program: at the next start the call is ended, billed,
 * reported once and mailed, its ports are free and its trunk registered. Takes two minutes.
 */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Killable, killable, OWN_NUMBER, SIP_PORT } from "../support/appliance/killable.ts";
import type { IncomingCall } from "../support/media/phone/incoming-call.ts";
import { rawCall } from "../support/sip/raw-call.ts";
import { startSipPeer } from "../support/sip/sip-peer.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(120_000);

const HOST = "127.0.8.90";
let world: Killable;
let numbers = 0;

beforeAll(async () => {
  world = await killable({ dir: tempDir(), host: HOST, rtpPorts: "23000-23199" });
});
afterAll(() => world.close());
afterEach(() => {
  world.smtp.beforeAccept = null;
  world.smtp.afterAccept = null;
  world.trunk.onInvite = null;
});

const nextNumber = () => `+370610${String(10_000 + numbers++)}`;
interface Call {
  readonly call_uuid: string;
  readonly status: string;
  readonly ended_reason: string | null;
  readonly answered_at: number | null;
  readonly billable_seconds: number;
  readonly recording_status: string;
}
const callOf = (number: string): Call | undefined =>
  world.rows<Call>(
    `SELECT * FROM calls WHERE to_number = '${number}' OR from_number = '${number}' ORDER BY id DESC LIMIT 1`,
  )[0];

/** Checks as often as possible: the moment is a few milliseconds long. */
async function when(what: string, edge: () => boolean): Promise<void> {
  const until = performance.now() + 30_000;
  while (!edge()) {
    if (performance.now() > until) throw new Error(`never: ${what}`);
    await Bun.sleep(1);
  }
}

/** Kills the program, starts it again and waits for the recovery. */
async function dieAndRecover(number: string): Promise<Call> {
  await world.kill();
  const { registeredMs } = await world.start();
  expect(registeredMs).toBeLessThan(10_000);
  expect(await world.violations()).toEqual([]);
  const call = callOf(number);
  if (!call) throw new Error("the call is gone");
  return call;
}

/** An answered inbound call in conversation. */
async function talking() {
  const phone = await world.phone(nextNumber());
  const call = await phone.call(OWN_NUMBER);
  await call.answered;
  return { number: phone.number, call };
}

/** A called person, whose behaviour the test sets. */
async function callee(onCall: (call: IncomingCall) => void): Promise<string> {
  const phone = await world.phone(nextNumber());
  phone.onCall((call) => {
    call.answered.catch(() => undefined);
    call.rang.catch(() => undefined);
    onCall(call);
  });
  return phone.number;
}

const dial = (number: string, schedule_at?: string) =>
  world.api("POST", "/calls", { to_number: number, agent_id: world.agentId, schedule_at });

test("queued: the call is dialled once, at the next start", async () => {
  let rang = 0;
  const number = await callee((call) => {
    rang++;
    call.reject(486);
  });
  const { status } = await dial(number, new Date(Date.now() + 2_000).toISOString());
  expect(status).toBe(200);
  const call = await dieAndRecover(number);
  expect(call).toMatchObject({ status: "busy", ended_reason: "busy" });
  expect(rang).toBe(1);
});

test("requested and killed at once: the call is dialled at most once", async () => {
  const number = await callee((call) => call.reject(486));
  await dial(number);
  const call = await dieAndRecover(number);
  expect(["busy", "interrupted"]).toContain(call.ended_reason ?? "");
});

test("dialing: interrupted, never dialled again", async () => {
  const number = await callee(() => undefined);
  await dial(number);
  await when("it is dialing", () => callOf(number)?.status === "dialing");
  const call = await dieAndRecover(number);
  expect(call).toMatchObject({
    status: "failed",
    ended_reason: "interrupted",
    billable_seconds: 0,
  });
});

test("at the INVITE: `dialing` is already stored, with its schedule fired; never dialled again", async () => {
  const number = await callee((call) => call.reject(486));
  const sent = Promise.withResolvers<void>();
  let stored: unknown[] = [];
  world.trunk.onInvite = (called) => {
    if (called !== number || stored.length > 0) return;
    stored = world.rows(`SELECT c.status AS call, s.status AS schedule FROM calls c
      JOIN schedules s ON s.call_uuid = c.call_uuid WHERE c.to_number = '${number}'`);
    void world.kill();
    sent.resolve();
  };
  await dial(number);
  await sent.promise;
  expect(stored).toEqual([{ call: "dialing", schedule: "fired" }]);
  const call = await dieAndRecover(number);
  expect(call).toMatchObject({ status: "failed", ended_reason: "interrupted" });
  expect(world.trunk.invites.get(number)?.size).toBe(1);
});

test("ringing: interrupted, never dialled again", async () => {
  const number = await callee((call) => call.ring());
  await dial(number);
  await when("it rings", () => callOf(number)?.status === "ringing");
  const call = await dieAndRecover(number);
  expect(call).toMatchObject({
    status: "failed",
    ended_reason: "interrupted",
    billable_seconds: 0,
  });
});

test("answered, whether already stored or not: interrupted, billed for the certain seconds", async () => {
  const { number, call: leg } = await talking();
  const call = await dieAndRecover(number);
  expect(call).toMatchObject({ status: "failed", ended_reason: "interrupted" });
  expect(call.billable_seconds).toBe(call.answered_at === null ? 0 : 15);
  await leg.hangUp();
});

test("answered, and never acknowledged: interrupted, and nothing is billed, kept or mailed", async () => {
  const peer = await startSipPeer({ host: HOST });
  const call = rawCall(peer, { host: HOST, port: SIP_PORT }, OWN_NUMBER);
  await call.answer(call.invite());
  await Bun.sleep(1_500);
  const mails = world.smtp.mails.length;
  const left = await dieAndRecover("+37069999999");
  peer.close();
  expect(left).toMatchObject({
    status: "failed",
    ended_reason: "interrupted",
    answered_at: null,
    billable_seconds: 0,
    recording_status: "none",
  });
  expect(world.smtp.mails).toHaveLength(mails);
});

test("in progress: interrupted, billed, its recording repaired and mailed", async () => {
  const { number, call: leg } = await talking();
  await when("it is in progress", () => callOf(number)?.status === "in_progress");
  await Bun.sleep(1_500);
  const mails = world.smtp.mails.length;
  const call = await dieAndRecover(number);
  expect(call).toMatchObject({ ended_reason: "interrupted", billable_seconds: 15 });
  expect(call.recording_status).toBe("emailed_deleted");
  expect(world.smtp.mails[mails]?.data).toContain("audio/mpeg");
  await leg.hangUp();
});

test("ending: the far end has hung up, the end is stored or recovered", async () => {
  const { number, call: leg } = await talking();
  await when("it is in progress", () => callOf(number)?.status === "in_progress");
  await Bun.sleep(500);
  void leg.hangUp();
  await Bun.sleep(2);
  const call = await dieAndRecover(number);
  expect(["caller_hangup", "interrupted"]).toContain(call.ended_reason ?? "");
  expect(call.billable_seconds).toBe(15);
});

test("suspended for longer than the RTP time-out: the call continues", async () => {
  const { number, call: leg } = await talking();
  await world.freeze(7_000);
  await Bun.sleep(1_500);
  expect([leg.state, callOf(number)?.status]).toEqual(["active", "in_progress"]);
  await leg.hangUp();
  await when("it ends", () => callOf(number)?.status === "completed");
  expect(callOf(number)?.ended_reason).toBe("caller_hangup");
});

test("suspended repeatedly: the call continues, and /readyz reports too little processor time", async () => {
  const { call: leg } = await talking();
  for (let stop = 0; stop < 25; stop++) {
    await world.freeze(150);
    await Bun.sleep(50);
  }
  const ready = await fetch(`http://${HOST}:8480/readyz`);
  expect([ready.status, await ready.text()]).toEqual([
    200,
    expect.stringContaining("audio stopped"),
  ]);
  expect(leg.state).toBe("active");
  await leg.hangUp();
});

test("charged, before the recording is handled: charged once, mailed", async () => {
  const { number, call: leg } = await talking();
  await Bun.sleep(1_000);
  void leg.hangUp();
  await when("it is charged", () => (callOf(number)?.billable_seconds ?? 0) > 0);
  const call = await dieAndRecover(number);
  expect(call).toMatchObject({ status: "completed", recording_status: "emailed_deleted" });
});

test("during the MP3 encoding: encoded again, mailed", async () => {
  // A mailed recording would be deleted before a busy machine has checked it.
  const dead = Promise.withResolvers<void>();
  world.smtp.beforeAccept = () => dead.promise;
  const { number, call: leg } = await talking();
  await Bun.sleep(3_000);
  void leg.hangUp();
  const recordings = join(world.dir, "data/recordings");
  await when("an MP3 begins", () => readdirSync(recordings).some((name) => name.includes(".mp3")));
  await world.kill();
  world.smtp.beforeAccept = null;
  dead.resolve();
  const call = await dieAndRecover(number);
  expect(call).toMatchObject({ status: "completed", recording_status: "emailed_deleted" });
});

test("the mail is sent but not accepted: the recording is kept, and mailed at the next start", async () => {
  const handed = Promise.withResolvers<void>();
  const dead = Promise.withResolvers<void>();
  world.smtp.beforeAccept = () => {
    handed.resolve();
    return dead.promise;
  };
  const { number, call: leg } = await talking();
  await Bun.sleep(1_000);
  await leg.hangUp();
  await handed.promise;
  const recordings = join(world.dir, "data/recordings");
  expect(readdirSync(recordings)).toHaveLength(1);
  await world.kill();
  expect(readdirSync(recordings)).toHaveLength(1);
  world.smtp.beforeAccept = null;
  dead.resolve();
  const call = await dieAndRecover(number);
  expect(call.recording_status).toBe("emailed_deleted");
});

test("the mail is accepted, the recording not yet deleted: deleted at the next start, mailed at most once more with the same Message-ID", async () => {
  const accepted = Promise.withResolvers<void>();
  world.smtp.afterAccept = () => {
    void world.kill();
    accepted.resolve();
  };
  const { number, call: leg } = await talking();
  await Bun.sleep(1_000);
  await leg.hangUp();
  await accepted.promise;
  world.smtp.afterAccept = null;
  await world.kill();
  const call = await dieAndRecover(number);
  expect(call.recording_status).toBe("emailed_deleted");
});
