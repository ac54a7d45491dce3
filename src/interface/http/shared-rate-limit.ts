/**
 * The sliding window of requests for nodes that share one store: whichever node a request reaches,
 * no 60 seconds hold more than `limit` of one key. Exact as far as the nodes' clocks agree. Costs a
 * transaction a request, so a single node counts in memory instead (rate-limit.ts).
 * Refused requests do not count.
 */
import type { Clock } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import type { RateLimiter, RateLimitResult } from "./ports.ts";

const WINDOW_MS = 60_000;

/** Implemented by store/rate-store.ts. */
interface RequestLog {
  /** Deletes a key's requests up to and including that time. */
  forgetUntil(keyId: number, atMs: number): Promise<void>;
  window(keyId: number): Promise<{ readonly count: number; readonly oldestMs: number | null }>;
  add(keyId: number, atMs: number, count: number): Promise<void>;
}

export function sharedRateLimiter(
  limitOf: () => number,
  deps: {
    readonly database: Database;
    readonly requests: (queries: Queries) => RequestLog;
    readonly clock: Clock;
  },
): RateLimiter {
  const { database, requests, clock } = deps;
  return {
    take: (keyId, weight = 1) =>
      database.tx(async (queries): Promise<RateLimitResult> => {
        const log = requests(queries);
        const limit = limitOf();
        const nowMs = clock.now();
        await log.forgetUntil(keyId, nowMs - WINDOW_MS);
        const { count, oldestMs } = await log.window(keyId);
        const resetSeconds = Math.max(
          1,
          Math.ceil(((oldestMs ?? nowMs) + WINDOW_MS - nowMs) / 1000),
        );
        const places = Math.max(1, Math.min(weight, limit - 1));
        const left = Math.max(0, limit - count);
        if (places > left) return { allowed: false, limit, remaining: left, resetSeconds };
        await log.add(keyId, nowMs, places);
        return { allowed: true, limit, remaining: left - places, resetSeconds };
      }),
  };
}
