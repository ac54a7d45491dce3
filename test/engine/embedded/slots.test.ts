import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json.ts";
import { parseDate, parseTime } from "../../../src/engine/embedded/scripted/dates.ts";
import { matchIntent } from "../../../src/engine/embedded/scripted/intents.ts";
import {
  digitsFromWords,
  numberInWords,
  parseNumberWords,
} from "../../../src/engine/embedded/scripted/number-words.ts";
import {
  slotsOf,
  valueFromKeys,
  valueFromSpeech,
} from "../../../src/engine/embedded/scripted/slots.ts";

const SATURDAY = Date.UTC(2026, 10, 21, 8);

test.each([
  ["today", "en", "2026-11-21"],
  ["tomorrow please", "en", "2026-11-22"],
  ["the day after tomorrow", "en", "2026-11-23"],
  ["next tuesday", "en", "2026-11-24"],
  ["on saturday", "en", "2026-11-28"],
  ["on the twenty third of november", "en", "2026-11-23"],
  ["the third", "en", "2026-12-03"],
  ["january the first", "en", "2027-01-01"],
  ["rytoj", "lt", "2026-11-22"],
  ["svētdien", "lv", "2026-11-22"],
  ["понедельник", "ru", "2026-11-23"],
] as const)("a day: %s (%s) is %s", (said, language, day) => {
  expect(parseDate(said, language, SATURDAY)).toBe(day);
});

test.each([
  ["half past nine in the morning", "09:30"],
  ["at two o'clock", "14:00"],
  ["ten thirty", "10:30"],
  ["quarter to five", "16:45"],
  ["seven p m", "19:00"],
  ["noon", "12:00"],
  ["14:15", "14:15"],
])("a time: %s is %s", (said, time) => {
  expect(parseTime(said, "en")).toBe(time);
});

test("text without a day and a time has neither", () => {
  expect(parseDate("i have no idea", "en", SATURDAY)).toBeNull();
  expect(parseTime("whenever you like", "en")).toBeNull();
});

test("digits are read from words", () => {
  expect(digitsFromWords("five double two oh".split(" "))).toBe("5220");
  expect(digitsFromWords("twenty one".split(" "))).toBe("21");
  expect(parseNumberWords("two hundred and forty five".split(" "))).toBe(245);
});

test("numbers survive the conversion to words and back", () => {
  for (const value of [0, 7, 12, 40, 99, 100, 245, 1_000, 12_345, 999_999]) {
    expect(parseNumberWords(numberInWords(String(value)).split(" "))).toBe(value);
  }
});

describe("parameters", () => {
  const tool = {
    name: "t",
    description: "",
    parameters: {
      type: "object",
      required: ["size", "count", "gift", "phone", "day"],
      properties: {
        size: { type: "string", enum: ["small", "large_box"] },
        count: { type: "integer" },
        gift: { type: "boolean" },
        phone: { type: "string" },
        day: { type: "string", format: "date" },
        note: { type: "string" },
      },
    },
  };

  test("only required slots are asked for, each by its kind", () => {
    const kinds = slotsOf(tool).map((slot) => slot.kind);
    expect(kinds).toEqual(["choice", "number", "yes_no", "digits", "date"]);
  });

  test.each([
    [0, "the large box please", "large_box"],
    [0, "a tiny one", null],
    [1, "twenty five", 25],
    [2, "yes please", true],
    [2, "no", false],
    [3, "five five two", "552"],
  ] as const)("slot %d understands %s", (index, said, value) => {
    const slot = slotsOf(tool)[index];
    expect(slot && valueFromSpeech(slot, said, "en", SATURDAY)).toBe(value);
  });
});

test.each([
  ["yes", "en", "yes"],
  ["no how much is it", "en", "no"],
  ["taip", "lt", "yes"],
  ["nē", "lv", "no"],
  ["да", "ru", "yes"],
  ["please put me through to a colleague", "en", "human"],
  ["what is the price", "en", undefined],
] as const)("%s (%s) means %s", (said, language, intent) => {
  expect(matchIntent(said, language)?.intent).toBe(intent as never);
});

const slotFor = (schema: JsonObject) => {
  const parameters = { type: "object", properties: { value: schema }, required: ["value"] };
  const [slot] = slotsOf({ name: "t", description: "", parameters });
  if (!slot) throw new Error("no slot");
  return slot;
};

test.each([
  [{ type: "string", pattern: "^\\d{4}$" }, "123", null],
  [{ type: "string", pattern: "^\\d{4}$" }, "1234", "1234"],
  [{ type: "string", pattern: "^\\d{4}$" }, "12345", null],
  [{ type: "string", pattern: "^[0-9]{4,6}$" }, "1234567", null],
  [{ type: "string", pattern: "^[0-9]{4,6}$" }, "123456", "123456"],
  [{ type: "string", pattern: "^\\d{8,}$" }, "1234567", null],
  [{ type: "string", pattern: "^\\d{8,}$" }, "123456789", "123456789"],
  [{ type: "string", pattern: "^(\\d\\d)+$" }, "123", "123"],
  [{ type: "integer", minimum: 1, maximum: 8 }, "0", null],
  [{ type: "integer", minimum: 1, maximum: 8 }, "8", 8],
  [{ type: "integer", minimum: 1, maximum: 8 }, "9", null],
] as const)("keys for %j: %s is %p", (schema, keys, value) => {
  expect(valueFromKeys(slotFor(schema), keys)).toBe(value);
});

test("a spoken number outside the tool's limits is asked for again", () => {
  const people = slotFor({ type: "integer", maximum: 8 });
  expect(valueFromSpeech(people, "nine", "en", 0)).toBeNull();
  expect(valueFromSpeech(people, "eight", "en", 0)).toBe(8);
});
