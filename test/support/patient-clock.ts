/**
 * For tests of what is heard and said, not of how soon: limits of a second and more are twenty times as long. Beside
 * other suites a thread may get a tenth of a processor, and what comes too late would count as not having come.
 */
import { type Clock, systemClock } from "../../src/core/clock.ts";

const PATIENT_FROM_MS = 1_000;

export const patientClock: Clock = {
  ...systemClock,
  after: (delayMs, task) =>
    systemClock.after(delayMs < PATIENT_FROM_MS ? delayMs : delayMs * 20, task),
};
