/**
 * Splits long work on the main thread into slices, so that SIP, HTTP and the database can run in
 * between.
 */
import { systemClock, yieldToEventLoop } from "./clock.ts";

/** Well below a delay that a caller would notice. */
const SLICE_MS = 8;

/**
 * Await it after every small step. It yields to the event loop when the work has run for one slice.
 */
export function createYielder(): () => Promise<void> {
  let beganAt = systemClock.monotonic();
  return async () => {
    if (systemClock.monotonic() - beganAt < SLICE_MS) return;
    await yieldToEventLoop();
    beganAt = systemClock.monotonic();
  };
}
