/** Properties of an agent in a call over RTP: length, first speaker, and version. About 40 s. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { phrasesFor } from "../../src/conversation/speech/phrases.ts";
import { agents } from "../../src/store/schema/index.ts";
import { type Appliance, OWN_NUMBER, startAppliance } from "../support/appliance/appliance.ts";
import { tempDir } from "../support/temp-dir.ts";

const CALLER = "+37061000301";
const DISCLOSURE = "You are speaking with an AI assistant, and this call is recorded.";
/** Above the 15 s that every call costs. */
const MAX_SEC = 17;

let world: Appliance;

beforeAll(async () => {
  world = await startAppliance({
    dataDir: tempDir(),
    host: "127.0.8.97",
    settings: (settings) => ({
      ...settings,
      callWorker: {
        ...settings.callWorker,
        conversation: {
          ...settings.callWorker.conversation,
          disclosure: { ...settings.callWorker.conversation.disclosure, en: DISCLOSURE },
        },
      },
    }),
  });
}, 60_000);
afterAll(() => world.close());

const setAgent = (changes: Partial<typeof agents.$inferInsert>) =>
  world.app.database.tx((queries) => queries.update(agents).set(changes));

async function lastCall() {
  const { body } = await world.api("GET", "/calls?limit=1");
  const uuid = body.calls[0]?.call_uuid ?? "";
  return world.callWhen(uuid, ({ ended_at }) => ended_at !== null, 30_000);
}

test("a call of max_duration_sec ends within it, closing phrase included, and costs no second more", async () => {
  await setAgent({ maxDurationSeconds: MAX_SEC });
  const caller = await world.phone(CALLER);
  const call = await caller.call(OWN_NUMBER);
  await call.answered;
  expect(await call.ended).toMatchObject({ by: "them", how: "bye" });
  const detail = await lastCall();
  expect(detail).toMatchObject({ status: "completed", ended_reason: "max_duration" });
  expect(detail.turns.at(-1)?.text).toBe(phrasesFor("en").maxDuration);
  expect(detail.billing.billable_seconds).toBeGreaterThanOrEqual(15);
  expect(detail.billing.billable_seconds).toBeLessThanOrEqual(MAX_SEC);
}, 60_000);

test("an agent that lets the caller speak first is silent until then, discloses before its answer, and keeps its version", async () => {
  const path = `/agents/${world.agentId}`;
  const began = await world.api("PATCH", path, {
    max_duration_sec: 120,
    first_speaker: "customer",
  });
  const caller = await world.phone(CALLER);
  const call = await caller.call(OWN_NUMBER);
  await call.answered;
  await Bun.sleep(2_000);
  const before = call.received();
  await world.api("PATCH", path, { language: "lt", first_message: "Labas." });
  const { body } = await world.api("GET", "/files");
  const content = "## What are your opening hours?\nWe are closed for ever.\n";
  await world.api("PATCH", `/files/${body.files[0]?.id}`, { content });
  await call.say("What are your opening hours?");
  await call.waitForReply({ quietMs: 1_500 });
  call.hangUp();
  expect(Math.max(...before.map(Math.abs))).toBeLessThan(300);
  const { turns, agent_version: version } = await lastCall();
  expect(turns[0]?.speaker).toBe("customer");
  expect(turns.find(({ speaker }) => speaker === "agent")?.text).toStartWith(DISCLOSURE);
  expect(turns.map(({ text }) => text).join(" ")).not.toMatch(/closed for ever/);
  expect(version).toBe(began.body.agent.version);
  expect((await world.api("GET", path)).body.agent.version).toBe(began.body.agent.version + 2);
}, 90_000);

test("a caller gets the same version of two in both directions, and hears it", async () => {
  const path = `/agents/${world.agentId}`;
  const words = { tried: "Apples and pears.", published: "Bread and butter." };
  const shared = { first_speaker: "assistant", language: "en" };
  const tried = await world.api("PATCH", path, { ...shared, first_message: words.tried });
  const { version } = tried.body.agent;
  await world.api("PATCH", path, { first_message: words.published });
  expect((await world.api("POST", `${path}/split`, { version, percent: 99 })).status).toBe(200);
  const versions: unknown[] = [];
  for (const number of ["+37061000302", "+37061000303", "+37061000304"]) {
    const caller = await world.phone(number);
    const call = await caller.call(OWN_NUMBER);
    await call.answered;
    await call.waitForReply({ quietMs: 1_000 });
    call.hangUp();
    const inbound = await lastCall();
    const isTried = inbound.agent_version === version;
    const said = inbound.turns.map(({ text }) => text).join(" ");
    expect(said).toContain(isTried ? words.tried : words.published);
    caller.onCall((incoming) => void incoming.answer());
    const { body } = await world.api("POST", "/calls", { to_number: number });
    await world.callWhen(body.call_uuid, ({ status }) => status === "in_progress", 30_000);
    await world.api("POST", `/calls/${body.call_uuid}/hangup`);
    const outbound = await world.callWhen(body.call_uuid, ({ ended_at }) => ended_at !== null);
    expect(outbound.agent_version).toBe(inbound.agent_version);
    versions.push(inbound.agent_version);
    if (isTried) break;
  }
  expect(versions).toContain(version);
}, 120_000);
