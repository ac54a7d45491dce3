/** Retry times of a failed delivery (decisions 10). Pure. */
import type { Random } from "./random.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delay before each attempt, by index. The first attempt has no delay. */
export const ATTEMPT_DELAYS_MS: readonly number[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
];

/** A webhook whose deliveries have all failed for this long is disabled. */
export const DISABLE_AFTER_MS = 5 * 24 * HOUR;

const JITTER = 0.1;
/** Upper bound for a receiver's `Retry-After`. */
const RETRY_AFTER_MAX_MS = 10 * HOUR;

/**
 * Milliseconds until the next attempt after `attemptsMade`; null if there are no more attempts.
 * `Retry-After` can make it later, never sooner.
 */
export function nextDelayMs(
  attemptsMade: number,
  retryAfterMs: number | null,
  random: Random,
): number | null {
  const planned = ATTEMPT_DELAYS_MS[attemptsMade];
  if (planned === undefined) return null;
  const jittered = Math.round(planned * (1 - JITTER + 2 * JITTER * random.float()));
  return Math.max(jittered, Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS));
}

/** `Retry-After` in seconds or as an HTTP date (RFC 9110 10.2.3); null when absent or invalid. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | null {
  if (value === undefined) return null;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value.trim()) * SECOND;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}
