/** A month as `2026-11`, and the last twelve of them. */
import { systemClock } from "../../../../core/clock.ts";

interface Month {
  readonly year: number;
  readonly month: number;
}

const MONTHS = 12;

export const monthKey = ({ year, month }: Month): string =>
  `${year}-${String(month).padStart(2, "0")}`;

export function lastMonths(): readonly Month[] {
  const now = new Date(systemClock.now());
  return Array.from({ length: MONTHS }, (_, back) => {
    const day = new Date(Date.UTC(now.getFullYear(), now.getMonth() - back, 1));
    return { year: day.getUTCFullYear(), month: day.getUTCMonth() + 1 };
  });
}

export function monthOf(key: string): Month {
  const [year = "2000", month = "1"] = key.split("-");
  return { year: Number(year), month: Number(month) };
}
