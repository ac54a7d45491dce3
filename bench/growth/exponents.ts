/**
 * How costs grow with the amount of work, as the exponent of a power law between the smallest and
 * the largest amount: 0 is no growth, 1 is in proportion. Processor time, not the clock's.
 */

import { measureReads } from "../http/reads.ts";
import { measurePacing } from "../media/pacing.ts";

export interface Growth {
  readonly what: string;
  readonly amounts: readonly number[];
  /** Processor time at each amount, in `unit`. */
  readonly costs: readonly number[];
  readonly unit: string;
  readonly exponent: number;
}

const PACED_STREAMS = [50, 250] as const;
const STORED_CALLS = [1_000, 100_000] as const;

export async function measureGrowth(seconds: number): Promise<Growth[]> {
  const paced = [];
  for (const streams of PACED_STREAMS) {
    const result = await measurePacing(streams, seconds);
    if (result) paced.push(result.ours.cpuPercent);
  }
  const stored = new Map<string, number[]>();
  for (const callsStored of STORED_CALLS) {
    for (const { path, cpuMicroseconds = 0 } of await measureReads({ callsStored, seconds })) {
      stored.set(path, [...(stored.get(path) ?? []), cpuMicroseconds]);
    }
  }
  const reads = [...stored].map(([path, costs]) =>
    growth(`GET ${path} against calls stored`, STORED_CALLS, costs, "µs a request"),
  );
  return [growth("RTP streams", PACED_STREAMS, paced, "% of a core"), ...reads];
}

function growth(
  what: string,
  amounts: readonly number[],
  costs: readonly number[],
  unit: string,
): Growth {
  const ratio = (values: readonly number[]) => (values.at(-1) ?? 1) / (values[0] || 1);
  const exponent = Math.log(ratio(costs)) / Math.log(ratio(amounts));
  return { what, amounts, costs, unit, exponent };
}

if (import.meta.main) console.table(await measureGrowth(2));
