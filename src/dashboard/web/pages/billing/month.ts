/** A month as `2026-11`, and the last twelve of them that the company has been here. */
import { useQuery } from "@tanstack/react-query";
import { systemClock } from "../../../../core/clock.ts";
import { settingsQuery } from "../../api/queries.ts";

interface Month {
  readonly year: number;
  readonly month: number;
}

const MONTHS = 12;

export const monthKey = ({ year, month }: Month): string =>
  `${year}-${String(month).padStart(2, "0")}`;

/** The newest first; the current one is always among them. */
export function useMonths(): readonly Month[] {
  const { data: settings } = useQuery(settingsQuery);
  const now = new Date(systemClock.now());
  const since = settings ? new Date(settings.created_at) : now;
  const age =
    (now.getFullYear() - since.getFullYear()) * MONTHS + now.getMonth() - since.getMonth() + 1;
  return Array.from({ length: Math.min(MONTHS, Math.max(1, age)) }, (_, back) => {
    const day = new Date(Date.UTC(now.getFullYear(), now.getMonth() - back, 1));
    return { year: day.getUTCFullYear(), month: day.getUTCMonth() + 1 };
  });
}

export function monthOf(key: string): Month {
  const [year = "2000", month = "1"] = key.split("-");
  return { year: Number(year), month: Number(month) };
}
