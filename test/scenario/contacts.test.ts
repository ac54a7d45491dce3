/**
 * Effects of contacts on a real call: greeting by name, memory of earlier calls, the CRM while it rings and after,
 * birthday calls and "don't call me" by key 9. The agent's words are read from the transcript.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { callerStore } from "../../src/features/contact/caller-store.ts";
import { contactStore } from "../../src/features/contact/contact-store.ts";
import { callMemories, crmPosts, tenants } from "../../src/store/schema/index.ts";
import { type Appliance, OWN_NUMBER, startAppliance } from "../support/appliance/appliance.ts";
import { callableZone } from "../support/callable-zone.ts";
import { eventually } from "../support/eventually.ts";
import type { IncomingCall } from "../support/media/phone/incoming-call.ts";
import { tempDir } from "../support/temp-dir.ts";

const HOST = "127.0.8.91";
/** Nobody is called on a Sunday: a zone in which it is another day. */
const ZONE = callableZone();
const KNOWN = "+37061000101";
const SHARED = "+37061000102";
const STRANGER = "+37061000103";

interface CrmRequest {
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

let world: Appliance;
let crm: Bun.Server<undefined>;
const crmRequests: CrmRequest[] = [];
let crmDelayMs = 0;

beforeAll(async () => {
  crm = Bun.serve({
    hostname: HOST,
    port: 0,
    async fetch(request) {
      const body = (await request.json()) as Record<string, unknown>;
      crmRequests.push({ body, headers: request.headers });
      if (crmDelayMs > 0) await Bun.sleep(crmDelayMs);
      return Response.json({ person: { full_name: "Jonas P." }, notes: "Prefers mornings" });
    },
  });
  world = await startAppliance({
    dataDir: tempDir(),
    host: HOST,
    agent: { firstMessage: "Laba diena, čia odontologijos klinika.", language: "lt" },
    settings: (settings) => ({
      ...settings,
      httpClient: { ...settings.httpClient, allowNetworks: ["127.0.0.0/8"] },
    }),
  });
  await world.app.database.tx(async (queries) => {
    await queries.update(tenants).set({
      namedGreeting: true,
      callbackMemory: true,
      cliIdentity: true,
      crmBridge: true,
      birthdayCalls: true,
      timeZone: ZONE,
    });
    const store = contactStore(queries);
    const person = { vocative: null, birthday: null, language: null, notes: "", pinHash: null };
    const more = { consent: true, doNotCall: false, createdAt: 1, updatedAt: 1 };
    const add = (numberE164: string, firstName: string, lastName: string) =>
      store.insert(world.tenantId, { numberE164, firstName, lastName, ...person, ...more });
    await add(KNOWN, "Jonas", "Petraitis");
    await add(SHARED, "Ona", "Kazlauskienė");
    await add(SHARED, "Petras", "Kazlauskas");
    await callerStore(queries).putFeatureSettings(
      world.tenantId,
      {
        crmUrl: `http://${HOST}:${crm.port}/crm`,
        crmMapping: { name: "person.full_name", summary: "activity.text" },
        callingFrom: 0,
        callingTo: 1440,
        birthdayAgentId: world.agentId,
      },
      1,
    );
  });
}, 60_000);

afterAll(async () => {
  await world.close();
  await crm.stop(true);
});

/** Calls, hears the greeting out, hangs up; the agent's first words after the disclosure. */
async function firstWords(number: string): Promise<string> {
  const caller = await world.phone(number);
  const call = await caller.call(OWN_NUMBER);
  await call.answered;
  let words = "";
  await eventually(async () => {
    const { body } = await world.api("GET", "/calls?limit=1");
    const uuid = body.calls[0]?.call_uuid ?? "";
    const { turns } = (await world.api("GET", `/calls/${uuid}`)).body.call;
    words = turns.find(({ speaker }) => speaker === "agent")?.text ?? "";
    return words.includes("klinika");
  }, "the greeting");
  call.hangUp();
  return words;
}

test("a known caller is greeted by name in the vocative; shared and unknown numbers neutrally", async () => {
  expect(await firstWords(KNOWN)).toContain(
    "Laba diena, Jonai Petraiti. Čia odontologijos klinika.",
  );
  expect(await firstWords(SHARED)).not.toMatch(/Ona|Petr/);
  expect(await firstWords(STRANGER)).toContain("Laba diena, čia odontologijos klinika.");
}, 90_000);

test("the CRM gets a look-up while it rings and one message after the call, under its own names", async () => {
  const asked = crmRequests.find(({ body }) => body.type === "lookup" && body.number === KNOWN);
  expect(asked?.body).toMatchObject({ type: "lookup", direction: "inbound", number: KNOWN });
  const told = () =>
    crmRequests.filter(({ body }) => body.type === "call_outcome" && body.number === KNOWN);
  await eventually(async () => told().length > 0, "the outcome");
  const [first] = told();
  expect(first?.body).toMatchObject({ ended_reason: "caller_hangup", direction: "inbound" });
  expect(first?.body.activity).toHaveProperty("text");
  expect(first?.headers.get("idempotency-key")).toBe(String(first?.body.call_id));
  await eventually(async () => {
    const rows = await world.app.database.read.select().from(crmPosts);
    return rows.length > 0 && rows.every(({ status }) => status === "delivered");
  }, "every message delivered");
}, 60_000);

test("a hanging CRM delays no call", async () => {
  crmDelayMs = 5_000;
  const started = performance.now();
  const caller = await world.phone(STRANGER);
  const call = await caller.call(OWN_NUMBER);
  await call.answered;
  expect(performance.now() - started).toBeLessThan(4_500);
  call.hangUp();
  crmDelayMs = 0;
}, 60_000);

test("an unanswered outbound call is remembered with its reason, and only as long", async () => {
  const { body } = await world.api("POST", "/calls", {
    to_number: "+37061000199",
    agent_id: world.agentId,
  });
  await world.callWhen(body.call_uuid, ({ ended_at }) => ended_at !== null, 60_000);
  const rows = await world.app.database.read.select().from(callMemories);
  const [memory] = rows.filter(({ callUuid }) => callUuid === body.call_uuid);
  expect(memory).toMatchObject({ numberE164: "+37061000199", reason: "" });
  expect(memory?.outcome).not.toBe("");
}, 90_000);

test("a campaign calls its list, and key 9 opts out", async () => {
  const number = "+37061000155";
  const phone = await world.phone(number);
  const answeredCalls: IncomingCall[] = [];
  phone.onCall((call) => {
    answeredCalls.push(call);
    void call.answer();
  });
  await world.app.database.tx((queries) =>
    contactStore(queries).insert(world.tenantId, {
      numberE164: number,
      firstName: "Rūta",
      lastName: "",
      vocative: null,
      birthday: null,
      language: null,
      notes: "",
      consent: true,
      doNotCall: false,
      pinHash: null,
      createdAt: 1,
      updatedAt: 1,
    }),
  );
  const stored = async () =>
    (await contactStore(world.app.database.read).byNumber(world.tenantId, number, 1))[0];
  await world.api("PATCH", `/agents/${world.agentId}`, {
    first_message: "Laba diena. Jei nenorite, kad jums skambintume, spauskite 9.",
  });
  const made = await world.api("POST", "/campaigns", {
    name: "Check-ups",
    agent_id: world.agentId,
    csv: `number,time\n${number},ten\n`,
    calling_from: "00:00",
    calling_to: "23:59",
  });
  expect(made.status).toBe(200);
  const { campaign } = made.body as unknown as { campaign: { id: number } };
  await world.api("POST", `/campaigns/${campaign.id}/action`, { action: "start" });
  await eventually(async () => answeredCalls.length === 1, "the campaign's call", 30_000);
  const [call] = answeredCalls;
  await call?.answered;
  await call?.waitForSpeech();
  await call?.press("9");
  await eventually(async () => (await stored())?.doNotCall === true, "the refusal in the contact");
  await call?.ended;
  await eventually(
    async () => {
      const { body } = await world.api("GET", `/campaigns/${campaign.id}`);
      return (body as unknown as { campaign: { status: string } }).campaign.status === "finished";
    },
    "the campaign's end",
    60_000,
  );
}, 120_000);
