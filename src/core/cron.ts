/**
 * Something that is due at times of the wall clock, in the machine's zone: "30 3 * * *". A timer only looks,
 * every 20 s; whether it is due is worked out from the clock, so that a machine that slept, or whose clock
 * was stepped on, makes up for it once, and one that was set back begins anew from there.
 */
import { Cron } from "croner";
import type { Clock, Timer } from "./clock.ts";

const POLL_EVERY_MS = 20_000;

/** `pattern`: five fields, checked by the configuration. Its owner cancels it. */
export function startCron(clock: Clock, pattern: string, task: () => void): Timer {
  const times = new Cron(pattern, { paused: true });
  const after = (ms: number) => times.nextRun(new Date(ms))?.getTime() ?? Number.POSITIVE_INFINITY;
  let polledAt = clock.now();
  let due = after(polledAt);
  return clock.every(POLL_EVERY_MS, () => {
    const nowMs = clock.now();
    if (nowMs < polledAt) due = after(nowMs);
    polledAt = nowMs;
    if (nowMs < due) return;
    due = after(nowMs);
    task();
  });
}
