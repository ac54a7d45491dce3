/** The phrase cache: what several calls need at once is synthesised once. */
import { expect, test } from "bun:test";
import { CachedPhrases, PhraseCache } from "../../../src/domain/conversation/phrase-cache.ts";

/** A synthesiser that speaks one chunk when it is let, and writes down what it was asked. */
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

test("calls that begin together have a phrase synthesised once", async () => {
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

test("the phrase that is in work when its call ends is finished, and the next call has it", async () => {
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

test("a phrase whose synthesiser was closed is made anew by the call that waits for it", async () => {
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

test("a phrase too long to keep is synthesised by each call, once", async () => {
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
