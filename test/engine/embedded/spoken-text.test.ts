/** Spoken numbers: 300 sentences per language, one per line in spoken/: written form, a tab, spoken form. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadEspeak } from "../../../src/engine/embedded/speech/espeak.ts";
import { spokenText } from "../../../src/engine/embedded/speech/spoken-text.ts";
import { espeakVoiceName } from "../../../src/engine/embedded/speech/voices.ts";

const SENTENCES_MIN = 300;

const sentencesOf = (language: string) =>
  readFileSync(join(import.meta.dir, "spoken", `${language}.tsv`), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split("\t") as [written: string, said: string]);

describe.each(["en", "lt", "lv", "ru"])("%s", (language) => {
  const sentences = sentencesOf(language);

  test("the list is long and has no sentence twice", () => {
    expect(sentences.length).toBeGreaterThanOrEqual(SENTENCES_MIN);
    expect(new Set(sentences.map(([written]) => written)).size).toBe(sentences.length);
  });

  test("every sentence is spoken as the list has it", () => {
    for (const [written, said] of sentences)
      expect([written, spokenText(written, language)]).toEqual([written, said]);
  });

  test("no digit is left to the voice, and spoken words are not changed", () => {
    for (const [, said] of sentences) {
      expect(said).not.toMatch(/\d/);
      expect(spokenText(said, language)).toBe(said);
    }
  });
});

describe("by the voice's phonemes, if the text alone does not show it", () => {
  const espeak = loadEspeak();

  test.each([
    ["lv", "plkst. 10", "pulksten desmitos"],
    ["lt", "10 val.", "dešimtą valandą"],
    ["lt", "lapkričio 24 d.", "lapkričio dvidešimt ketvirtą"],
    ["ru", "24 ноября", "двадцать четвёртого ноября"],
    ["en", "9–17", "nine AM to five PM"],
    ["en", "€1", "one euro"],
    ["lt", "AB „Telia“", "a bė Telia"],
  ])("%s: %s sounds like %s", async (language, written, sounds) => {
    const { phonemes } = await espeak;
    const heard = async (text: string) =>
      (await phonemes(text, espeakVoiceName(language, ""))).join("").replace(/[ˈˌ\s]/g, "");
    expect(await heard(spokenText(written, language))).toBe(await heard(sounds));
  });
});
