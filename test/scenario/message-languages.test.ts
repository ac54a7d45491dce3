/**
 * With every provider dead, a caller leaves a message with the embedded engine, over RTP, in Lithuanian: about 45
 * s. `npm run soak conversations` sets LINEVOICE_MESSAGE_LANGUAGES to all three, who call at the same time.
 * engine-openai.test.ts tests English.
 */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import { findSentenceGently } from "../../src/demo/hearing/sentence-matcher.ts";
import { createSynthesiser, type Synthesiser } from "../../src/engine/embedded/synthesiser.ts";
import { MESSAGE_PHRASES } from "../../src/engine/fallback/message-phrases.ts";
import type { AgentLanguage } from "../../src/features/agent/agent.ts";
import { OWN_NUMBER } from "../support/appliance/appliance.ts";
import { openAiChoice } from "../support/engine/engine-session.ts";
import { type EngineWorld, startEngineWorld } from "../support/engine/engine-world.ts";
import { type OpenAiServer, openAiServer } from "../support/engine/openai-server.ts";
import type { Phone } from "../support/media/phone/phone.ts";
import type { PhoneCall } from "../support/media/phone/phone-call.ts";
import { spoken } from "../support/speech/spoken.ts";

type Language = Exclude<AgentLanguage, "en">;

interface Lines {
  readonly greeting: string;
  readonly question: string;
  readonly name: string;
  readonly message: string;
  readonly disclosure: string;
  /** Sentences that nobody says. */
  readonly decoys: readonly string[];
}

const LINES: Readonly<Record<Language, Lines>> = {
  lt: {
    disclosure: "Pokalbis įrašomas.",
    greeting: "Laba diena, odontologijos klinika.",
    question: "Kada jūs dirbate rytoj?",
    name: "Mano vardas Jonas Petraitis.",
    message: "Norėčiau perkelti savo vizitą į kitą dieną.",
    decoys: [
      "Taip, už pastato yra nemokama automobilių stovėjimo aikštelė.",
      "Konsultacija kainuoja keturiasdešimt eurų.",
    ],
  },
  lv: {
    disclosure: "Saruna tiek ierakstīta.",
    greeting: "Labdien, zobārstniecības klīnika.",
    question: "Kad jūs rīt strādājat?",
    name: "Mani sauc Jānis Bērziņš.",
    message: "Es vēlos pārcelt savu vizīti uz citu dienu.",
    decoys: ["Jā, aiz ēkas ir bezmaksas autostāvvieta.", "Konsultācija maksā četrdesmit eiro."],
  },
  ru: {
    disclosure: "Разговор записывается.",
    greeting: "Добрый день, стоматологическая клиника.",
    question: "Когда вы завтра работаете?",
    name: "Меня зовут Иван Петров.",
    message: "Я хочу перенести свой визит на другой день.",
    decoys: ["Да, за зданием есть бесплатная автостоянка.", "Консультация стоит сорок евро."],
  },
};
const WANTED = (process.env.LINEVOICE_MESSAGE_LANGUAGES ?? "lt").split(",");
const LANGUAGES = (Object.keys(LINES) as Language[]).filter((language) =>
  WANTED.includes(language),
);
const KEYED: Readonly<Record<Language, string>> = {
  lt: "860000011",
  lv: "26000012",
  ru: "89000013",
};
const LISTEN_LIMIT_MS = 25_000;

let server: OpenAiServer;
let world: EngineWorld;
let voices: Synthesiser;
let phones: ReadonlyMap<Language, Phone>;

beforeAll(async () => {
  server = openAiServer("127.0.48.1");
  server.fail({ type: "close" });
  const timeouts = { connectTimeoutMs: 500, sttTimeoutMs: 2_000, llmTimeoutMs: 2_000 };
  voices = await createSynthesiser();
  world = await startEngineWorld({
    host: "127.0.48.9",
    providers: [openAiChoice(server.url, { ...timeouts, ttsTimeoutMs: 2_000 })],
    disclosures: Object.fromEntries(
      LANGUAGES.map((language) => [language, LINES[language].disclosure]),
    ),
  });
  const registered = LANGUAGES.map(async (language, index) => {
    const phone = await world.appliance.phone(`+3706100010${index}`, "m3");
    return [language, phone] as const;
  });
  phones = new Map(await Promise.all(registered));
}, 60_000);

