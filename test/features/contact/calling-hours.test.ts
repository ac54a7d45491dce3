import { describe, expect, test } from "bun:test";
import { isBirthdayOn, parseBirthday } from "../../../src/features/contact/birthday.ts";
import {
  easter,
  isHoliday,
  mayCallNow,
  minutesOf,
  nextCallingTime,
  timeOfDayText,
} from "../../../src/features/contact/calling-hours.ts";

const ZONE = "Europe/Vilnius";
const HOURS = { from: 600, to: 1080, holidays: "LT" };
const at = (text: string) => Date.parse(text);
const may = (text: string) => mayCallNow(ZONE, at(text), HOURS);

test("Easter dates match the almanac", () => {
  const known = {
    1700: "4-11",
    1818: "3-22",
    1886: "4-25",
    1943: "4-25",
    1961: "4-2",
    1981: "4-19",
    2024: "3-31",
    2025: "4-20",
    2026: "4-5",
    2027: "3-28",
    2000: "4-23",
    2008: "3-23",
    2011: "4-24",
    2038: "4-25",
    2049: "4-18",
    2285: "3-22",
  };
  for (const [year, day] of Object.entries(known)) {
    const found = easter(Number(year));
    expect([year, `${found.month}-${found.day}`]).toEqual([year, day]);
  }
});

test("a birthday must exist in its month", () => {
  const lastDays = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  for (const [at, last] of lastDays.entries()) {
    const month = String(at + 1).padStart(2, "0");
    expect([month, parseBirthday(`--${month}-${last}`) === null]).toEqual([month, false]);
    expect([month, parseBirthday(`--${month}-${last + 1}`)]).toEqual([month, null]);
  }
});

test("a time of day is read and written with two digits each", () => {
  expect([600, 545, 0, 1439].map(timeOfDayText)).toEqual(["10:00", "09:05", "00:00", "23:59"]);
  expect(["10:00", "09:05", "00:00", "23:59"].map(minutesOf)).toEqual([600, 545, 0, 1439]);
});

describe("nobody is called", () => {
  test("before ten and from six on, by the tenant's clock, in summer and in winter", () => {
    expect(may("2026-11-20T09:59:59+02:00")).toBe(false);
    expect(may("2026-11-20T10:00:00+02:00")).toBe(true);
    expect(may("2026-11-20T17:59:59+02:00")).toBe(true);
    expect(may("2026-11-20T18:00:00+02:00")).toBe(false);
    expect(may("2026-07-17T10:00:00+03:00")).toBe(true);
    expect(may("2026-07-17T09:59:59+03:00")).toBe(false);
  });

  test("on Sundays, on holidays, on Easter Monday", () => {
    expect(may("2026-11-22T12:00:00+02:00")).toBe(false);
    expect(may("2026-12-24T12:00:00+02:00")).toBe(false);
    expect(may("2026-04-06T12:00:00+03:00")).toBe(false);
    expect(isHoliday({ year: 2026, month: 4, day: 3 }, "LV")).toBe(true);
    expect(isHoliday({ year: 2026, month: 4, day: 3 }, "LT")).toBe(false);
    expect(isHoliday({ year: 2026, month: 12, day: 24 }, null)).toBe(false);
  });
});

test("on days when the clocks change the hours still begin at ten", () => {
  // Both are Sundays. Monday's hours do not change, and Sunday's would be right if Sundays were open.
  expect(may("2026-03-30T10:00:00+03:00")).toBe(true);
  expect(may("2026-03-30T09:59:00+03:00")).toBe(false);
  expect(may("2026-10-26T10:00:00+02:00")).toBe(true);
});

test.each([
  ["2026-04-24T09:59:59+03:00", false],
  ["2026-04-24T10:00:00+03:00", true],
  ["2026-04-24T17:59:59+03:00", true],
  ["2026-04-24T18:00:00+03:00", false],
])("if the clocks change on a Friday, that day's hours follow the clock: %s", (text, is) => {
  expect(mayCallNow("Africa/Cairo", at(text), HOURS)).toBe(is);
});

