/**
 * A clock for tests about the content of speech, not its delay: limits of a second or more are twenty times
 * as long. Next to other suites, a thread may get a tenth of a CPU, so it would miss normal limits.
 */
import { type Clock, systemClock } from "../../src/core/clock.ts";

const PATIENT_FROM_MS = 1_000;

export const patientClock: Clock = {
  ...systemClock,
  after: (delayMs, task) =>
    systemClock.after(delayMs < PATIENT_FROM_MS ? delayMs : delayMs * 20, task),
};
