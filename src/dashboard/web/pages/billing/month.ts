/** Months as `2026-11`: at most the last twelve, since the company was created. */
import { useQuery } from "@tanstack/react-query";
import { systemClock } from "../../../../core/clock.ts";
import { settingsQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";

interface Month {
  readonly year: number;
  readonly month: number;
}

const MONTHS = 12;

export const monthKey = ({ year, month }: Month): string =>
  `${year}-${String(month).padStart(2, "0")}`;

/** Months, newest first. The current month is always included. */
export function useMonths(): readonly Month[] {
  const { data: settings } = useQuery(settingsQuery);
  const { timeZone } = useText();
  // Swedish dates have the format of these keys.
  const keys = new Intl.DateTimeFormat("sv", { timeZone, year: "numeric", month: "2-digit" });
  const now = monthOf(keys.format(systemClock.now()));
  const since = settings ? monthOf(keys.format(Date.parse(settings.created_at))) : now;
  const age = (now.year - since.year) * MONTHS + now.month - since.month + 1;
  return Array.from({ length: Math.min(MONTHS, Math.max(1, age)) }, (_, back) => {
    const day = new Date(Date.UTC(now.year, now.month - 1 - back, 1));
    return { year: day.getUTCFullYear(), month: day.getUTCMonth() + 1 };
  });
}

export function monthOf(key: string): Month {
  const [year = "2000", month = "1"] = key.split("-");
  return { year: Number(year), month: Number(month) };
}
