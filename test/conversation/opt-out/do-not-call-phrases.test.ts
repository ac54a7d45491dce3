/**
 * Requests not to be called are detected, and similar sentences are not: 60 utterances of both kinds per language,
 * in refusals/. "+" is a request, "-" is not.
 */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  asksNotToBeCalled,
  refusalAnswer,
} from "../../../src/conversation/opt-out/do-not-call-phrases.ts";

const UTTERANCES_MIN = 60;

describe.each(["en", "lt", "lv", "ru"])("%s", (language) => {
  const lines = readFileSync(join(import.meta.dir, "refusals", `${language}.txt`), "utf8")
    .trim()
    .split("\n");

  test.each([
    ["+", true],
    ["-", false],
  ])("every utterance after %s", (sign, refuses) => {
    const texts = lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(2));
    expect(new Set(texts).size).toBeGreaterThanOrEqual(UTTERANCES_MIN);
    for (const text of texts) {
      expect([text, asksNotToBeCalled(text)]).toEqual([text, refuses]);
      const decomposed = text.normalize("NFD").toUpperCase();
      expect([text, asksNotToBeCalled(decomposed)]).toEqual([text, refuses]);
    }
  });
});

test.each([
  ["en", "Yes.", "yes"],
  ["en", "Yes, that's right.", "yes"],
  ["en", "No, don't call me again.", "yes"],
  ["en", "No, you may call me.", "no"],
  ["en", "Which company is this?", null],
  ["lt", "Taip, teisingai.", "yes"],
  ["lt", "Ne, galite skambinti.", "no"],
  ["lt", "Ne, nebeskambinkite.", "yes"],
  ["lt", "Kas čia kalba?", null],
  ["lv", "Jā, pareizi.", "yes"],
  ["lv", "Nē, varat zvanīt.", "no"],
  ["lv", "Nezinu.", null],
  ["ru", "Да, верно.", "yes"],
  ["ru", "Нет, звоните.", "no"],
  ["ru", "Нет, не звоните мне.", "yes"],
  ["ru", "А вы кто?", null],
] as const)("%s: %s answers the question with %s", (language, text, answer) => {
  expect(refusalAnswer(text, language)).toBe(answer);
});
