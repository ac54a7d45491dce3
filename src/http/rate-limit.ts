/**
 * Sliding window rate limiter: a ring buffer of the last `limit` request times per key, so that at most
 * `limit` requests pass in any 60 seconds. Exact, with 8 bytes per request. Memory covers the keys of the
 * last minute and a few more. Rejected requests do not count.
 */
import type { Clock } from "../core/clock.ts";
import type { RateLimiter, RateLimitResult } from "./ports.ts";

const WINDOW_MS = 60_000;
const KEYS_MAX = 10_000;

interface MemoryRateLimiter extends RateLimiter {
  take(keyId: number, weight?: number): RateLimitResult;
  /** True if one more request would be rejected. Counts nothing. */
  isFull(keyId: number): boolean;
}

interface Ring {
  readonly times: Float64Array;
  /** Index of the oldest of the last `limit` times. The next time replaces it. */
  next: number;
}

/** `limitOf` is called at each request, because the limit may change at run time. */
export function memoryRateLimiter(limitOf: () => number, clock: Clock): MemoryRateLimiter {
  const rings = new Map<number, Ring>();

  function ringOf(keyId: number, limit: number): Ring {
    const known = rings.get(keyId);
    if (known?.times.length === limit) return known;
    if (!known) dropExpired(rings, clock.monotonic());
    if (!known && rings.size >= KEYS_MAX) dropOldest(rings);
    const ring = resized(known, limit);
    rings.set(keyId, ring);
    return ring;
  }

  return {
    isFull(keyId) {
      const ring = rings.get(keyId);
      return ring !== undefined && countFree(ring, clock.monotonic()) === 0;
    },

    take(keyId, weight = 1): RateLimitResult {
      const limit = limitOf();
      const ring = ringOf(keyId, limit);
      const now = clock.monotonic();
      // Never more than the limit allows, because the request itself was counted already.
      const places = Math.max(1, Math.min(weight, limit - 1));
      // The newest of the times that must have expired. Those before it are older.
      const last = ring.times[(ring.next + places - 1) % limit] ?? Number.NEGATIVE_INFINITY;
      if (now - last < WINDOW_MS)
        return {
          allowed: false,
          limit,
          remaining: countFree(ring, now),
          resetSeconds: secondsUntil(last, now),
        };
      for (let taken = 0; taken < places; taken++) {
        ring.times[ring.next] = now;
        ring.next = (ring.next + 1) % limit;
      }
      const remaining = countFree(ring, now);
      return {
        allowed: true,
        limit,
        remaining,
        resetSeconds: secondsUntil(oldestLive(ring, now), now),
      };
    },
  };
}

/** Creates a ring of `limit` times with the latest times of the old one. */
function resized(old: Ring | undefined, limit: number): Ring {
  const times = new Float64Array(limit).fill(Number.NEGATIVE_INFINITY);
  if (!old) return { times, next: 0 };
  const inOrder = [...old.times.subarray(old.next), ...old.times.subarray(0, old.next)];
  const latest = inOrder.slice(-limit);
  times.set(latest, limit - latest.length);
  return { times, next: 0 };
}

const secondsUntil = (start: number, now: number) =>
  Math.max(1, Math.ceil((WINDOW_MS - (now - start)) / 1000));

/** Times are ordered from `next` on, so the expired ones are a prefix: binary search. */
function countFree(ring: Ring, now: number): number {
  const { times, next } = ring;
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const time = times[(next + middle) % times.length] ?? Number.NEGATIVE_INFINITY;
    if (now - time >= WINDOW_MS) low = middle + 1;
    else high = middle;
  }
  return low;
}

function oldestLive(ring: Ring, now: number): number {
  const free = countFree(ring, now);
  return ring.times[(ring.next + free) % ring.times.length] ?? now;
}

/** Checks two keys per new key, so unused keys are removed faster than new ones arrive. */
function dropExpired(rings: Map<number, Ring>, now: number): void {
  for (let looked = 0; looked < 2; looked++) {
    const [longestKept] = rings;
    if (!longestKept) return;
    const [keyId, ring] = longestKept;
    rings.delete(keyId);
    if (countFree(ring, now) < ring.times.length) rings.set(keyId, ring);
  }
}

function dropOldest(rings: Map<number, Ring>): void {
  const [first] = rings.keys();
  if (first !== undefined) rings.delete(first);
}
