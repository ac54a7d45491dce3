/**
 * Hours for unrequested calls: between two times of the tenant's day, except Sundays and public holidays. The
 * holidays of Lithuania, Latvia and Estonia are built in.
 */
import { type CalendarDay, startOfDay, timeOn, wallClock } from "../../core/calendar.ts";

export interface CallingHours {
  /** Minutes after midnight. */
  readonly from: number;
  readonly to: number;
  /** ISO 3166 country of the holidays; null: no holidays. */
  readonly holidays: string | null;
}

const DAYS_AHEAD_MAX = 31;

/** Holidays on the same date every year, month and day. */
const FIXED: Readonly<Record<string, readonly string[]>> = {
  LT: [
    "01-01",
    "02-16",
    "03-11",
    "05-01",
    "06-24",
    "07-06",
    "08-15",
    "11-01",
    "11-02",
    "12-24",
    "12-25",
    "12-26",
  ],
  LV: ["01-01", "05-01", "05-04", "06-23", "06-24", "11-18", "12-24", "12-25", "12-26", "12-31"],
  EE: ["01-01", "02-24", "05-01", "06-23", "06-24", "08-20", "12-24", "12-25", "12-26"],
};
/** Holidays relative to Easter Sunday, in days. */
const MOVING: Readonly<Record<string, readonly number[]>> = {
  LT: [0, 1],
  LV: [-2, 0, 1],
  EE: [-2, 0],
};

export const HOLIDAY_COUNTRIES: readonly string[] = Object.keys(FIXED);

/** Easter Sunday of the Gregorian calendar (Meeus, Jones, Butcher). */
export function easter(year: number): { readonly month: number; readonly day: number } {
  const a = year % 19;
  const [b, c] = [Math.floor(year / 100), year % 100];
  const [d, e] = [Math.floor(b / 4), b % 4];
  const g = Math.floor((8 * b + 13) / 25);
  const h = (19 * a + b - d - g + 15) % 30;
  const [i, k] = [Math.floor(c / 4), c % 4];
  const l = (32 + 2 * e + 2 * i - h - k) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const month = Math.floor((h + l - 7 * m + 114) / 31);
  return { month, day: ((h + l - 7 * m + 114) % 31) + 1 };
}

export function isHoliday({ year, month, day }: CalendarDay, country: string | null): boolean {
  if (country === null) return false;
  const text = `${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
  if (FIXED[country]?.includes(text)) return true;
  const sunday = easter(year);
  const away = Math.round(
    (Date.UTC(year, month - 1, day) - Date.UTC(year, sunday.month - 1, sunday.day)) / 86_400_000,
  );
  return MOVING[country]?.includes(away) ?? false;
}

const isSunday = ({ year, month, day }: CalendarDay): boolean =>
  new Date(Date.UTC(year, month - 1, day)).getUTCDay() === 0;

/** The hours of a day; null: no calls that day. */
export function hoursOf(
  zone: string,
  day: CalendarDay,
  hours: CallingHours,
): { readonly fromMs: number; readonly toMs: number } | null {
  if (isSunday(day) || isHoliday(day, hours.holidays)) return null;
  return { fromMs: timeOn(zone, day, hours.from), toMs: timeOn(zone, day, hours.to) };
}

export function mayCallNow(zone: string, nowMs: number, hours: CallingHours): boolean {
  const today = hoursOf(zone, wallClock(zone, nowMs), hours);
  return today !== null && nowMs >= today.fromMs && nowMs < today.toMs;
}

/** The first permitted time from `fromMs` on; null if none within a month. */
export function nextCallingTime(zone: string, fromMs: number, hours: CallingHours): number | null {
  const first = wallClock(zone, fromMs);
  for (let ahead = 0; ahead <= DAYS_AHEAD_MAX; ahead++) {
    const start = startOfDay(zone, { ...first, day: first.day + ahead });
    const open = hoursOf(zone, wallClock(zone, start), hours);
    if (open && fromMs < open.toMs) return Math.max(fromMs, open.fromMs);
  }
  return null;
}

/** `10:00` → 600. */
export function minutesOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(":").map(Number);
  return hours * 60 + minutes;
}

/** 600 → `10:00`. */
export const timeOfDayText = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
