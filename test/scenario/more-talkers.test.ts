/**
 * Five callers finish speaking at the same moment. The fifth waits until the recogniser has read the words of the
 * others, hears "one moment", and is answered. A fast machine reads more words in the same time, so the four speak
 * twice as long in each round until the fifth has waited.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createVoices, type Voices } from "../../src/demo/voices.ts";
import { CONCURRENT_UTTERANCES_MAX } from "../../src/engine/embedded/concurrent-speakers.ts";
import { type Appliance, OWN_NUMBER, startAppliance } from "../support/appliance/appliance.ts";
import { eventually } from "../support/eventually.ts";
import type { PhoneCall } from "../support/media/phone/phone-call.ts";
import { spoken } from "../support/speech/spoken.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(90_000);

const HOST = "127.0.8.69";
const VOICE = "Nathan";
const METRICS_PORT = 9483;
const FIFTH = "+37061000419";
const QUESTION = "What are your opening hours?";
const ANSWER = "We are open Monday to Friday from nine to five.";
const LONG =
  "I would like to know whether you are open tomorrow and whether my son could come with me because he has a tooth that hurts";
const FRAME_SAMPLES = 160;
/** −50 dBFS: less is a pause. */
const SPEECH_MIN = 100;
/** Speech of the four in the first round. Words of 30 s and more are cut. */
const FIRST_MS = 2_000;
const LAST_MS = 16_000;
/** Longer than the silence between two fillers. */
const DONE_MS = 3_500;
/** Time by which the fifth ends after the four. */
const LATER_MS = 300;

let world: Appliance;
let voices: Voices;
beforeAll(async () => {
  voices = await createVoices();
  world = await startAppliance({
    dataDir: tempDir(),
    host: HOST,
    agent: { voice: VOICE, language: "en" },
    settings: (settings) => ({
      ...settings,
      plans: settings.plans.map((plan) => ({ ...plan, maxConcurrentCalls: 10 })),
      metricsListen: { host: HOST, port: METRICS_PORT },
    }),
  });
});
afterAll(() => world.close());

async function greeted(number: string): Promise<PhoneCall> {
  const call = await (await world.phone(number)).call(OWN_NUMBER);
  await call.answered;
  await call.waitForSpeech();
  await call.waitForSilence();
  return call;
}

/** Removes the pauses, so that voice activity detection finds no end. */
function withoutPauses(pcm: Int16Array): Int16Array {
  const kept: number[] = [];
  for (let at = 0; at + FRAME_SAMPLES <= pcm.length; at += FRAME_SAMPLES) {
    const frame = pcm.subarray(at, at + FRAME_SAMPLES);
    const power = frame.reduce((sum, sample) => sum + sample * sample, 0) / FRAME_SAMPLES;
    if (power > SPEECH_MIN ** 2) kept.push(...frame);
  }
  return Int16Array.from(kept);
}

/** The turns of a caller's call, one per line. */
async function turnsOf(number: string): Promise<string> {
  const { body } = await world.api("GET", "/calls");
  const [listed] = body.calls.filter(({ from_number }) => from_number === number);
  const { body: found } = await world.api("GET", `/calls/${listed?.call_uuid}`);
  return found.call.turns.map(({ speaker, text }) => `${speaker}: ${text}`).join("\n");
}

async function utterances(outcome: "waited" | "lost"): Promise<number> {
  const text = await (await fetch(`http://${HOST}:${METRICS_PORT}/metrics`)).text();
  const of = (line: string) =>
    line.startsWith("linevoice_speech_waits_total{") && line.includes(outcome);
  return Number(text.split("\n").find(of)?.split(" ").at(-1) ?? Number.NaN);
}

/** Plays audio of different lengths that ends at the same moment, the fifth's a little later. */
async function playTogether(
  talkers: readonly PhoneCall[],
  words: Int16Array,
  fifth: PhoneCall,
  question: Int16Array,
): Promise<void> {
  const playing = talkers.map((call) => call.play(words));
  await Bun.sleep((words.length - question.length) / 8 + LATER_MS);
  await Promise.all([...playing, fifth.play(question)]);
}

test(
  "the fifth waits for the four, hears a filler, and is answered",
  async () => {
    const numbers = Array.from(
      { length: CONCURRENT_UTTERANCES_MAX },
      (_, at) => `+3706100041${at}`,
    );
    const [fifth, ...talkers] = await Promise.all([FIFTH, ...numbers].map(greeted));
    if (fifth === undefined) throw new Error("no call");
    const question = await voices.speak("m1", QUESTION);
    const sentence = withoutPauses(await voices.speak("m1", LONG));
    const speech = Int16Array.from([1, 2, 3].flatMap(() => [...sentence]));
    // Models are loaded when the first call begins, and when several callers speak at once.
    const callers = [fifth, ...talkers];
    await Promise.all(callers.map((call) => call.play(question)));
    await Promise.all(callers.map((call) => call.waitForReply({ quietMs: DONE_MS })));
    const lostBefore = await utterances("lost");
    const waitedFor = new RegExp(
      `customer: ${QUESTION.slice(0, -1)}.*\nagent: One moment[^:]*(agent: )?${ANSWER}`,
      "i",
    );
    let said = "";
    for (let ms = FIRST_MS; !waitedFor.test(said); ms *= 2) {
      expect(ms).toBeLessThanOrEqual(LAST_MS);
      const before = await turnsOf(FIFTH);
      await playTogether(talkers, speech.subarray(0, ms * 8), fifth, question);
      const answered = async () => {
        said = (await turnsOf(FIFTH)).slice(before.length);
        return said.includes(ANSWER);
      };
      await eventually(answered, "the answer", 30_000);
      await Promise.all(callers.map((call) => call.waitForSilence({ quietMs: DONE_MS })));
    }
    expect(await utterances("waited")).toBeGreaterThan(0);
    expect(await utterances("lost")).toBe(lostBefore);
    await Promise.all(callers.map((call) => call.hangUp()));
  },
  spoken(180_000),
);
