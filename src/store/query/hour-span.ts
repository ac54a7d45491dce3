/** Splits a time span for sums stored per UTC hour: whole hours, and the remaining parts. */
import type { Span } from "../../features/billing/statement.ts";

interface HourSpan {
  /** Hours since the epoch: `fromHour` inclusive, `toHour` exclusive; empty if equal. */
  readonly fromHour: number;
  readonly toHour: number;
  /** The rest of the span: at most two partial hours. */
  readonly edges: readonly Span[];
}

export const HOUR_MS = 3_600_000;

export function hourSpan({ fromMs, toMs }: Span): HourSpan {
  const fromHour = Math.ceil(fromMs / HOUR_MS);
  const toHour = Math.floor(toMs / HOUR_MS);
  if (fromHour >= toHour) {
    const edges = fromMs < toMs ? [{ fromMs, toMs }] : [];
    return { fromHour, toHour: fromHour, edges };
  }
  const edges = [
    { fromMs, toMs: fromHour * HOUR_MS },
    { fromMs: toHour * HOUR_MS, toMs },
  ];
  return { fromHour, toHour, edges: edges.filter((edge) => edge.fromMs < edge.toMs) };
}

const DAY_HOURS = 24;

export type DayParts = ReturnType<typeof dayParts>;

/** Whole UTC days of a span of hours (`fromDay` to `toDay`), and the hours before and after them. */
export function dayParts({ fromHour, toHour }: Pick<HourSpan, "fromHour" | "toHour">) {
  const fromDay = Math.ceil(fromHour / DAY_HOURS);
  const toDay = Math.max(fromDay, Math.floor(toHour / DAY_HOURS));
  const untilHour = Math.min(fromDay * DAY_HOURS, toHour);
  return { fromHour, untilHour, fromDay, toDay, sinceHour: toDay * DAY_HOURS, toHour };
}
