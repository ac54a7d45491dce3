/** The embedded engine over a real speech worker, as a call worker uses it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { EngineSession, SessionSettings } from "../../../src/conversation/engine-port.ts";
import { silentLog } from "../../../src/core/log.ts";
import { seededRandom } from "../../../src/core/random.ts";
import { createEmbeddedEngine, type EmbeddedEngine } from "../../../src/engine/embedded/engine.ts";
import { topicsHere } from "../../../src/engine/embedded/scripted/topics-here.ts";
import type { FromSpeechWorker } from "../../../src/engine/embedded/speech-messages.ts";
import { createSynthesiser } from "../../../src/engine/embedded/synthesiser.ts";
import { spawnSpeechWorker } from "../../../src/workers.ts";
import { patientClock } from "../../support/patient-clock.ts";
import { CLINIC_KNOWLEDGE } from "../../support/speech/dental-clinic.ts";
import { spoken } from "../../support/speech/spoken.ts";
import { overTelephone } from "../../support/speech/telephone-line.ts";

const SETTINGS: SessionSettings = {
  callId: "call",
  language: "en",
  voice: "Sari",
  sampleRateHz: 8000,
  systemPrompt: "",
  knowledge: [{ filename: "faq.md", format: "md", content: CLINIC_KNOWLEDGE }],
  tools: [],
};

let worker: Worker;
let engine: EmbeddedEngine;

function connect(): EmbeddedEngine {
  const { port1, port2 } = new MessageChannel();
  worker.postMessage({ type: "init", port: port1 }, [port1]);
  return createEmbeddedEngine({
    port: port2,
    clock: patientClock,
    random: seededRandom(1),
    log: silentLog,
    askTopics: topicsHere(),
  });
}

beforeAll(async () => {
  worker = spawnSpeechWorker();
  const ready = new Promise<FromSpeechWorker>((resolve, reject) => {
    worker.onmessage = (event) => resolve(event.data);
    worker.onerror = (event) => reject(new Error(event.message));
  });
  engine = connect();
  const message = await ready;
  console.log("speech worker", JSON.stringify(message));
  expect(message.type).toBe("ready");
}, 60_000);

afterAll(async () => {
  await engine.close();
  worker.postMessage({ type: "shutdown" });
});

async function speak(session: EngineSession, text: string): Promise<Int16Array> {
  const chunks = await Array.fromAsync(session.tts.speak(text, new AbortController().signal));
  return Int16Array.from(chunks.flatMap((chunk) => [...chunk]));
}

async function hear(session: EngineSession, pcm: Int16Array) {
  const line = overTelephone(pcm, seededRandom(3));
  session.stt.startUtterance(line.subarray(0, 1_600));
  for (let at = 1_600; at < line.length; at += 160) session.stt.push(line.subarray(at, at + 160));
  return session.stt.finalize();
}

test(
  "a caller's question is recognised and answered",
  async () => {
    const session = engine.open(SETTINGS);
    const caller = await createSynthesiser();
    const question = "What are your opening hours?";
    const order = { text: question, language: "en", voice: "m3", sampleRateHz: 8000 } as const;
    const result = await hear(session, await caller.speakAll(order));
    expect(result.text).toContain("opening hours");
    expect(result.confidence).toBeGreaterThan(0.6);
    const input = { type: "utterance", ...result } as const;
    const events = await Array.fromAsync(session.llm.respond(input, new AbortController().signal));
    expect(JSON.stringify(events)).toContain("Monday to Friday");
    session.close();
  },
  spoken(30_000),
);

test("a Lithuanian caller is not recognised, and gets no text", async () => {
  const session = engine.open({ ...SETTINGS, language: "lt", voice: "Nathan" });
  const result = await hear(session, await speak(session, "Kiek kainuoja konsultacija?"));
  expect(result).toEqual({ text: "", confidence: 0, audioMs: 0 });
  session.close();
});

test.each(["lt", "lv", "en", "ru"] as const)(
  "all four voices speak %s, at telephone level",
  async (language) => {
    for (const voice of ["Sari", "Emma", "Nathan", "Adrian"] as const) {
      const session = engine.open({ ...SETTINGS, language, voice });
      const texts = {
        lt: "Laba diena!",
        lv: "Labdien!",
        en: "Good afternoon!",
        ru: "Добрый день!",
      };
      const pcm = await speak(session, texts[language]);
      const peak = pcm.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0);
      expect(pcm.length).toBeGreaterThan(3_000);
      expect(peak).toBeGreaterThan(6_000);
      expect(peak).toBeLessThan(32_000);
      session.close();
    }
  },
  30_000,
);

test(
  "an aborted speech ends without an error, and the next one is complete",
  async () => {
    const session = engine.open(SETTINGS);
    const controller = new AbortController();
    const text = "This is a rather long sentence that nobody wants to hear to its end. ".repeat(20);
    let chunks = 0;
    for await (const _ of session.tts.speak(text, controller.signal)) {
      if (++chunks === 3) controller.abort();
    }
    expect(chunks).toBeLessThan(10);
    expect((await speak(session, "Hello there.")).length).toBeGreaterThan(4_000);
    session.close();
  },
  spoken(30_000),
);

test(
  "text that looks like markup is spoken, not interpreted",
  async () => {
    const session = engine.open(SETTINGS);
    const pcm = await speak(session, "If a < b & c > d, say <break time='9s'/> nothing.");
    expect(pcm.length).toBeLessThan(9 * 8_000);
    expect(pcm.length).toBeGreaterThan(8_000);
    session.close();
  },
  spoken(30_000),
);

test(
  "a cancelled utterance is forgotten",
  async () => {
    const session = engine.open(SETTINGS);
    session.stt.startUtterance(new Int16Array(800));
    session.stt.discard();
    session.stt.startUtterance(new Int16Array(0));
    expect(await session.stt.finalize()).toMatchObject({ audioMs: 0 });
    session.close();
  },
  spoken(30_000),
);

test(
  "several call workers share one speech worker",
  async () => {
    const other = connect();
    const sessions = [engine.open(SETTINGS), other.open({ ...SETTINGS, voice: "Nathan" })];
    const spoken = await Promise.all(
      sessions.map((session) => speak(session, "How are you today?")),
    );
    expect(spoken.every((pcm) => pcm.length > 6_000)).toBe(true);
    await other.close();
  },
  spoken(30_000),
);
