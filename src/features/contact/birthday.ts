/** Birthdays, with or without a year. */
import { isoUtc } from "../../core/clock.ts";

/** Month 1–12, day 1–31. */
interface Birthday {
  readonly year: number | null;
  readonly month: number;
  readonly day: number;
}

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const EARLIEST_YEAR = 1900;

const isLeap = (year: number) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/** Parses `1980-02-29` or `--02-29`; null if the day does not exist. */
export function parseBirthday(text: string): Birthday | null {
  const match = /^(?:(\d{4})|-)-(\d{2})-(\d{2})$/.exec(text);
  if (!match) return null;
  const year = match[1] === undefined ? null : Number(match[1]);
  const [month, day] = [Number(match[2]), Number(match[3])];
  if (day < 1 || day > (DAYS[month - 1] ?? 0)) return null;
  if (year === null) return { year, month, day };
  if (year < EARLIEST_YEAR || (month === 2 && day === 29 && !isLeap(year))) return null;
  return { year, month, day };
}

/** Days begin first at UTC+14. */
const EASTERNMOST_MS = 14 * 3_600_000;

/** True if a date with a year is in the future everywhere: a typing error. */
export const isYetToCome = (birthday: string, nowMs: number): boolean =>
  parseBirthday(birthday)?.year != null && birthday > isoUtc(nowMs + EASTERNMOST_MS).slice(0, 10);

/** In other than leap years, a birthday on 29 February is on the 28th. */
export function isBirthdayOn(
  birthday: Birthday,
  date: { readonly year: number; readonly month: number; readonly day: number },
): boolean {
  const { month } = birthday;
  const moved = month === 2 && birthday.day === 29 && !isLeap(date.year);
  return month === date.month && (moved ? 28 : birthday.day) === date.day;
}
