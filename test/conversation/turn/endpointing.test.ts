import { expect, test } from "bun:test";
import type { ExpectedAnswer } from "../../../src/conversation/engine-port.ts";
import { endpointingSilenceMs } from "../../../src/conversation/turn/endpointing.ts";
import { SETTINGS } from "../../support/media/scripted-call.ts";

const silenceAfter = (
  partial: string,
  language: "en" | "lt" | "lv" | "ru" = "en",
  expected: ExpectedAnswer = "open",
) => endpointingSilenceMs(SETTINGS, language, { expected, partial, sttReportsPartials: true });

test("a possible complete sentence ends after 350 ms, in each language", () => {
  expect(silenceAfter("when are you open")).toBe(350);
  expect(silenceAfter("kada jūs dirbate", "lt")).toBe(350);
  expect(silenceAfter("kad jūs strādājat", "lv")).toBe(350);
  expect(silenceAfter("когда вы работаете", "ru")).toBe(350);
});

test("after a word that ends no sentence, the caller gets 900 ms, in each language", () => {
  expect(silenceAfter("I would like to")).toBe(900);
  expect(silenceAfter("noriu užsiregistruoti į", "lt")).toBe(900);
  expect(silenceAfter("es gribu pierakstīties pie", "lv")).toBe(900);
  expect(silenceAfter("я хочу записаться на", "ru")).toBe(900);
});

test("punctuation by the recogniser overrides the word list", () => {
  expect(silenceAfter("What is it for?")).toBe(350);
});

test("unrecognised speech counts as unfinished", () => {
  expect(silenceAfter("")).toBe(900);
});

test("a recogniser without partial results does not make every answer slow", () => {
  const utterance = { expected: "open" as const, partial: "", sttReportsPartials: false };
  expect(endpointingSilenceMs(SETTINGS, "en", utterance)).toBe(350);
});

test("an early result of such a recogniser shows an unfinished sentence", () => {
  const early = {
    expected: "open" as const,
    partial: "I would like to",
    sttReportsPartials: false,
  };
  expect(endpointingSilenceMs(SETTINGS, "en", early)).toBe(900);
});

test("dictated digits and names get 1.6 s, a yes or no the shortest silence", () => {
  expect(silenceAfter("four two", "en", "digits")).toBe(1_600);
  expect(silenceAfter("anna", "en", "name")).toBe(1_600);
  expect(silenceAfter("", "en", "yes_no")).toBe(350);
});

test("no setting makes the caller wait for more than 3 s", () => {
  const patient = { ...SETTINGS, endpointingDictationMs: 60_000 };
  const utterance = { expected: "digits" as const, partial: "", sttReportsPartials: true };
  expect(endpointingSilenceMs(patient, "en", utterance)).toBe(3_000);
});
