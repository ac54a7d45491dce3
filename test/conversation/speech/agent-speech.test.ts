import { expect, test } from "bun:test";
import fc from "fast-check";
import { wordsUpTo } from "../../../src/conversation/speech/agent-speech.ts";
import { FillerRotation } from "../../../src/conversation/speech/filler.ts";
import { CachedPhrases, PhraseCache } from "../../../src/conversation/speech/phrase-cache.ts";
import { phrasesFor } from "../../../src/conversation/speech/phrases.ts";

test("of an interrupted sentence only whole words count as heard", () => {
  expect(wordsUpTo("We are open from nine", 0.5)).toBe("We are");
  expect(wordsUpTo("We are open", 0)).toBe("");
  expect(wordsUpTo("We are open", 1)).toBe("We are open");
  expect(wordsUpTo("Antidisestablishmentarianism", 0.9)).toBe("");
});

test("the heard text is always a beginning of the spoken text, and grows with the share", () => {
  fc.assert(
    fc.property(fc.string(), fc.double({ min: 0, max: 1, noNaN: true }), (text, share) => {
      const spoken = wordsUpTo(text, share);
      expect(text.startsWith(spoken)).toBe(true);
      expect(spoken.length).toBeLessThanOrEqual(wordsUpTo(text, 1).length);
    }),
  );
});

test("the phrase cache stays within its limit and drops the least recently used phrases", () => {
  const cache = new PhraseCache();
  const oneMegabyte = () => new Int16Array(512 * 1024);
  for (let index = 0; index < 64; index++) cache.put("v", `phrase ${index}`, oneMegabyte());
  expect(cache.get("v", "phrase 0")).not.toBeNull();
  cache.put("v", "one more", oneMegabyte());
  expect(cache.get("v", "phrase 0")).not.toBeNull();
  expect(cache.get("v", "phrase 1")).toBeNull();
  cache.put("v", "far too long", new Int16Array(2 * 1024 * 1024));
  expect(cache.get("v", "far too long")).toBeNull();
});

test("a phrase of two megabytes is cached, a longer one is not", () => {
  const cache = new PhraseCache();
  const megabytes = (count: number, more = 0) => new Int16Array(count * 512 * 1024 + more);
  cache.put("v", "two", megabytes(2));
  cache.put("v", "longer", megabytes(2, 1));
  expect(cache.get("v", "two")).not.toBeNull();
  expect(cache.get("v", "longer")).toBeNull();
});

test("a phrase of one voice is never played for another", () => {
  const cache = new PhraseCache();
  cache.put("Sari", "Hello.", new Int16Array(10));
  expect(cache.get("Emma", "Hello.")).toBeNull();
});

test("a cached phrase has its real length; any other the time of a slow speaker", () => {
  const cache = new PhraseCache();
  cache.put("Sari", "Hello.", new Int16Array(8_000));
  const voice = { async *speak() {} };
  const phrases = new CachedPhrases(
    cache,
    voice,
    () => "Sari",
    () => {},
  );
  expect(phrases.durationMs("Hello.", 8_000)).toBe(1_000);
  expect(phrases.durationMs("x".repeat(10), 8_000)).toBe(1_500 + 10 * 90);
});

test("fillers rotate in the agent's own words, or in its language if it has none", () => {
  const own = new FillerRotation(["One.", " ", "Two."], phrasesFor("en"));
  expect([own.next(), own.next(), own.next()]).toEqual(["One.", "Two.", "One."]);
  const many = Array.from({ length: 12 }, (_, at) => `${at}.`);
  expect(new FillerRotation(many, phrasesFor("en")).phrases).toEqual(many.slice(0, 10));
  const fallback = new FillerRotation([], phrasesFor("lt"));
  expect(phrasesFor("lt").fillers).toContain(fallback.next());
});
