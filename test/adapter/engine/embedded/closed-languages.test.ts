/** What of Lithuanian, Latvian and Russian is on is what was measured, and what the documents say. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import {
  heardKinds,
  isEnough,
  MEASURED,
  MEASURED_KINDS,
  type MeasuredKind,
  PHRASE_KINDS,
} from "../../../../src/adapter/engine/embedded/closed-languages.ts";
import { phrasesFor } from "../../../../src/adapter/engine/embedded/recogniser/closed-grammar.ts";
import { grammarSourceOf } from "../../../../src/adapter/engine/embedded/scripted/grammar-source.ts";
import type { ExpectedAnswer } from "../../../../src/domain/conversation/engine-port.ts";

const LANGUAGES = ["lt", "lv", "ru"] as const;
const NAMES = { lt: "Lithuanian", lv: "Latvian", ru: "Russian" } as const;
const ROWS: Readonly<Record<MeasuredKind, string>> = {
  commands: "commands of 12 letters and more",
  short_commands: "shorter commands",
  questions: "questions as written",
  yes_no: "yes and no",
  digits: "digits",
  date: "days",
};

test.each([
  [{ understood: 90, said: 100, refused: 90, others: 100 }, true],
  [{ understood: 91, said: 100, refused: 91, others: 100 }, true],
  [{ understood: 89, said: 100, refused: 90, others: 100 }, false],
  [{ understood: 90, said: 100, refused: 89, others: 100 }, false],
])("nine of ten understood and nine of ten others refused are enough: %o", (measured, enough) => {
  expect(isEnough(measured)).toBe(enough);
});

test.each(LANGUAGES)("what is heard was measured on forty phrases at least: %s", (language) => {
  for (const { said, others } of Object.values(MEASURED[language]))
    expect(Math.min(said, others)).toBeGreaterThanOrEqual(40);
  const enough = MEASURED_KINDS.filter((kind) => isEnough(MEASURED[language][kind]));
  expect(heardKinds(language)).toEqual(enough);
  expect(heardKinds("en")).toEqual(PHRASE_KINDS);
});

test.each(LANGUAGES)("the documents say so: %s", (language) => {
  const engines = readFileSync(new URL("../../../../docs/engines.md", import.meta.url), "utf8");
  for (const kind of MEASURED_KINDS) {
    const { understood, said, refused, others } = MEASURED[language][kind];
    const isHeard = heardKinds(language).includes(kind) ? "heard" : "keys";
    const figures = `${understood} of ${said} | ${refused} of ${others} | ${isHeard}`;
    expect(engines).toContain(`| ${NAMES[language]} | ${ROWS[kind]} | ${figures} |`);
  }
});

test.each(LANGUAGES)("what is not heard is not listened for: %s", (language) => {
  const settings = { language, tools: [] };
  const knowledge = [{ questions: ["Abc?"], answer: "Xyz." }];
  const proven = grammarSourceOf(knowledge, settings);
  const all = grammarSourceOf(knowledge, settings, PHRASE_KINDS);
  expect(all.key).not.toBe(proven.key);
  const answers: readonly ExpectedAnswer[] = ["yes_no", "digits", "date", "time", "name"];
  for (const answer of answers) {
    expect(phrasesFor(language, answer, proven)).toBeNull();
    expect(phrasesFor(language, answer, all)).not.toBeNull();
  }
  const open = phrasesFor(language, "open", proven) ?? [];
  const isHeard = heardKinds(language).includes("questions");
  expect(open.includes("Abc?")).toBe(isHeard);
  expect(phrasesFor(language, "open", all)).toContain("Abc?");
});
