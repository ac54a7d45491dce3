/**
 * Whole calls between the appliance and baresip, through kamailio: the trunk is registered there, and so is the
 * phone. Audio is compared by content at both ends, for inbound and outbound calls. Once more in G.722, for a
 * wideband conversation. Takes a minute and a half: the calls are real.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type App, startApp } from "../../src/app/app.ts";
import { systemClock } from "../../src/core/clock.ts";
import { silentLog } from "../../src/core/log.ts";
import { systemRandom } from "../../src/core/random.ts";
import { type CallDetail, createDemoApi, type DemoApi } from "../../src/demo/api-client.ts";
import { readMail } from "../../src/demo/evidence/mail-file.ts";
import { decodeMp3 } from "../../src/demo/evidence/mp3.ts";
import { findSentence } from "../../src/demo/hearing/sentence-matcher.ts";
import { createVoices, type Voices } from "../../src/demo/voices.ts";
import { createResampler } from "../../src/platform/audio/resampler.ts";
import { applianceSettings } from "../support/appliance/appliance.ts";
import { requirePeer } from "../support/peers.ts";
import { type Baresip, startBaresip } from "../support/sip/baresip.ts";
import { type Kamailio, startKamailio } from "../support/sip/kamailio.ts";
import { chooseSentence, utterancesOf } from "../support/speech/speech-judge.ts";
import { spoken } from "../support/speech/spoken.ts";
import { tempDir } from "../support/temp-dir.ts";

const PROVIDER = "127.0.7.1";
const APPLIANCE = "127.0.7.2";
const TELEPHONE = "127.0.7.20";
const WIDEBAND_TELEPHONE = "127.0.7.21";
const OUR_NUMBER = "+37061001001";
const THEIR_NUMBER = "+37061001002";

const AGENT_VOICE = "Nathan";
const CALLER_VOICE = "m3";
const GREETING = "Good afternoon, this is the dental clinic.";
const QUESTION = "What are your opening hours?";
const ANSWER = "We are open Monday to Friday from nine to five.";
const NEVER_SAID = [
  "Good evening, this is the flower shop.",
  "A consultation costs forty euros.",
  "We are closed on Monday and on Friday.",
  "There is free parking behind the building.",
];
/** The greeting lasts about 3 s. */
const ASKS_AFTER_MS = 6_000;
const MICROPHONE_MS = 60_000;
const CALL_LIMIT_MS = 120_000;

const peers = ["kamailio", "baresip", "pocketsphinx_batch"] as const;
const missing = peers.map((name) => requirePeer(name)).includes(false);

describe.skipIf(missing)("calls with baresip through kamailio", () => {
  let kamailio: Kamailio;
  let baresip: Baresip;
  let voices: Voices;
  let app: App;
  let api: DemoApi;
  const dataDir = tempDir();

  beforeAll(async () => {
    kamailio = await startKamailio(PROVIDER);
    voices = await createVoices();
    ({ app, api } = await startRegisteredAppliance(dataDir));
    baresip = await startBaresip({
      host: TELEPHONE,
      provider: { host: PROVIDER, port: kamailio.port },
      user: "1002",
      password: "pw1002",
      microphone: await microphone(voices),
    });
  }, 60_000);

  test(
    "baresip calls in G.722: a wideband conversation, heard and recorded the same",
    async () => {
      const wideband = await startBaresip({
        host: WIDEBAND_TELEPHONE,
        provider: { host: PROVIDER, port: kamailio.port },
        user: "1003",
        password: "pw1003",
        codecs: "g722",
        rateHz: 16_000,
        microphone: createResampler(8000, 16_000).process(await microphone(voices)),
      });
      try {
        const before = wideband.events.length;
        wideband.dial(`sip:${OUR_NUMBER}@provider.test`);
        await wideband.event("CALL_ESTABLISHED", before);
        const call = await answered("inbound");
        wideband.hangUp();
        await wideband.event("CALL_CLOSED", before);
        const heard = wideband.received();
        expect(shareAbove4Khz(heard)).toBeGreaterThan(0.001);
        await expectWholeCall(call, "caller_hangup", createResampler(16_000, 8000).process(heard));
      } finally {
        await wideband.stop();
      }
    },
    spoken(CALL_LIMIT_MS),
  );

  afterAll(async () => {
    await baresip?.stop();
    await app?.stop();
    await kamailio?.stop();
  });

  test(
    "baresip calls: it hears greeting and answer, the appliance hears and records the question",
    async () => {
      const before = baresip.events.length;
      baresip.dial(`sip:${OUR_NUMBER}@provider.test`);
      await baresip.event("CALL_ESTABLISHED", before);
      const call = await answered("inbound");
      baresip.hangUp();
      await baresip.event("CALL_CLOSED", before);
      await expectWholeCall(call, "caller_hangup");
    },
    spoken(CALL_LIMIT_MS),
  );

  test(
    "the appliance calls baresip: the same in both directions, and baresip's hang-up ends the call",
    async () => {
      const before = baresip.events.length;
      await api.post("/calls", { to_number: THEIR_NUMBER });
      await baresip.event("CALL_ESTABLISHED", before);
      const call = await answered("outbound");
      baresip.hangUp();
      await expectWholeCall(call, "caller_hangup");
    },
    spoken(CALL_LIMIT_MS),
  );

  /** Waits until the agent has answered the question in the only live call. */
  async function answered(direction: string): Promise<string> {
    const turn = Promise.withResolvers<string>();
    const off = app.turns.on("turn", (live) => {
      if (live.turn.speaker === "agent" && live.turn.text.includes("nine to five"))
        turn.resolve(live.call.callUuid);
    });
    const timer = setTimeout(() => turn.reject(new Error("never answered")), 40_000);
    const callUuid = await turn.promise.finally(() => clearTimeout(timer));
    off();
    expect((await api.call(callUuid)).direction).toBe(direction);
    return callUuid;
  }

  async function expectWholeCall(
    callUuid: string,
    endedReason: string,
    heard?: Int16Array,
  ): Promise<void> {
    const call = await api.callWhen(
      callUuid,
      ({ recording_status }) => recording_status === "emailed_deleted",
      30_000,
    );
    expect(call).toMatchObject({ status: "completed", ended_reason: endedReason });
    expect(call.transcript).toContain(`Agent: ${GREETING}`);
    expect(call.transcript?.toLowerCase()).toContain("opening hours");
    await expectHeardAtTelephone(heard ?? baresip.received());
    await expectRecorded(call);
  }

  async function expectHeardAtTelephone(heard: Int16Array): Promise<void> {
    for (const sentence of [GREETING, ANSWER]) {
      const match = await compare(heard, AGENT_VOICE, sentence, NEVER_SAID);
      expect({ sentence, heard: match.isFound }).toEqual({ sentence, heard: true });
    }
    // The answer is a separate utterance: a second, independent recogniser identifies it.
    const choices = [ANSWER, ...NEVER_SAID];
    const chosen = await Promise.all(
      utterancesOf(heard).map((utterance) => chooseSentence(utterance, choices)),
    );
    expect(chosen).toContain(ANSWER);
  }

  async function expectRecorded(call: CallDetail): Promise<void> {
    const outbox = join(dataDir, "outbox");
    const file = readdirSync(outbox).find((name) => name.includes(call.call_uuid));
    const mail = await readMail(readFileSync(join(outbox, file ?? ""), "utf8"));
    const recording = await decodeMp3(mail.attachment?.content ?? Buffer.alloc(0));
    const caller = await compare(recording.left, CALLER_VOICE, QUESTION, NEVER_SAID);
    const agent = await compare(recording.right, AGENT_VOICE, ANSWER, NEVER_SAID);
    expect({ caller: caller.isFound, agent: agent.isFound }).toEqual({ caller: true, agent: true });
  }

  async function compare(
    recording: Int16Array,
    voice: string,
    sentence: string,
    others: readonly string[],
  ) {
    return findSentence({
      recording,
      sentence: await voices.speak(voice, sentence),
      decoys: await Promise.all(others.map((other) => voices.speak(voice, other))),
    });
  }
});

