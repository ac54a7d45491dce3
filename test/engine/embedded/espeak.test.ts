/** eSpeak NG speaks our four languages with our four voices, as SSML and at the requested speed. */
import { describe, expect, test } from "bun:test";
import { ESPEAK_SAMPLE_RATE_HZ, loadEspeak } from "../../../src/engine/embedded/speech/espeak.ts";
import { espeakVoiceName } from "../../../src/engine/embedded/speech/voices.ts";

const SENTENCES: Readonly<Record<string, string>> = {
  en: "What are your opening hours? We are open from nine to five.",
  lt: "Labas rytas, kuo galiu padėti? Kaina yra dvylika eurų.",
  lv: "Labrīt, kā es varu palīdzēt? Mēs strādājam no deviņiem.",
  ru: "Здравствуйте, чем я могу помочь? Это стоит двести рублей.",
};
/** From the lowest to the highest. */
const VOICES = ["Adrian", "Nathan", "Sari", "Emma"];
/** Smallest ratio of two pitches that people recognise as two voices. */
const STEP = 1.15;

const FRAME = 1_024;
const [LAG_MIN, LAG_MAX] = [60, 400];
const PERIODIC = 0.5;

/** Median of the voiced frames, in Hz. */
function pitchOf(pcm: Int16Array): number {
  const pitches: number[] = [];
  for (let at = 0; at + FRAME + LAG_MAX < pcm.length; at += FRAME) {
    let best = { lag: 0, likeness: PERIODIC };
    for (let lag = LAG_MIN; lag <= LAG_MAX; lag++) {
      const likeness = likenessOf(pcm, at, lag);
      if (likeness > best.likeness * 1.02) best = { lag, likeness };
    }
    if (best.lag > 0) pitches.push(ESPEAK_SAMPLE_RATE_HZ / best.lag);
  }
  return pitches.sort((a, b) => a - b)[pitches.length >> 1] ?? 0;
}

function likenessOf(pcm: Int16Array, at: number, lag: number): number {
  let [product, here, there] = [0, 1, 1];
  for (let index = at; index < at + FRAME; index++) {
    const [a, b] = [pcm[index] ?? 0, pcm[index + lag] ?? 0];
    product += a * b;
    here += a * a;
    there += b * b;
  }
  return product / Math.sqrt(here * there);
}

describe.each(Object.entries(SENTENCES))("%s", (language, text) => {
  test("each of the four voices is clearly higher than the one before", async () => {
    const espeak = await loadEspeak();
    const pitches: number[] = [];
    for (const voice of VOICES)
      pitches.push(pitchOf(await espeak.synthesize(text, espeakVoiceName(language, voice))));
    for (const [index, pitch] of pitches.slice(1).entries())
      expect(pitch / (pitches[index] ?? 0), pitches.join(" < ")).toBeGreaterThan(STEP);
  }, 60_000);

  test("a text lasts as long as people would need for it", async () => {
    const espeak = await loadEspeak();
    const pcm = await espeak.synthesize(text, espeakVoiceName(language, "Sari"));
    expect(pcm.length / ESPEAK_SAMPLE_RATE_HZ / text.length).toBeWithin(0.04, 0.12);
  }, 60_000);
});

test("SSML is followed, escaped characters are spoken, and a text may begin like a command-line option", async () => {
  const espeak = await loadEspeak();
  const lengthOf = async (ssml: string) => (await espeak.synthesize(ssml, "en-us+Sari")).length;
  const plain = await lengthOf("Good morning.");
  expect(await lengthOf('Good <break time="2s"/> morning.')).toBeGreaterThan(plain + 30_000);
  expect(await lengthOf('<prosody rate="50%">Good morning.</prosody>')).toBeGreaterThan(
    1.5 * plain,
  );
  expect(await lengthOf("Good &amp; morning.")).toBeGreaterThan(1.1 * plain);
  expect(await lengthOf("-v lt Good morning.")).toBeGreaterThan(1.1 * plain);
}, 60_000);

test("sentences synthesised at the same time do not mix", async () => {
  const espeak = await loadEspeak();
  const ask = (text: string) => espeak.synthesize(text, "en-us+Emma");
  const [one, two] = ["One.", "A rather long second sentence."];
  const alone: [Int16Array, Int16Array] = [await ask(one), await ask(two)];
  expect(await Promise.all([ask(one), ask(two)])).toEqual(alone);
}, 60_000);

test("phonemes come one string per clause", async () => {
  const espeak = await loadEspeak();
  expect(await espeak.phonemes("Good morning, how are you?", "en-us")).toEqual([
    "ɡˈʊd mˈɔːɹnɪŋ",
    "hˈaʊ ɑːɹ juː",
  ]);
}, 60_000);

test("an unknown voice is an error with eSpeak's reason, and does not change our exit code", async () => {
  const espeak = await loadEspeak();
  const before = process.exitCode;
  await expect(espeak.synthesize("Hello.", "xx")).rejects.toThrow("voice does not exist");
  expect(process.exitCode).toBe(before);
}, 60_000);
