/** Response latencies of a call, as stored with it. */
import type { TurnRecord } from "../../conversation/call-report.ts";

/** Nearest-rank percentile; null for an empty list. */
function percentile(values: readonly number[], share: number): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? null;
}

export function latenciesOf(turns: readonly Pick<TurnRecord, "latencyMs">[]) {
  const values = turns.flatMap((turn) => (turn.latencyMs === null ? [] : [turn.latencyMs]));
  return { latencyP50Ms: percentile(values, 0.5), latencyP95Ms: percentile(values, 0.95) };
}
