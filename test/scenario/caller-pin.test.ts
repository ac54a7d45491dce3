/**
 * A tool that needs level 2, over real calls: the agent asks for the PIN in its language, the tool runs for a
 * caller who enters it, and the digits are found nowhere afterwards, neither in the store, nor in events, nor as
 * tones in the recording. About 100 s.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { phrasesFor } from "../../src/conversation/speech/phrases.ts";
import type { AgentLanguage } from "../../src/features/agent/agent.ts";
import { contactStore } from "../../src/features/contact/contact-store.ts";
import { DtmfDetector } from "../../src/media/dtmf/tone-detector.ts";
import { dtmfTones } from "../../src/platform/audio/tones.ts";
import {
  agents,
  auditEntries,
  events,
  pinAttempts,
  tenants,
  tools,
} from "../../src/store/schema/index.ts";
import { openAiChoice } from "../support/engine/engine-session.ts";
import { callAgent, type EngineWorld, startEngineWorld } from "../support/engine/engine-world.ts";
import { type ChatBody, type OpenAiServer, openAiServer } from "../support/engine/openai-server.ts";
import { eventually } from "../support/eventually.ts";
import type { PhoneCall } from "../support/media/phone/phone-call.ts";

const HOST = "127.0.43.21";
const PIN = "83640";
const WISH = "Please move my visit to Friday.";
const RATE_HZ = 8000;

let server: OpenAiServer;
let world: EngineWorld;

beforeAll(async () => {
  server = openAiServer("127.0.43.20");
  world = await startEngineWorld({ host: HOST, providers: [openAiChoice(server.url)] });
  const { app, tenantId } = world.appliance;
  const pinHash = await Bun.password.hash(PIN, {
    algorithm: "argon2id",
    memoryCost: 8192,
    timeCost: 1,
  });
  await app.database.tx(async (queries) => {
    await queries.update(tenants).set({ cliIdentity: true });
    await queries.update(tools).set({ callerLevel: 2 });
    // Recordings are needed here, not mailed away.
    await queries.update(agents).set({ transcriptEmailEnabled: false });
    await contactStore(queries).insert(tenantId, {
      numberE164: world.caller.number,
      firstName: "Jonas",
      lastName: "Petraitis",
      vocative: null,
      birthday: null,
      language: null,
      notes: "",
      consent: false,
      doNotCall: false,
      pinHash,
      createdAt: 1,
      updatedAt: 1,
    });
  });
}, 60_000);

afterAll(async () => {
  await world.close();
  server.close();
});

beforeEach(async () => {
  world.toolRequests.length = 0;
  server.requests.length = 0;
  server.script.recognises.splice(0);
  server.script.speech = (text) => tone(text.length * 25);
  server.script.answer = ({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === "tool") return { text: `It said: ${last.content?.slice(0, 60)}` };
    return { tools: [{ name: "book_visit", arguments: { day: "Friday" } }] };
  };
  await world.appliance.app.database.tx((queries) => queries.delete(pinAttempts));
});

const tone = (ms: number) =>
  Int16Array.from({ length: (RATE_HZ / 1000) * ms }, (_, at) =>
    Math.round(6000 * Math.sin((2 * Math.PI * 300 * at) / RATE_HZ)),
  );

const useLanguage = (language: AgentLanguage) =>
  world.appliance.app.database.tx((queries) => queries.update(agents).set({ language }));

/** Says the request; resolves when the model gets it. */
async function wish(call: PhoneCall): Promise<void> {
  server.script.recognises.push(WISH);
  const asked = server.seen("llm").length;
  await call.say(WISH);
  await eventually(() => server.seen("llm").length > asked, "the model is asked");
}

/** The live transcript of the call in progress. */
const transcript = async () => {
  const { call_uuid } = await world.newestCall();
  const { body } = await world.appliance.api("GET", `/calls/${call_uuid}`);
  return body.call.turns.map(({ text }) => text).join("\n");
};

const toolResults = () =>
  server
    .seen("llm")
    .flatMap(({ json }) => (json as ChatBody).messages)
    .filter(({ role }) => role === "tool")
    .map(({ content }) => content ?? "");

async function ended(call: PhoneCall) {
  await call.hangUp();
  const { call_uuid } = await world.newestCall();
  return await world.appliance.callWhen(
    call_uuid,
    ({ recording_status }) => recording_status === "ready",
    30_000,
  );
}

