/**
 * Counts audio stalls reported by call workers, the first sign of too little processor time. A single long
 * stall, such as during a snapshot, causes no warning.
 */
import type { Clock } from "../core/clock.ts";

const WINDOW_MS = 600_000;
const STALLS_MIN = 20;
const KEPT_MAX = 1_000;

export interface StallMonitor {
  report(lateMs: number): void;
  /** Null: few stalls in the last ten minutes, or nobody talked. */
  warning(): string | null;
}

export function createStallMonitor(clock: Pick<Clock, "monotonic">): StallMonitor {
  const stalls: { readonly atMs: number; readonly lateMs: number }[] = [];
  return {
    report(lateMs) {
      stalls.push({ atMs: clock.monotonic(), lateMs });
      if (stalls.length > KEPT_MAX) stalls.shift();
    },
    warning() {
      const since = clock.monotonic() - WINDOW_MS;
      const recent = stalls.filter(({ atMs }) => atMs > since);
      if (recent.length < STALLS_MIN) return null;
      const seconds = Math.round(recent.reduce((sum, { lateMs }) => sum + lateMs, 0) / 1000);
      return `Callers hear gaps: the CPU was too busy, so audio stopped ${recent.length} times in the last ten minutes, ${seconds} s in all. Give the machine more CPU time, or move other work away from the machine and its host (docs/sizing.md).`;
    },
  };
}
