/**
 * A PIN over lines without telephone-events: entered as SIP INFO, and as tones in the audio, over an IP peering,
 * which is a trusted trunk without a registration. The digits must appear nowhere: not in any log line of any
 * level with personal data shown and the SIP trace on, nor in transcript, events, audit log, database, recording,
 * nor in requests to the model or the recogniser. Both calls at once: about 25 s.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { createVoices } from "../../src/demo/voices.ts";
import { contactStore } from "../../src/features/contact/contact-store.ts";
import { DtmfDetector } from "../../src/media/dtmf/tone-detector.ts";
import { createLogger } from "../../src/ops/logger.ts";
import { dtmfTones } from "../../src/platform/audio/tones.ts";
import { toolSecretBinding } from "../../src/platform/secrets/secret-binding.ts";
import { createVault } from "../../src/platform/secrets/vault.ts";
import { pinAttempts, tenants, tools } from "../../src/store/schema/index.ts";
import { type Appliance, OWN_NUMBER, startAppliance } from "../support/appliance/appliance.ts";
import { BOOKING, openAiChoice, sameForAllParts } from "../support/engine/engine-session.ts";
import { type ChatBody, type OpenAiServer, openAiServer } from "../support/engine/openai-server.ts";
import { eventually } from "../support/eventually.ts";
import type { OutgoingCall } from "../support/media/phone/outgoing-call.ts";
import { createPhone, type Phone } from "../support/media/phone/phone.ts";
import { tempDir } from "../support/temp-dir.ts";

const HOST = "127.0.43.31";
const PEER = "127.0.43.32";
const WISH = "Please move my visit to Friday.";
const RATE_HZ = 8000;

/** What each caller's line supports, and its PIN: eight digits, so that no time of day looks like one. */
const LINES = [
  {
    by: "SIP INFO",
    number: "+37061000011",
    pin: "83640927",
    key: (call: OutgoingCall, keys: string) => call.press(keys, "info"),
  },
  {
    by: "tones in the audio alone",
    number: "+37061000012",
    pin: "20914375",
    key: (call: OutgoingCall, keys: string) => call.play(dtmfTones(keys, RATE_HZ)),
  },
] as const;

const logLines: string[] = [];
const toolRequests: { caller?: { number: string; level: number } }[] = [];
let server: OpenAiServer;
let appliance: Appliance;
let phone: Phone;
let endpoint: ReturnType<typeof Bun.serve>;

const tone = (ms: number) =>
  Int16Array.from({ length: (RATE_HZ / 1000) * ms }, (_, at) =>
    Math.round(6000 * Math.sin((2 * Math.PI * 300 * at) / RATE_HZ)),
  );

beforeAll(async () => {
  server = openAiServer("127.0.43.30");
  server.script.speech = (text) => tone(text.length * 25);
  server.script.answer = ({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === "tool") return { text: `It said: ${last.content?.slice(0, 60)}` };
    return { tools: [{ name: "book_visit", arguments: { day: "Friday" } }] };
  };
  endpoint = Bun.serve({
    hostname: HOST,
    port: 0,
    async fetch(request) {
      toolRequests.push((await request.json()) as (typeof toolRequests)[number]);
      return Response.json({ booked: true });
    },
  });
  appliance = await startAppliance({
    dataDir: tempDir(),
    host: HOST,
    agent: { transcriptEmailEnabled: false, firstMessage: "Good afternoon." },
    log: createLogger({
      level: "debug",
      format: "json",
      personalData: true,
      write: (line) => void logLines.push(line),
    }),
    settings: (settings) => ({
      ...settings,
      sip: { ...settings.sip, trace: true },
      engineLabel: "openai",
      callWorker: {
        ...settings.callWorker,
        engine: {
          label: "openai",
          providers: sameForAllParts([openAiChoice(server.url)]),
          takesMessages: true,
          guard: { retries: 0, breaker_failures: 1_000, breaker_open_sec: 1 },
          speechRatePercent: 100,
        },
      },
    }),
  });
  const { app } = appliance;
  await addTool(`http://${HOST}:${endpoint.port}/book`);
  await app.database.tx((queries) => queries.update(tenants).set({ cliIdentity: true }));
  for (const { number, pin } of LINES) await addContact(number, pin);
  const [host = "", port] = app.addresses.sip.split(":");
  phone = await createPhone({
    number: "peer",
    domain: "peer.test",
    host: PEER,
    telephoneEvents: false,
    speech: (await createVoices()).speaker("m3"),
    proxy: { host, port: Number(port) },
  });
  await app.ask("trunk.set", {
    tenant: appliance.tenantId,
    server: PEER,
    port: phone.address.port,
    transport: "udp",
    username: "peer",
    password: null,
    realm: null,
    outbound_proxy: null,
    caller_id: OWN_NUMBER,
    register: false,
    channels: null,
  });
}, 60_000);

afterAll(async () => {
  await phone.close();
  await appliance.close();
  await endpoint.stop(true);
  server.close();
});