/** Keys detected as tones on the caller's side of a finished recording. */
function keysIn(callUuid: string): string {
  const directory = join(world.appliance.dataDir, "recordings");
  const file = readdirSync(directory).find((name) => name.includes(callUuid)) ?? "";
  const decoded = Bun.spawnSync([
    ...["ffmpeg", "-v", "error", "-i", join(directory, file), "-af", "pan=mono|c0=c0"],
    ...["-ar", String(RATE_HZ), "-f", "s16le", "-"],
  ]);
  const bytes = decoded.stdout;
  const pcm = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 1);
  expect(pcm.length).toBeGreaterThan(RATE_HZ);
  const detector = new DtmfDetector(RATE_HZ);
  let keys = "";
  for (let at = 0; at + 160 <= pcm.length; at += 160)
    keys += detector.process(pcm.subarray(at, at + 160)) ?? "";
  return keys;
}

test.each(["en", "lt", "lv", "ru"] as const)(
  "in %s: asked, entered, run; the digits are nowhere",
  async (language) => {
    await useLanguage(language);
    const call = await callAgent(world);
    await call.play(dtmfTones("111", RATE_HZ));
    await wish(call);
    await call.waitForSpeech();
    // A far end that sends both: tones in the audio, then events.
    await call.play(dtmfTones(PIN, RATE_HZ));
    await call.press(`${PIN}#`);
    await eventually(() => world.toolRequests.length === 1, "the tool runs", 30_000);
    expect(world.toolRequests[0]).toMatchObject({
      caller: { number: world.caller.number, verified: true, level: 2 },
    });
    await eventually(async () => (await transcript()).includes("It said:"), "the answer");
    await Bun.sleep(700);
    await call.play(dtmfTones("777", RATE_HZ));
    await Bun.sleep(300);
    const detail = await ended(call);

    expect(detail.transcript).toContain(phrasesFor(language).pin.ask.slice(0, 20));
    // Tones before and after are present, so the detector works. On a busy machine a packet of one may come too
    // late.
    expect(keysIn(detail.call_uuid)).toMatch(/^1{1,3}7{1,3}$/);
    const { database } = world.appliance.app;
    const told = JSON.stringify([
      detail,
      await database.read.select().from(events),
      await database.read.select().from(auditEntries),
      await database.read.select().from(pinAttempts),
      server.seen("llm").map(({ json }) => json),
    ]);
    expect(told).not.toContain(PIN);
    const [attempt] = await database.read.select().from(pinAttempts);
    expect(attempt).toMatchObject({ ok: true, callUuid: detail.call_uuid });
    const audited = await database.read
      .select()
      .from(auditEntries)
      .where(eq(auditEntries.target, `call ${detail.call_uuid}`));
    expect(audited).toMatchObject([{ action: "verifyCaller", outcome: "done" }]);
    const raw = ["linevoice.db", "linevoice.db-wal"].map((name) => {
      const found = readdirSync(world.appliance.dataDir).find((file) => file === name);
      return found ? readFileSync(join(world.appliance.dataDir, found)) : Buffer.alloc(0);
    });
    for (const bytes of raw) expect(bytes.includes(`[keys ${PIN}`)).toBe(false);
  },
  90_000,
);

test("three wrong PINs: the tool does not run, and the next call is not even asked", async () => {
  await useLanguage("en");
  const call = await callAgent(world);
  await wish(call);
  for (const wrong of ["1111#", "2222#", "3333#"]) {
    await call.waitForSpeech();
    await call.press(wrong);
    await Bun.sleep(800);
  }
  await eventually(() => toolResults().length > 0, "the result");
  expect(toolResults()[0]).toContain("could not be verified");
  await ended(call);
  expect(world.toolRequests).toEqual([]);

  server.requests.length = 0;
  const again = await callAgent(world);
  await wish(again);
  await eventually(() => toolResults().length > 0, "the result at once", 5_000);
  expect(toolResults()[0]).toContain("could not be verified");
  const detail = await ended(again);
  expect(detail.transcript).not.toContain(phrasesFor("en").pin.ask);
  expect(world.toolRequests).toEqual([]);
  const tries = await world.appliance.app.database.read.select().from(pinAttempts);
  expect(tries).toHaveLength(3);
}, 90_000);
