/** Values in an agent's words: the same number, amount or date however it is worded. */
import { expect, test } from "bun:test";
import { saysDate, saysMoney, saysNumber } from "../../../src/domain/rehearsal/values.ts";

test("an amount of money is recognised in figures and in the words of four languages", () => {
  for (const text of [
    "That is €40.",
    "It costs 40 EUR",
    "A consultation costs forty euros.",
    "Konsultacija kainuoja keturiasdešimt eurų.",
    "Konsultācija maksā četrdesmit eiro.",
    "Консультация стоит сорок евро.",
    "40,00 € please",
  ])
    expect([text, saysMoney(text, "40 EUR")]).toEqual([text, true]);
  for (const text of ["forty five euros", "forty dollars", "twenty past, forty of us", "140 EUR"])
    expect([text, saysMoney(text, "40 EUR")]).toEqual([text, false]);
  expect(saysMoney("two hundred and forty five euros and fifty cents", "245.50 EUR")).toBe(true);
  expect(saysMoney("1 250,50 €", "1250.50 EUR")).toBe(true);
});

test("a number is compared as a value, and a word that only begins like one is none", () => {
  expect(saysNumber("twenty-one people", 21)).toBe(true);
  expect(saysNumber("two thousand three hundred", 2300)).toBe(true);
  expect(saysNumber("du šimtai trys", 203)).toBe(true);
  expect(saysNumber("divdesmit pieci", 25)).toBe(true);
  expect(saysNumber("сто двадцать пять", 125)).toBe(true);
  expect(saysNumber("это стоит дорого", 100)).toBe(false);
  expect(saysNumber("from nine to five", 9)).toBe(true);
  expect(saysNumber("from nine to five", 14)).toBe(false);
});

test("a date is recognised by day and month, by its weekday in the coming week, and as tomorrow", () => {
  const today = "2026-11-23";
  for (const text of [
    "on 2026-11-24",
    "24.11.2026",
    "on the twenty-fourth of November",
    "November 24",
    "lapkričio 24 dieną",
    "24 ноября",
    "24. novembrī",
    "on Tuesday at ten",
    "tomorrow morning",
    "rytoj",
  ])
    expect([text, saysDate(text, "2026-11-24", today)]).toEqual([text, true]);
  expect(saysDate("on Wednesday", "2026-11-24", today)).toBe(false);
  expect(saysDate("on Tuesday", "2026-12-24", today)).toBe(false);
  expect(saysDate("24 December", "2026-11-24", today)).toBe(false);
});
