/** The phrase cache: a phrase needed by several calls is synthesised once. */
import { expect, test } from "bun:test";
import { CachedPhrases, PhraseCache } from "../../../src/conversation/speech/phrase-cache.ts";

/** A synthesiser that speaks one chunk per `letSpeak()`, and records the requested texts. */
function slowTts() {
  const asked: string[] = [];
  let speak: () => void = () => {};
  return {
    asked,
    letSpeak: () => speak(),
    async *speak(text: string, signal: AbortSignal): AsyncGenerator<Int16Array> {
      asked.push(text);
      await new Promise<void>((resolve) => {
        speak = resolve;
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      if (!signal.aborted) yield new Int16Array(80);
    },
  };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

const callOf = (cache: PhraseCache, tts: ReturnType<typeof slowTts>) => {
  const end = new AbortController();
  const phrases = new CachedPhrases(
    cache,
    tts,
    () => "voice",
    () => {},
  );
  return { end, phrases, prepared: phrases.prepare(["One.", "Two."], end.signal) };
};

test("for calls that start together a phrase is synthesised once", async () => {
  const tts = slowTts();
  const cache = new PhraseCache();
  const calls = [callOf(cache, tts), callOf(cache, tts), callOf(cache, tts)];
  await settled();
  tts.letSpeak();
  await settled();
  tts.letSpeak();
  await Promise.all(calls.map(({ prepared }) => prepared));
  expect(tts.asked).toEqual(["One.", "Two."]);
  expect(calls.every(({ phrases }) => phrases.get("Two.") !== null)).toBe(true);
});

test("a phrase in synthesis when its call ends is finished, and the next call uses it", async () => {
  const tts = slowTts();
  const cache = new PhraseCache();
  const [first, second] = [callOf(cache, tts), callOf(cache, tts)];
  await settled();
  first.end.abort();
  tts.letSpeak();
  await first.prepared;
  await settled();
  tts.letSpeak();
  await second.prepared;
  expect(tts.asked).toEqual(["One.", "Two."]);
  expect(first.phrases.work).toBeNull();
});

test("if the synthesiser of a phrase is closed, the next waiting call synthesises it", async () => {
  const tts = slowTts();
  const cache = new PhraseCache();
  const [first, second] = [callOf(cache, tts), callOf(cache, tts)];
  await settled();
  first.end.abort();
  first.phrases.abort();
  await first.prepared;
  await settled();
  tts.letSpeak();
  await settled();
  tts.letSpeak();
  await second.prepared;
  expect(tts.asked).toEqual(["One.", "One.", "Two."]);
});

test("a phrase too long for the cache is synthesised once per call", async () => {
  const asked: string[] = [];
  const tts = {
    async *speak(text: string) {
      asked.push(text);
      yield new Int16Array(2 * 1024 * 1024);
    },
  };
  const phrases = new CachedPhrases(
    new PhraseCache(),
    tts,
    () => "voice",
    () => {},
  );
  await phrases.prepare(["Long."], new AbortController().signal);
  expect(asked).toEqual(["Long."]);
});

const MIB_SAMPLES = 1024 * 1024 * 0.5;

test("64 MiB of phrases are cached; the least recently used is removed first", () => {
  const cache = new PhraseCache();
  const phrase = new Int16Array(MIB_SAMPLES);
  const kept = () =>
    Array.from({ length: 65 }, (_, at) => at).filter((at) => cache.get("voice", `${at}`) !== null);
  for (let at = 0; at < 64; at++) cache.put("voice", `${at}`, phrase);
  cache.put("voice", "63", phrase);
  expect(kept()).toHaveLength(64);
  cache.get("voice", "0");
  cache.put("voice", "64", phrase);
  expect(kept()).toEqual([0, ...Array.from({ length: 63 }, (_, at) => at + 2)]);
});

test("a phrase of 2 MiB is cached, a longer one is not", () => {
  const cache = new PhraseCache();
  for (const samples of [2 * MIB_SAMPLES, 2 * MIB_SAMPLES + 1])
    cache.put("voice", `${samples}`, new Int16Array(samples));
  expect(cache.get("voice", `${2 * MIB_SAMPLES}`)).not.toBeNull();
  expect(cache.get("voice", `${2 * MIB_SAMPLES + 1}`)).toBeNull();
});