test.each([
  ["2026-10-24T09:59:59-01:00", false],
  ["2026-10-24T10:00:00-01:00", true],
  ["2026-10-24T17:59:59-01:00", true],
  ["2026-10-24T18:00:00-01:00", false],
  ["2026-03-28T09:59:59-02:00", false],
  ["2026-03-28T10:00:00-02:00", true],
  ["2026-03-28T17:59:59-02:00", true],
  ["2026-03-28T18:00:00-02:00", false],
])(
  "if the clocks change on a Saturday after the hours, its hours follow the old clock: %s",
  (text, is) => {
    expect(mayCallNow("America/Nuuk", at(text), HOURS)).toBe(is);
  },
);

test("the next time is now, today's opening, or the next open day's", () => {
  const next = (text: string) =>
    new Date(nextCallingTime(ZONE, at(text), HOURS) ?? 0).toISOString();
  expect(next("2026-11-20T12:00:00+02:00")).toBe("2026-11-20T10:00:00.000Z");
  expect(next("2026-11-20T03:00:00+02:00")).toBe("2026-11-20T08:00:00.000Z");
  expect(next("2026-11-21T18:00:00+02:00")).toBe("2026-11-23T08:00:00.000Z");
  expect(next("2026-12-23T19:00:00+02:00")).toBe("2026-12-28T08:00:00.000Z");
});

test.each([
  ["1896-02-29", false], // before 1900
  ["1899-12-31", false],
  ["1900-01-01", true],
  ["1900-02-29", false],
  ["1900-02-28", true],
  ["1904-02-29", true],
  ["2000-02-29", true],
  ["2023-02-29", false],
  ["2024-02-29", true],
  ["2024-02-30", false],
  ["2024-04-31", false],
  ["--02-29", true],
  ["--02-30", false],
  ["--12-31", true],
  ["--12-32", false],
  ["--13-01", false],
  ["--00-01", false],
  ["--01-00", false],
])("%s is a birthday: %p", (text, isOne) => {
  expect(parseBirthday(text) !== null).toBe(isOne);
});

test.each([
  [1900, 28],
  [2000, 29],
  [2023, 28],
  [2024, 29],
  [2100, 28],
  [2400, 29],
])("a birthday on 29 February is celebrated in %d on the %dth", (year, day) => {
  const leap = { year: null, month: 2, day: 29 };
  const celebrated = [27, 28, 29].filter((on) => isBirthdayOn(leap, { year, month: 2, day: on }));
  expect(celebrated).toEqual([day]);
});

test("29 February is on the 28th in other years, and only then", () => {
  const leap = parseBirthday("--02-29");
  expect(leap).not.toBeNull();
  if (!leap) return;
  expect(isBirthdayOn(leap, { year: 2028, month: 2, day: 29 })).toBe(true);
  expect(isBirthdayOn(leap, { year: 2028, month: 2, day: 28 })).toBe(false);
  expect(isBirthdayOn(leap, { year: 2027, month: 2, day: 28 })).toBe(true);
  expect(isBirthdayOn(leap, { year: 2027, month: 3, day: 1 })).toBe(false);
});

test("Good Friday is a holiday in Estonia, the Saturday after it is not", () => {
  const days = [1, 2, 3, 4, 5].map((day) => isHoliday({ year: 2026, month: 4, day }, "EE"));
  expect(days).toEqual([false, false, true, false, true]);
});

/** J.-M. Oudin's rule of 1940, which calculates differently. */
function easterByOudin(year: number): string {
  const div = (a: number, b: number) => Math.floor(a / b);
  const century = div(year, 100);
  const golden = year % 19;
  const lunar = century - div(century, 4) - div(century - div(century - 17, 25), 3);
  let moon = (lunar + 19 * golden + 15) % 30;
  moon -= div(moon, 28) * (1 - div(moon, 28) * div(29, moon + 1) * div(21 - golden, 11));
  const weekday = (year + div(year, 4) + moon + 2 - century + div(century, 4)) % 7;
  const days = moon - weekday;
  const month = 3 + div(days + 40, 44);
  return `${month}-${days + 28 - 31 * div(month, 4)}`;
}

test("Easter equals another rule's date in each of eight thousand years", () => {
  for (let year = 1_583; year < 9_999; year++) {
    const { month, day } = easter(year);
    if (`${month}-${day}` !== easterByOudin(year))
      expect(`${year}: ${month}-${day}`).toBe(`${year}: ${easterByOudin(year)}`);
  }
});
