/** What the words of an unfinished caller show about the rest. */
import { expect, test } from "bun:test";
import { asksForDictation, isDictating, soundsFinished } from "../../src/conversation/words.ts";

test.each([
  ["my number is eight six", "en", false],
  ["my number is eight six one", "en", true],
  ["call 861", "en", false],
  ["call 8612", "en", true],
  ["call 86 12", "en", true],
  ["call 861 now", "en", false],
  ["8612 please", "en", false],
  ["mano numeris aštuoni šeši", "lt", false],
  ["mano numeris aštuoni šeši vienas", "lt", true],
  ["", "en", false],
] as const)("%s (%s): still dictating: %p", (text, language, dictating) => {
  expect(isDictating(text, language)).toBe(dictating);
});

test.each([
  ["I would like to", false],
  ["I would like to. ", true],
  ["I would like to know", true],
  ["", false],
  ["...", true],
] as const)("%p may be a complete sentence: %p", (text, finished) => {
  expect(soundsFinished(text, "en")).toBe(finished);
});

test.each([
  ["What is your name?", true],
  ["Your name is Jonas.", false],
  ["How are you today?", false],
  ["Your name is noted. How are you?", false],
  ["Thank you. Please spell your address.", true],
] as const)("%p asks for something that people dictate: %p", (text, asks) => {
  expect(asksForDictation(text, "en")).toBe(asks);
});
