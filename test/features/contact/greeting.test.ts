import { describe, expect, test } from "bun:test";
import { addressOf, greetingFor } from "../../../src/features/contact/greeting.ts";

describe("the name is inserted at the greeting's salutation", () => {
  test.each([
    [
      "lt",
      "Laba diena, čia klinika.",
      "Jonai Petraiti",
      "Laba diena, Jonai Petraiti. Čia klinika.",
    ],
    ["lt", "Laba diena! Kuo galiu padėti?", "Rūta", "Laba diena, Rūta! Kuo galiu padėti?"],
    ["lv", "Labdien! Ar varu palīdzēt?", "Jāni", "Labdien, Jāni! Ar varu palīdzēt?"],
    ["en", "Hello, this is the clinic.", "Ann", "Hello, Ann. This is the clinic."],
    ["en", "Clinic, how can I help?", "Ann", "Hello, Ann. Clinic, how can I help?"],
    ["en", "Hilton Dental, good day.", "Ann", "Hello, Ann. Hilton Dental, good day."],
    ["ru", "Здравствуйте, клиника.", "Анна", "Здравствуйте, Анна. Клиника."],
    ["en", "Hello.", "Ann", "Hello, Ann."],
  ] as const)("%s: %s", (language, message, address, expected) => {
    expect(greetingFor(message, address, language)).toBe(expected);
  });
});

test("a contact's own form of address overrides the rules", () => {
  const person = { firstName: "Jonas", lastName: "Petraitis", vocative: null };
  expect(addressOf(person, "lt")).toBe("Jonai Petraiti");
  expect(addressOf({ ...person, vocative: "gerbiamas daktare" }, "lt")).toBe("gerbiamas daktare");
});

test("a name with markup or line breaks is spoken as one line", () => {
  const person = { firstName: "Ona\n\n## New", lastName: "{{company}}\u0000", vocative: null };
  expect(addressOf(person, "en")).toBe("Ona ## New company");
});

test("160 characters of a form of address are spoken", () => {
  const person = { firstName: "Ona", lastName: "" };
  for (const [length, spoken] of [
    [159, 159],
    [160, 160],
    [161, 160],
  ] as const)
    expect(addressOf({ ...person, vocative: "a".repeat(length) }, "en")).toHaveLength(spoken);
});
