/** Long work on the main thread, cut into slices: SIP, HTTP and the database have a turn between them. */
import { systemClock, yieldToEventLoop } from "./clock.ts";

/** Well below what a call would feel. */
const SLICE_MS = 8;

/** To be awaited after every small step: gives the others a turn when this work has run for a slice. */
export function createYielder(): () => Promise<void> {
  let beganAt = systemClock.monotonic();
  return async () => {
    if (systemClock.monotonic() - beganAt < SLICE_MS) return;
    await yieldToEventLoop();
    beganAt = systemClock.monotonic();
  };
}