async function addTool(url: string): Promise<void> {
  const { app, tenantId, agentId } = appliance;
  await app.database.tx(async (queries) => {
    const [row] = await queries
      .insert(tools)
      .values({
        tenantId,
        agentId,
        url,
        name: BOOKING.name,
        description: BOOKING.description,
        secretHeader: "X-Secret",
        secretSealed: "",
        parameters: BOOKING.parameters,
        callerLevel: 2,
        createdAt: 1,
        updatedAt: 1,
      })
      .returning({ id: tools.id });
    const id = row?.id ?? 0;
    const vault = createVault(new Uint8Array(32).fill(7));
    const secretSealed = vault.seal("secret", toolSecretBinding(id));
    await queries.update(tools).set({ secretSealed }).where(eq(tools.id, id));
  });
}

async function addContact(numberE164: string, pin: string): Promise<void> {
  const cost = { algorithm: "argon2id", memoryCost: 8192, timeCost: 1 } as const;
  const pinHash = await Bun.password.hash(pin, cost);
  await appliance.app.database.tx((queries) =>
    contactStore(queries).insert(appliance.tenantId, {
      numberE164,
      firstName: "Jonas",
      lastName: "",
      vocative: null,
      birthday: null,
      language: null,
      notes: "",
      consent: false,
      doNotCall: false,
      pinHash,
      createdAt: 1,
      updatedAt: 1,
    }),
  );
}

/** Calls, asks a question, enters the PIN on request; resolves with the finished call's uuid. */
async function callAndKey({ number, pin, key }: (typeof LINES)[number]): Promise<string> {
  const call = await phone.call(OWN_NUMBER, { callerNumber: number });
  await call.answered;
  await call.waitForReply({ quietMs: 1_500 });
  server.script.recognises.push(WISH);
  await call.say(WISH);
  await call.waitForSpeech();
  await key(call, `${pin}#`);
  const reached = () => toolRequests.some(({ caller }) => caller?.number === number);
  await eventually(reached, `the tool runs for ${number}`, 30_000);
  await call.waitForReply({ quietMs: 1_000 });
  const { body } = await appliance.api("GET", "/calls?limit=10");
  const uuid = body.calls.find(({ from_number }) => from_number === number)?.call_uuid ?? "";
  await call.hangUp();
  await appliance.callWhen(uuid, (view) => view.recording_status === "ready", 30_000);
  return uuid;
}

function keysIn(pcm: Int16Array): string {
  const detector = new DtmfDetector(RATE_HZ);
  let keys = "";
  for (let at = 0; at + 160 <= pcm.length; at += 160)
    keys += detector.process(pcm.subarray(at, at + 160)) ?? "";
  return keys;
}

/** The caller's side of a sound file, decoded to 8 kHz. */
function callersSide(path: string): Int16Array {
  const { stdout } = Bun.spawnSync([
    ...["ffmpeg", "-v", "error", "-i", path, "-af", "pan=mono|c0=c0"],
    ...["-ar", String(RATE_HZ), "-f", "s16le", "-"],
  ]);
  return new Int16Array(stdout.buffer, stdout.byteOffset, stdout.byteLength >> 1);
}

test("entered by INFO and by tones over an IP peering it raises the level, and is stored nowhere", async () => {
  // One after the other: the stub's recognition results are one queue for all calls.
  const uuids: string[] = [];
  for (const line of LINES) uuids.push(await callAndKey(line));
  expect(toolRequests.map(({ caller }) => caller).toSorted(byNumber)).toMatchObject(
    LINES.map(({ number }) => ({ number, verified: true, level: 2 })),
  );
  const { app, dataDir } = appliance;
  const tries = await app.database.read.select().from(pinAttempts);
  expect(tries.map(({ ok }) => ok)).toEqual([true, true]);

  const details = await Promise.all(uuids.map((uuid) => appliance.api("GET", `/calls/${uuid}`)));
  const sentToModel = server.seen("llm").map(({ json }) => JSON.stringify(json as ChatBody));
  // Every table, including the write-ahead log: events, audit log and turns among them.
  const files = readdirSync(dataDir).filter((name) => name.startsWith("linevoice.db"));
  const raw = files.map((name) => readFileSync(join(dataDir, name), "latin1"));
  for (const { pin, by } of LINES) {
    const places = { log: logLines, details: details.map(({ body }) => JSON.stringify(body)) };
    for (const [place, texts] of Object.entries({ ...places, sentToModel, raw }))
      expect([by, place, texts.filter((text) => text.includes(pin)).length]).toEqual([
        by,
        place,
        0,
      ]);
  }
  // Not digit by digit either: the trace has the INFO requests, without the entered digits.
  const traced = logLines.filter((line) => line.includes("INFO sip:"));
  expect(traced.length).toBeGreaterThanOrEqual(9);
  expect(traced.filter((line) => /Signal\s*=\s*[\d*#]/.test(line))).toEqual([]);

  const recordings = join(dataDir, "recordings");
  for (const uuid of uuids) {
    const file = readdirSync(recordings).find((name) => name.includes(uuid)) ?? "";
    const pcm = callersSide(join(recordings, file));
    expect(pcm.length).toBeGreaterThan(RATE_HZ);
    expect(keysIn(pcm)).toBe("");
  }
  for (const { form } of server.seen("stt")) {
    const wav = form?.get("file");
    if (!(wav instanceof Blob)) throw new Error("a transcription without a file");
    const path = join(tempDir(), "sent.wav");
    await Bun.write(path, wav);
    expect(keysIn(callersSide(path))).toBe("");
  }
}, 90_000);

const byNumber = (one?: { number: string }, other?: { number: string }) =>
  (one?.number ?? "").localeCompare(other?.number ?? "");
