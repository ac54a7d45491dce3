/** Days of a tenant's zone, across daylight saving and on days without midnight. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  daySpans,
  daysInMonth,
  dayText,
  instantOf,
  startOfDay,
  timeOn,
  wallClock,
} from "../../../src/core/calendar.ts";

const iso = (epochMs: number) => new Date(epochMs).toISOString();

test.each([
  ["Europe/Vilnius", { year: 2026, month: 11, day: 21 }, "2026-11-20T22:00:00.000Z"],
  ["Europe/Vilnius", { year: 2026, month: 7, day: 1 }, "2026-06-30T21:00:00.000Z"],
  // The night of the change itself, both ways.
  ["Europe/Vilnius", { year: 2026, month: 3, day: 29 }, "2026-03-28T22:00:00.000Z"],
  ["Europe/Vilnius", { year: 2026, month: 3, day: 30 }, "2026-03-29T21:00:00.000Z"],
  ["Europe/Vilnius", { year: 2026, month: 10, day: 26 }, "2026-10-25T22:00:00.000Z"],
  // Midnight of this day did not exist in Beirut: the clocks went from 23:59 to 01:00.
  ["Asia/Beirut", { year: 2026, month: 3, day: 29 }, "2026-03-28T22:00:00.000Z"],
  ["America/New_York", { year: 2026, month: 1, day: 1 }, "2026-01-01T05:00:00.000Z"],
  ["UTC", { year: 2026, month: 13, day: 1 }, "2027-01-01T00:00:00.000Z"],
])("in %s the day %j begins at %s", (zone, day, expected) => {
  expect(iso(startOfDay(zone, day))).toBe(expected);
});

test.each([
  // The clocks go from 02:00 to 03:00.
  ["America/New_York", "2026-03-08T01:59:00", "2026-03-08T06:59:00.000Z"],
  ["America/New_York", "2026-03-08T02:30:00", "2026-03-08T07:30:00.000Z"],
  ["America/New_York", "2026-03-08T03:00:00", "2026-03-08T07:00:00.000Z"],
  // From 03:00 to 04:00.
  ["Europe/Vilnius", "2026-03-29T03:30:00", "2026-03-29T01:30:00.000Z"],
  ["Europe/Vilnius", "2026-10-25T10:00:00", "2026-10-25T08:00:00.000Z"],
  // From 00:00 of the Sunday back to 23:00 of the Saturday.
  ["America/Nuuk", "2026-10-24T10:00:00", "2026-10-24T11:00:00.000Z"],
])("in %s the clocks show %s at %s, or an hour after a skipped time", (zone, written, expected) => {
  expect(iso(instantOf(zone, written))).toBe(expected);
  const at = new Date(`${written}Z`);
  const day = { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate() };
  expect(iso(timeOn(zone, day, at.getUTCHours() * 60 + at.getUTCMinutes()))).toBe(expected);
});

test("the first instant of a day is in that day, the one before is not", () => {
  const zones = [
    "Europe/Vilnius",
    "Europe/Riga",
    "America/New_York",
    "Asia/Kolkata",
    "Asia/Beirut",
    "UTC",
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: 0, max: 12_000 }),
      (zone, daysSince2000) => {
        const date = new Date(Date.UTC(2000, 0, 1 + daysSince2000));
        const day = {
          year: date.getUTCFullYear(),
          month: date.getUTCMonth() + 1,
          day: date.getUTCDate(),
        };
        const start = startOfDay(zone, day);
        expect(dayText(wallClock(zone, start))).toBe(dayText(day));
        expect(dayText(wallClock(zone, start - 1))).not.toBe(dayText(day));
      },
    ),
  );
});

test("days roll over months and leap years", () => {
  const days = daySpans("UTC", { year: 2028, month: 2, day: 28 }, 3);
  expect(days.map(({ date }) => date)).toEqual(["2028-02-28", "2028-02-29", "2028-03-01"]);
  expect([daysInMonth(2028, 2), daysInMonth(2026, 2), daysInMonth(2026, 12)]).toEqual([29, 28, 31]);
});

test("days follow each other without a gap, in each zone, at any time", () => {
  const first = { year: 2026, month: 3, day: 1 };
  for (const zone of ["Europe/Vilnius", "Asia/Beirut", "UTC", "Europe/Vilnius"]) {
    const days = daySpans(zone, first, 300);
    const starts = Array.from({ length: 301 }, (_, n) =>
      startOfDay(zone, { ...first, day: n + 1 }),
    );
    expect(days.map(({ fromMs }) => fromMs)).toEqual(starts.slice(0, -1));
    expect(days.map(({ toMs }) => toMs)).toEqual(starts.slice(1));
    expect([days[30]?.date, days[299]?.date]).toEqual(["2026-03-31", "2026-12-25"]);
  }
});
