/**
 * Limits stored calls to unknown numbers to one per number and minute, and a few per trunk and minute. So a
 * flood fills neither the database nor the webhooks. Kept in memory: a restart resets it.
 */
import type { Clock } from "../../core/clock.ts";

export interface UnknownCalls {
  /** True if this call should be stored and reported; false if a similar one was stored shortly before. */
  isToBeStored(trunkId: number, number: string): boolean;
}

const PERIOD_MS = 60_000;
const ROWS_MAX = 5;
const TRUNKS_MAX = 10_000;

export function createUnknownCalls(clock: Pick<Clock, "monotonic">): UnknownCalls {
  const recent = new Map<number, { readonly sinceMs: number; readonly numbers: Set<string> }>();
  return {
    isToBeStored(trunkId, number) {
      const now = clock.monotonic();
      const known = recent.get(trunkId);
      if (known && now - known.sinceMs < PERIOD_MS) {
        if (known.numbers.size >= ROWS_MAX || known.numbers.has(number)) return false;
        known.numbers.add(number);
        return true;
      }
      if (recent.size >= TRUNKS_MAX) recent.clear();
      recent.set(trunkId, { sinceMs: now, numbers: new Set([number]) });
      return true;
    },
  };
}
