/**
 * Logs suspensions, which explain missing calls, registrations and scheduled calls. `process.suspended`:
 * the process did not run (stopped, frozen container, no CPU time). `clock.stepped`: the wall clock was set,
 * or continued while the monotonic clock did not (suspended machine).
 */
import type { Clock, Timer } from "../core/clock.ts";
import type { Log } from "../core/log.ts";

const POLL_EVERY_MS = 1_000;
const STILL_MS_MIN = 5_000;

/** The owner must cancel it. */
export function detectSuspensions(clock: Clock, log: Log): Timer {
  let wallMs = clock.now();
  let monotonicMs = clock.monotonic();
  return clock.every(POLL_EVERY_MS, () => {
    const passedMs = Math.round(clock.monotonic() - monotonicMs);
    const steppedMs = clock.now() - wallMs - passedMs;
    if (passedMs >= STILL_MS_MIN) log.warn("process.suspended", { ms: passedMs });
    if (Math.abs(steppedMs) >= STILL_MS_MIN) log.warn("clock.stepped", { by_ms: steppedMs });
    wallMs = clock.now();
    monotonicMs = clock.monotonic();
  });
}
