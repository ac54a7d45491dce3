/** Whole calls through the composed appliance: carrier, SIP, audio, store, money, mail, API. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { callStore } from "../../src/call/store/call-store.ts";
import { ANSWERED_TIME_TOLERANCE_MS } from "../../src/features/billing/answered-time-check.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import {
  type Appliance,
  type CallView,
  OWN_NUMBER,
  startAppliance,
} from "../support/appliance/appliance.ts";
import { eventually } from "../support/eventually.ts";
import type { Phone } from "../support/media/phone/phone.ts";
import { CallNotAnswered } from "../support/media/phone/phone-call.ts";
import { spoken } from "../support/speech/spoken.ts";
import { tempDir } from "../support/temp-dir.ts";

const CALLER = "+37061000001";
const CALLEE = "+37061000002";
const SECOND_NUMBER = "+37052000888";

let world: Appliance;
let caller: Phone;
let callee: Phone;

beforeAll(async () => {
  world = await startAppliance({ dataDir: tempDir(), host: "127.0.8.1" });
  caller = await world.phone(CALLER, "m3");
  callee = await world.phone(CALLEE, "m3");
}, 60_000);

afterAll(() => world.close());

const ended = (call: CallView) => call.ended_at !== null;
const mailed = (call: CallView) => call.recording_status === "emailed_deleted";

async function newestCall(): Promise<CallView> {
  const { body } = await world.api("GET", "/calls?limit=1");
  const [newest] = body.calls;
  if (!newest) throw new Error("there is no call");
  return newest;
}

test(
  "an inbound call is answered, understood, billed, mailed, and its recording deleted",
  async () => {
    const call = await caller.call(OWN_NUMBER);
    await call.answered;
    await call.waitForReply();
    await call.say("What are your opening hours?");
    await call.waitForReply();
    await call.hangUp();

    const { call_uuid } = await newestCall();
    const detail = await world.callWhen(call_uuid, mailed, 30_000);
    expect(detail).toMatchObject({
      direction: "inbound",
      from_number: CALLER,
      to_number: OWN_NUMBER,
      status: "completed",
      ended_reason: "caller_hangup",
      agent_id: world.agentId,
    });
    expect(detail.transcript).toContain("Agent: Good afternoon, this is the dental clinic.");
    expect(detail.transcript).toMatch(/^Customer: .*opening/m);
    expect(detail.transcript).toContain("We are open Monday to Friday from nine to five.");
    expect(detail.summary?.length).toBeGreaterThan(10);
    expect(detail.billing.billable_seconds).toBe(Math.max(15, detail.billable_seconds));
    expect(detail.billing.included_seconds).toBe(detail.billable_seconds);
    expect(detail.cost_eur).toBe(0);
    const row = await callStore(world.app.database.read).find(world.tenantId, call_uuid);
    expect(row?.answeredClockMs).toBeGreaterThan(0);
    expect(row?.answeredEngineMs).toBeGreaterThan(0);
    expect(row?.answeredDifferenceMs).toBeLessThanOrEqual(ANSWERED_TIME_TOLERANCE_MS);
    expect(Math.abs((row?.answeredRtpMs ?? 0) - (row?.answeredClockMs ?? 0))).toBeLessThan(
      ANSWERED_TIME_TOLERANCE_MS,
    );
    expect(readdirSync(join(world.dataDir, "recordings"))).toEqual([]);

    const name = world.mails().find((mail) => mail.includes(call_uuid));
    const mail = readFileSync(join(world.dataDir, "outbox", name ?? ""), "utf8");
    expect(mail).toContain("To: owner@example.com");
    expect(mail).toContain("audio/mpeg");
  },
  spoken(90_000),
);

test(
  "an outbound call requested over the API is dialled from its given number, spoken and ended by the API",
  async () => {
    const shown = new Promise<string | null>((resolve) => {
      callee.onCall(async (incoming) => {
        await incoming.answer();
        resolve(incoming.callerNumber);
      });
    });
    // Has an address for transcripts, but sending them is switched off.
    const { body: made } = await world.api("POST", "/agents", {
      name: "Quiet",
      prompt: "You answer the phone.",
      transcript_email: "owner@example.com",
      transcript_email_enabled: false,
    });
    await world.api("POST", "/phone-numbers", { number_e164: SECOND_NUMBER, label: "Second" });
    const { status, body } = await world.api("POST", "/calls", {
      to_number: CALLEE,
      agent_id: made.agent.id,
      from_number: SECOND_NUMBER,
    });
    expect({ status, body }).toMatchObject({ status: 200, body: { status: "queued_immediate" } });
    expect(await shown).toBe(SECOND_NUMBER);
    const talking = await world.callWhen(body.call_uuid, (call) => call.status === "in_progress");
    expect(talking.recording_status).toBe("recording");
    const [live] = callee.calls.slice(-1);
    await live?.waitForSpeech();
    const hangup = await world.api("POST", `/calls/${body.call_uuid}/hangup`);
    expect(hangup.status).toBe(200);
    const detail = await world.callWhen(body.call_uuid, ended);
    expect(detail).toMatchObject({ status: "completed", ended_reason: "operator_hangup" });
    expect(detail.billable_seconds).toBeGreaterThanOrEqual(15);
    // Its recording stays, and no mail is made.
    await world.callWhen(body.call_uuid, (call) => call.recording_status === "ready");
    expect(world.mails().filter((mail) => mail.includes(body.call_uuid))).toEqual([]);
  },
  spoken(60_000),
);

test.each([
  [486, "busy", "busy"],
  [603, "failed", "declined"],
  [480, "no_answer", "no_answer"],
] as const)(
  "a callee that answers %d leaves the call %s with reason %s",
  async (code, status, reason) => {
    callee.onCall((incoming) => incoming.reject(code));
    const { body } = await world.api("POST", "/calls", { to_number: CALLEE });
    const detail = await world.callWhen(body.call_uuid, ended);
    expect(detail).toMatchObject({
      status,
      ended_reason: reason,
      billable_seconds: 0,
      cost_eur: 0,
    });
  },
  60_000,
);

test(
  "a call hung up over the API while it rings is cancelled at the callee",
  async () => {
    const rang = Promise.withResolvers<void>();
    callee.onCall((incoming) => {
      incoming.ring();
      rang.resolve();
    });
    const { body } = await world.api("POST", "/calls", { to_number: CALLEE });
    await rang.promise;
    await world.callWhen(body.call_uuid, (call) => call.status === "ringing");
    await world.api("POST", `/calls/${body.call_uuid}/hangup`);
    const [ringing] = callee.calls.slice(-1);
    expect(await ringing?.ended).toMatchObject({ by: "them", how: "cancelled" });
    expect(await world.callWhen(body.call_uuid, ended)).toMatchObject({
      status: "cancelled",
      ended_reason: "cancelled",
    });
  },
  spoken(60_000),
);

test(
  "a number without an agent is declined with 480, stored and reported",
  async () => {
    const { body } = await world.api("GET", "/phone-numbers");
    const [number] = body.phone_numbers;
    await world.api("PATCH", `/phone-numbers/${number?.id}`, { inbound_enabled: false });
    const call = await caller.call(OWN_NUMBER);
    const refusal = await call.answered.catch((error) => error);
    expect(refusal).toBeInstanceOf(CallNotAnswered);
    expect(refusal.end.sipCode).toBe(480);
    await eventually(async () => (await newestCall()).from_number === CALLER, "the call is stored");
    expect(await newestCall()).toMatchObject({ status: "failed", ended_reason: "declined" });
    await world.api("PATCH", `/phone-numbers/${number?.id}`, { inbound_enabled: true });
  },
  spoken(60_000),
);

test(
  "a caller who hangs up while it rings leaves a cancelled call and no used port",
  async () => {
    const call = await caller.call(OWN_NUMBER);
    await call.hangUp();
    await eventually(async () => (await newestCall()).ended_at !== null, "the call has ended");
    const stored = await newestCall();
    expect(["cancelled", "completed"]).toContain(stored.status);
  },
  spoken(60_000),
);

test(
  "a schedule fires at its time, once, and shows as fired",
  async () => {
    const rings: number[] = [];
    callee.onCall((incoming) => {
      rings.push(performance.now());
      incoming.reject(486);
    });
    const at = new Date(performance.timeOrigin + performance.now() + 2_000);
    const { status, body } = await world.api("POST", "/calls", {
      to_number: CALLEE,
      schedule_at: at.toISOString(),
    });
    expect(status).toBe(200);
    expect(body.status).toBe("scheduled");
    expect(body.scheduled_at).toBe(at.toISOString().slice(0, 19).replace("T", " "));
    const detail = await world.callWhen(body.call_uuid, ended);
    // Nobody answered, and no audio was measured.
    expect(detail).toMatchObject({
      status: "busy",
      answered_by: null,
      summary: null,
      transcript: null,
      sip: { final_code: 486, codec: null, packets_lost: null, jitter_ms: null, mos: null },
    });
    const { body: list } = await world.api("GET", "/schedules");
    const entry = list.schedules.find(({ id }) => id === body.schedule_id);
    expect(entry).toMatchObject({ status: "fired", call_uuid: body.call_uuid });
    expect(rings).toHaveLength(1);
  },
  spoken(60_000),
);

test(
  "a cancelled schedule never rings and its call is cancelled",
  async () => {
    const at = new Date(performance.timeOrigin + performance.now() + 3_600_000);
    const { body } = await world.api("POST", "/calls", {
      to_number: CALLEE,
      schedule_at: at.toISOString(),
    });
    const cancelled = await world.api("DELETE", `/schedules/${body.schedule_id}`);
    expect(cancelled.status).toBe(200);
    expect(await world.callWhen(body.call_uuid, ended)).toMatchObject({ status: "cancelled" });
    expect((await world.api("DELETE", `/schedules/${body.schedule_id}`)).status).toBe(409);
  },
  spoken(60_000),
);

test("if the trunk refuses a transfer, the caller stays with the agent", async () => {
  const call = await caller.call(OWN_NUMBER);
  await call.answered;
  await call.waitForSpeech();
  const { call_uuid } = await newestCall();
  const forbidden = await world.api("POST", `/calls/${call_uuid}/transfer`, { to: "+12125550123" });
  expect(forbidden.status).toBe(403);
  const { status, body } = await world.api("POST", `/calls/${call_uuid}/transfer`, { to: CALLEE });
  expect({ status, body }).toMatchObject({ status: 200, body: { status: "transferring" } });
  await call.waitForReply();
  expect(call.state).toBe("active");
  expect((await newestCall()).status).toBe("in_progress");
  await call.hangUp();
  await world.callWhen(call_uuid, ended);
}, 60_000);

test("a number outside the tenant's dialling rules is refused before anything rings", async () => {
  const { status, body } = await world.api("POST", "/calls", { to_number: "+8816123456789" });
  expect({ status, error: body.error }).toMatchObject({
    status: 403,
    error: "destination_not_allowed",
  });
});

test(
  "stopping the appliance ends live calls politely and leaves a consistent database",
  async () => {
    const dataDir = tempDir();
    const other = await startAppliance({ dataDir, host: "127.0.8.2" });
    const phone = await other.phone(CALLER, "m3");
    const call = await phone.call(OWN_NUMBER);
    await call.answered;
    await call.waitForReply();
    await other.app.stop();
    expect(await call.ended).toMatchObject({ by: "them", how: "bye" });
    await other.close();
    const database = openDatabase(join(dataDir, "linevoice.db"), 0);
    const stored = await callStore(database.read).leftLive();
    await database.close();
    expect(stored).toEqual([]);
  },
  spoken(60_000),
);
