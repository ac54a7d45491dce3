/** A span of time taken apart for sums that are kept by UTC hour: whole hours, and what lies beside them. */
import type { Span } from "../../domain/billing/statement.ts";

interface HourSpan {
  /** Hours since the epoch: from, inclusive, to, exclusive; empty where both are the same. */
  readonly fromHour: number;
  readonly toHour: number;
  /** What is left of the span: two parts of hours at most. */
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
