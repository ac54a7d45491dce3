/** The last call in words, for an engine without a language model. */
import { expect, test } from "bun:test";
import {
  memoryDetails,
  memoryKnowledge,
  memoryLine,
} from "../../../src/features/contact/call-history-summary.ts";

const AT_MS = Date.parse("2026-11-22T10:12:00Z");
const told = (reason: string) =>
  memoryKnowledge(
    { reason, outcome: "", promise: "", sensitive: false, attemptedAt: AT_MS },
    "en",
    "UTC",
    AT_MS + 60_000,
  ).split("\n")[1] ?? "";

test("it says when, and why if the reason is known", () => {
  expect(told("")).toBe("We called you today at 10:12.");
  expect(told("an appointment")).toBe("We called you today at 10:12 about an appointment.");
});

test("it has at most 600 characters, plus a full stop", () => {
  const before = "We called you today at 10:12 about ".length;
  expect(told("a".repeat(600 - before))).toHaveLength(601);
  expect(told("a".repeat(601 - before))).toBe(told("a".repeat(600 - before)));
});

test.each([
  ["en", "We called you on 19 November at 10:12."],
  ["lt", "Skambinome jums lapkričio 19 d. 10:12."],
  ["lv", "Mēs jums zvanījām 19. novembrī pulksten 10:12."],
  ["ru", "Мы звонили вам 19 ноября в 10:12."],
] as const)(
  "%s: the day has the grammatical case that the sentence needs",
  (language, sentence) => {
    const attemptedAt = Date.parse("2026-11-19T10:12:00Z");
    const memory = { reason: "", outcome: "", promise: "", sensitive: false, attemptedAt };
    expect(memoryKnowledge(memory, language, "UTC", AT_MS)).toContain(`\n${sentence}\n`);
  },
);

test("the day before is called yesterday; earlier days have their names", () => {
  const memory = { reason: "", outcome: "Nobody answered.", promise: "", sensitive: false };
  const line = (attemptedAt: string) =>
    memoryLine({ ...memory, attemptedAt: Date.parse(attemptedAt) }, "UTC", AT_MS);
  expect(line("2026-11-22T00:00:00Z")).toStartWith("We called this number today at 00:00.");
  expect(line("2026-11-21T23:59:00Z")).toStartWith("We called this number yesterday at 23:59.");
  expect(line("2026-11-20T23:59:00Z")).toContain("on 20 November at 23:59. Nobody answered.");
});

test("a recognised caller hears the promise and the summary, if there are any", () => {
  const memory = { reason: "a visit", outcome: "Done.", sensitive: false, attemptedAt: AT_MS };
  const details = (more: { promise: string; summary?: string | null }) =>
    memoryDetails({ ...memory, ...more }, "UTC", AT_MS);
  const line = "We called this number today at 10:12 about: a visit. Done.";
  expect(details({ promise: "" })).toBe(line);
  expect(details({ promise: "a call", summary: "Short." })).toBe(
    `${line} We promised: a call Summary of that call: Short.`,
  );
});
