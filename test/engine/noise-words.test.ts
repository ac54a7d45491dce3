/** Texts that speech recognition writes for noise, and words that only look like them. */
import { expect, test } from "bun:test";
import { noSpeechOf, wordsHeard } from "../../src/engine/noise-words.ts";

const LONG = { audioMs: 6_000, pcm: new Int16Array(48_000).fill(3_000) };

test.each([
  "",
  ".",
  "...",
  "…",
  "♪",
  "♪♪♪",
  "- -",
  "[BLANK_AUDIO]",
  "[ Silence ]",
  "(music)",
  "*coughs*",
  "[Music] [Applause]",
  "♪ la la la ♪",
  "(speaking in foreign language)",
  "(muzika)",
  "[музыка]",
  "<|nospeech|>",
  "BLANK_AUDIO",
  "（音楽）",
])("%j contains no words", (text) => {
  expect(wordsHeard(text, LONG)).toBe("");
});

test.each([
  "Yes.",
  "5",
  "(music) Hello",
  "Nine [inaudible] ten",
  "Ačiū.",
  "Thank you.",
  "Silence is golden",
])("%j is kept", (text) => {
  expect(wordsHeard(` ${text} `, LONG)).toBe(text);
  expect(wordsHeard(text, { audioMs: 500 })).toBe(text);
});

test.each([
  "Thank you for watching!",
  "Thanks for watching! Thanks for watching!",
  "Please subscribe to my channel.",
  "Subtitles by the Amara.org community",
  "Ačiū, kad žiūrėjote!",
  "Paldies, ka skatījāties!",
  "Спасибо за просмотр!",
  "Продолжение следует...",
  "Субтитры сделал DimaTorzok",
])("%j counts as words only if somebody speaks", (text) => {
  expect(wordsHeard(text, LONG)).toBe(text);
  expect(wordsHeard(text, { audioMs: 2_000 })).toBe("");
  expect(wordsHeard(text, { audioMs: 2_001 })).toBe(text);
  for (const [level, heard] of [
    [399, ""],
    [400, text],
  ] as const)
    expect(wordsHeard(text, { ...LONG, pcm: new Int16Array(48_000).fill(level) })).toBe(heard);
  expect(wordsHeard(text, { ...LONG, noSpeech: 0.6 })).toBe("");
  expect(wordsHeard(text, { ...LONG, noSpeech: 0.59 })).toBe(text);
});

test("no_speech_prob is the minimum of all segments", () => {
  expect(noSpeechOf({ segments: [{ no_speech_prob: 0.9 }, { no_speech_prob: 0.2 }] })).toBe(0.2);
  expect(noSpeechOf({ no_speech_prob: 0.7 })).toBe(0.7);
  expect(noSpeechOf({ text: "Yes." })).toBeNull();
});
