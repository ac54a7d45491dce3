/**
 * A person who calls back gets the reason of our call: the prompt of a real call with a language model's engine. A
 * sensitive reason is for a recognised caller only. Also a birthday call, placed over the trunk and answered.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { wallClock } from "../../src/core/calendar.ts";
import { callerStore } from "../../src/features/contact/caller-store.ts";
import { contactStore } from "../../src/features/contact/contact-store.ts";
import { birthdayCalls, tenants } from "../../src/store/schema/index.ts";
import { OWN_NUMBER } from "../support/appliance/appliance.ts";
import { callableZone } from "../support/callable-zone.ts";
import { openAiChoice } from "../support/engine/engine-session.ts";
import { type EngineWorld, startEngineWorld } from "../support/engine/engine-world.ts";
import { type ChatBody, type OpenAiServer, openAiServer } from "../support/engine/openai-server.ts";
import { eventually } from "../support/eventually.ts";
import type { IncomingCall } from "../support/media/phone/incoming-call.ts";
import type { Phone } from "../support/media/phone/phone.ts";
import { spoken } from "../support/speech/spoken.ts";

const KNOWN = "+37061000161";
const STRANGER = "+37061000162";
const BORN_TODAY = "+37061000163";
const REASON = "the results of the blood test";
/** Nobody is called on a Sunday: a zone in which it is another day. */
const ZONE = callableZone();

let server: OpenAiServer;
let world: EngineWorld;

beforeAll(async () => {
  server = openAiServer("127.0.43.31");
  world = await startEngineWorld({
    host: "127.0.43.39",
    providers: [openAiChoice(server.url, { llmTimeoutMs: 2_000, ttsTimeoutMs: 2_000 })],
  });
  server.script.speech = (text) => world.voices.speak("Emma", text);
  server.script.answer = () => ({ text: "One moment." });
  const { app, tenantId, agentId } = world.appliance;
  const today = wallClock(ZONE, Date.now());
  const two = (value: number) => String(value).padStart(2, "0");
  await app.database.tx(async (queries) => {
    await queries
      .update(tenants)
      .set({ callbackMemory: true, cliIdentity: true, birthdayCalls: true, timeZone: ZONE });
    const person = { vocative: null, language: null, notes: "", pinHash: null, doNotCall: false };
    const add = (numberE164: string, firstName: string, birthday: string | null) =>
      contactStore(queries).insert(tenantId, {
        numberE164,
        firstName,
        lastName: "",
        birthday,
        consent: true,
        ...person,
        createdAt: 1,
        updatedAt: 1,
      });
    await add(KNOWN, "Jonas", null);
    await add(BORN_TODAY, "Ona", `1980-${two(today.month)}-${two(today.day)}`);
    await callerStore(queries).putFeatureSettings(
      tenantId,
      { birthdayAgentId: agentId, callingFrom: 0, callingTo: 1440 },
      1,
    );
  });
}, 60_000);
afterAll(async () => {
  await world.close();
  server.close();
});

/** We call, the line is busy. */
async function missedBy(phone: Phone): Promise<void> {
  phone.onCall((call) => call.reject(486));
  const { body } = await world.appliance.api("POST", "/calls", {
    to_number: phone.number,
    agent_id: world.appliance.agentId,
    reason: REASON,
    sensitive: true,
  });
  const ended = await world.appliance.callWhen(
    body.call_uuid,
    ({ ended_at }) => ended_at !== null,
    30_000,
  );
  expect(ended.ended_reason).toBe("busy");
}

/** The system prompt of the call in which this phone calls back and asks. */
async function promptFor(phone: Phone): Promise<string> {
  server.requests.length = 0;
  server.script.recognises.length = 0;
  server.script.recognises.push("Why did you call me?");
  const call = await phone.call(OWN_NUMBER);
  await call.answered;
  await call.waitForReply({ quietMs: 1_200 });
  await call.say("Why did you call me?");
  // The previous call is still being summarised; a request with "This call" belongs to this one.
  const prompts = () =>
    server
      .seen("llm")
      .map(({ json }) => (json as ChatBody).messages[0]?.content ?? "")
      .filter((content) => content.includes("## This call"));
  await eventually(() => prompts().length > 0, "the model is asked", 20_000);
  call.hangUp();
  return prompts()[0] ?? "";
}

test(
  "a recognised caller's call back has the time and reason of our call; a stranger's does not",
  async () => {
    const known = await world.appliance.phone(KNOWN);
    const stranger = await world.appliance.phone(STRANGER);
    await missedBy(known);
    await missedBy(stranger);
    const told = await promptFor(known);
    expect(told).toMatch(
      /We called this number today at \d\d:\d\d about: the results of the blood test/,
    );
    expect(told).toContain("The line was busy.");
    const silent = await promptFor(stranger);
    expect(silent).toContain("## This call");
    expect(silent).not.toContain(REASON);
  },
  spoken(180_000),
);

test("on the day a birthday call rings the contact, once, and is done after the answer", async () => {
  const phone = await world.appliance.phone(BORN_TODAY);
  const calls: IncomingCall[] = [];
  phone.onCall((call) => {
    calls.push(call);
    void call.answer();
  });
  await world.appliance.app.birthdays.look();
  await eventually(() => calls.length === 1, "the birthday call", 30_000);
  await calls[0]?.answered;
  await Bun.sleep(2_000);
  calls[0]?.hangUp();
  const rows = () => world.appliance.app.database.read.select().from(birthdayCalls);
  await eventually(async () => (await rows())[0]?.state === "done", "its end", 30_000);
  await world.appliance.app.birthdays.look();
  expect(await rows()).toHaveLength(1);
  expect(calls).toHaveLength(1);
}, 120_000);