/** The share of energy above narrowband audio: the rest after 8 kHz audio is subtracted. */
function shareAbove4Khz(pcm: Int16Array): number {
  const down = createResampler(16_000, 8000);
  const up = createResampler(8000, 16_000);
  const narrow = up.process(down.process(pcm));
  let [high, all] = [0, 0];
  for (let index = 4000; index < narrow.length; index++) {
    const sample = pcm[index] ?? 0;
    high += (sample - (narrow[index] ?? 0)) ** 2;
    all += sample ** 2;
  }
  return high / all;
}

/** Silence, then the question, then silence. */
async function microphone(voices: Voices): Promise<Int16Array> {
  const samples = new Int16Array(MICROPHONE_MS * 8);
  for (let i = 0; i < samples.length; i++) samples[i] = ((i * 7919) % 33) - 16;
  samples.set(await voices.speak(CALLER_VOICE, QUESTION), ASKS_AFTER_MS * 8);
  return samples;
}

async function startRegisteredAppliance(dataDir: string): Promise<{ app: App; api: DemoApi }> {
  const settings = applianceSettings(dataDir, APPLIANCE);
  const sip = { ...settings.sip, codecs: ["G722", "PCMA", "PCMU"] as const };
  const app = await startApp(
    { ...settings, sip },
    {
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
    },
  );
  await app.ready();
  const tenant = await app.ask("tenant.create", {
    name: "Dental clinic",
    email: "desk@example.com",
    plan: null,
  });
  const key = await app.ask("key.create", { tenant: tenant.id, label: "test" });
  const api = createDemoApi(`${app.addresses.http}/api/v1`, key.secret, systemClock);
  const { agent } = await api.post<{ agent: { id: number } }>("/agents", {
    name: "Reception",
    prompt: "You answer for a dental clinic.",
    first_message: GREETING,
    voice: AGENT_VOICE,
    transcript_email: "desk@example.com",
    transcript_email_enabled: true,
  });
  await api.post("/files", {
    filename: "clinic.md",
    content: `## ${QUESTION}\n${ANSWER}\n`,
    agent_id: agent.id,
  });
  await api.post("/phone-numbers", { number_e164: OUR_NUMBER, label: "Desk", agent_id: agent.id });
  await app.ask("trunk.set", {
    tenant: tenant.id,
    server: "provider.test",
    port: 5060,
    transport: "udp",
    username: "1001",
    password: "pw1001",
    realm: null,
    outbound_proxy: `${PROVIDER}:5060`,
    caller_id: OUR_NUMBER,
    register: true,
    channels: null,
  });
  await registered(app);
  return { app, api };
}

async function registered(app: App): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const [trunk] = await app.ask("trunk.list", {});
    if (trunk?.status === "registered") return;
    await Bun.sleep(100);
  }
  throw new Error("the trunk did not register at kamailio");
}
