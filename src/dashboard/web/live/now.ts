/** The current time, updated every second, for running clocks. */
import { useEffect, useState } from "react";
import { systemClock } from "../../../core/clock.ts";

export function useNow(periodMs = 1_000): number {
  const [now, setNow] = useState(() => systemClock.now());
  useEffect(() => {
    const timer = systemClock.every(periodMs, () => setNow(systemClock.now()));
    return () => timer.cancel();
  }, [periodMs]);
  return now;
}
