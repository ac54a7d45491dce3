/**
 * Five callers speak at once to a thread that recognises four: the fifth waits, hears "one moment", and is
 * answered when the others have finished. The four speak without a pause until the fifth has waited for a while,
 * so that a fast machine makes no room earlier.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createVoices, type Voices } from "../../src/demo/voices.ts";
import { CONCURRENT_UTTERANCES_MAX } from "../../src/engine/embedded/concurrent-speakers.ts";
import { type Appliance, OWN_NUMBER, startAppliance } from "../support/appliance/appliance.ts";
import { eventually } from "../support/eventually.ts";
import type { PhoneCall } from "../support/media/phone/phone-call.ts";
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
/** Longer than until "one moment"; much shorter than until the utterance times out. */
const WAIT_MS = 4_000;

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

test("the fifth waits for the four, hears a filler, and is answered", async () => {
  const numbers = Array.from({ length: CONCURRENT_UTTERANCES_MAX }, (_, at) => `+3706100041${at}`);
  const [fifth, ...talkers] = await Promise.all([FIFTH, ...numbers].map(greeted));
  if (fifth === undefined) throw new Error("no call");
  const question = await voices.speak("m3", QUESTION);
  const long = withoutPauses(await voices.speak("m1", LONG));
  // The decoders are created when several callers speak for the first time.
  await Promise.all(talkers.map((call) => call.play(question)));
  await Promise.all(talkers.map((call) => call.waitForReply()));
  const waitedBefore = await utterances("waited");

  let isTalking = true;
  for (const call of talkers)
    void (async () => {
      while (isTalking) await call.play(long);
    })();
  await Bun.sleep(1_000);
  await fifth.play(question);
  await eventually(async () => (await utterances("waited")) > waitedBefore, "the fifth waits");
  await Bun.sleep(WAIT_MS);
  isTalking = false;
  await Promise.all(talkers.map((call) => call.hangUp()));
  await eventually(async () => (await turnsOf(FIFTH)).includes(ANSWER), "the answer", 30_000);
  const said = await turnsOf(FIFTH);
  expect(said).toMatch(
    new RegExp(`customer: what are your opening hours\nagent: One moment[^:]*(agent: )?${ANSWER}`),
  );
  expect(await utterances("lost")).toBe(0);
  await fifth.hangUp();
});
