/** The last call in words, for an engine without a language model. */
import { expect, test } from "bun:test";
import { memoryKnowledge } from "../../../src/domain/contact/memory-words.ts";

const AT_MS = Date.parse("2026-11-22T10:12:00Z");
const told = (reason: string) =>
  memoryKnowledge(
    { reason, outcome: "", promise: "", sensitive: false, attemptedAt: AT_MS },
    "en",
    "UTC",
    AT_MS + 60_000,
  ).split("\n")[1] ?? "";

test("it says when, and why where that is known", () => {
  expect(told("")).toBe("We called you today at 10:12.");
  expect(told("an appointment")).toBe("We called you today at 10:12 about an appointment.");
});

test("it is 600 characters long at most, and its full stop", () => {
  const before = "We called you today at 10:12 about ".length;
  expect(told("a".repeat(600 - before))).toHaveLength(601);
  expect(told("a".repeat(601 - before))).toBe(told("a".repeat(600 - before)));
});

test.each([
  ["en", "We called you on 19 November at 10:12."],
  ["lt", "Skambinome jums lapkričio 19 d. 10:12."],
  ["lv", "Mēs jums zvanījām 19. novembrī pulksten 10:12."],
  ["ru", "Мы звонили вам 19 ноября в 10:12."],
] as const)("%s: the day is in the case that the sentence asks for", (language, sentence) => {
  const attemptedAt = Date.parse("2026-11-19T10:12:00Z");
  const memory = { reason: "", outcome: "", promise: "", sensitive: false, attemptedAt };
  expect(memoryKnowledge(memory, language, "UTC", AT_MS)).toContain(`\n${sentence}\n`);
});