afterEach(async () => {
  const calls = [...phones.values()].flatMap((phone) => phone.calls);
  await Promise.all(calls.map((call) => call.hangUp()));
});

afterAll(async () => {
  await world.close();
  server.close();
});

const speech = (text: string, language: Language, voice: "m3" | "Sari"): Promise<Int16Array> =>
  voices.speakAll({ text, language, voice, sampleRateHz: 8_000 });

/** Listens until `text` was spoken, and not one of the decoys. */
async function hears(call: PhoneCall, text: string, language: Language): Promise<boolean> {
  const [sentence, ...decoys] = await Promise.all(
    [text, ...LINES[language].decoys].map((line) => speech(line, language, "Sari")),
  );
  if (!sentence) return false;
  const deadline = performance.now() + LISTEN_LIMIT_MS;
  for (;;) {
    const sought = { sentence: trimmed(sentence), decoys: decoys.map(trimmed) };
    const match = await findSentenceGently({ ...sought, recording: call.received() }, systemClock);
    if (match.isFound || performance.now() > deadline) return match.isFound;
    await Bun.sleep(300);
  }
}

const QUIET = 60;
const trimmed = (pcm: Int16Array): Int16Array =>
  pcm.slice(
    pcm.findIndex((sample) => Math.abs(sample) > QUIET),
    pcm.findLastIndex((sample) => Math.abs(sample) > QUIET) + 1,
  );

/** A call uses the agent's settings at its start, so each caller gets their own language. */
async function ring(language: Language): Promise<PhoneCall> {
  const { appliance } = world;
  await appliance.api("PATCH", `/agents/${appliance.agentId}`, {
    language,
    first_message: LINES[language].greeting,
  });
  const call = await phones.get(language)?.call(OWN_NUMBER);
  if (!call) throw new Error(`no phone speaks ${language}`);
  await call.answered;
  return call;
}

async function leavesMessage(call: PhoneCall, language: Language): Promise<void> {
  const phrases = MESSAGE_PHRASES[language];
  const lines = LINES[language];
  const say = async (text: string) => call.play(trimmed(await speech(text, language, "m3")));
  await call.waitForReply({ quietMs: 1_800 });
  await say(lines.question);
  expect(await hears(call, phrases.apology, language), `apology in ${language}`).toBe(true);
  await call.waitForSilence({ quietMs: 1_200 });
  await say(lines.name);
  await call.waitForReply({ quietMs: 1_500 });
  await call.press(`${KEYED[language]}#`);
  expect(await hears(call, phrases.askMessage, language), `question in ${language}`).toBe(true);
  await call.waitForSilence({ quietMs: 1_200 });
  await say(lines.message);
  expect(await call.ended).toMatchObject({ by: "them", how: "bye" });
  expect(await hears(call, phrases.thanks, language), `thanks in ${language}`).toBe(true);
}

test(
  `with all providers dead a message is taken in ${LANGUAGES.join(", ")}, recorded, mailed and billed`,
  async () => {
    const calls = new Map<Language, PhoneCall>();
    for (const language of LANGUAGES) calls.set(language, await ring(language));
    const { body } = await world.appliance.api("GET", "/calls?limit=3");
    await Promise.all([...calls].map(([language, call]) => leavesMessage(call, language)));
    for (const language of LANGUAGES) {
      const phrases = MESSAGE_PHRASES[language];
      const number = phones.get(language)?.number;
      const uuid = body.calls.find((call) => call.from_number === number)?.call_uuid ?? "";
      const detail = await world.appliance.callWhen(
        uuid,
        (call) => call.recording_status === "emailed_deleted",
        30_000,
      );
      expect(detail.ended_reason).toBe("agent_hangup");
      expect(detail.transcript).toContain(phrases.apology);
      expect(detail.transcript).toContain(LINES[language].disclosure);
      expect(detail).toMatchObject({
        disclosure: { text: LINES[language].disclosure, language, heard: true },
      });
      expect(detail.summary).toContain(phrases.outage);
      expect(detail.summary).toContain(KEYED[language]);
      // Names and messages are not guessed: the person who calls back listens to the recording.
      expect(detail.summary).toContain(`${phrases.name}: ${phrases.onTheRecording}`);
      expect(detail.billing.billable_seconds).toBeGreaterThanOrEqual(15);
      expect(world.appliance.mails().some((name) => name.includes(uuid))).toBe(true);
    }
  },
  spoken(120_000),
);
