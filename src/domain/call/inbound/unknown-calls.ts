/**
 * Calls to numbers that are not set up: each number leaves one row a minute, and a trunk a few a minute in
 * all, so that a flood fills neither the database nor the webhooks. In memory: a restart begins anew.
 */
import type { Clock } from "../../../core/clock.ts";

export interface UnknownCalls {
  /** True: this call is to be stored and reported; false: one like it was, a short while ago. */
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
