/**
 * Runs a task at times of the wall clock in the machine's time zone, such as "30 3 * * *". A timer
 * checks every 20 s whether the task is due. After a sleep or a step forward the task runs once;
 * after a step back the schedule restarts from the new time.
 */
import { Cron } from "croner";
import type { Clock, Timer } from "./clock.ts";

const POLL_EVERY_MS = 20_000;

/** `pattern`: five fields, validated by the configuration. The caller must cancel it. */
export function startCron(clock: Clock, pattern: string, task: () => void): Timer {
  let times: Cron | null = null;
  const after = (ms: number) => {
    times ??= new Cron(pattern, { paused: true });
    return times.nextRun(new Date(ms))?.getTime() ?? Number.POSITIVE_INFINITY;
  };
  let polledAt = clock.now();
  /** Null until the first check, because time zones load slowly. */
  let due: number | null = null;
  return clock.every(POLL_EVERY_MS, () => {
    const nowMs = clock.now();
    if (due === null || nowMs < polledAt) due = after(Math.min(nowMs, polledAt));
    polledAt = nowMs;
    if (nowMs < due) return;
    due = after(nowMs);
    task();
  });
}
