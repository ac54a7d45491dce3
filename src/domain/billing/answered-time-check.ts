/**
 * The three-way check of a call's talk time (issue of trust, not of price: the charge follows the
 * clock). Three parts of the appliance measure it on their own:
 * - the clock: answer to BYE, monotonic, on the main thread; what is charged;
 * - RTP: how far the clock of the stream we send ran since the answer, on the call worker's thread;
 * - the engine: seconds of the caller's speech it was given. It hears speech only, so it may be less
 *   than the others, never more.
 */

/** More than one billed second: a part measured wrongly, or a thread stood still. */
export const ANSWERED_TIME_TOLERANCE_MS = 1_000;

/** Milliseconds; null: not measured (the call worker died, or nobody answered). */
interface AnsweredTimeMeasures {
  readonly answeredClockMs: number;
  readonly answeredRtpMs: number | null;
  readonly answeredEngineMs: number | null;
}

interface AnsweredTimeCheck extends AnsweredTimeMeasures {
  /** The largest disagreement. */
  readonly answeredDifferenceMs: number;
}

export function checkAnsweredTime({
  answeredClockMs,
  answeredRtpMs,
  answeredEngineMs,
}: AnsweredTimeMeasures): AnsweredTimeCheck {
  const clockMs = Math.round(answeredClockMs);
  const rtpMs = answeredRtpMs === null ? null : Math.round(answeredRtpMs);
  const engineMs = answeredEngineMs === null ? null : Math.round(answeredEngineMs);
  const differences = [
    rtpMs === null ? 0 : Math.abs(clockMs - rtpMs),
    engineMs === null ? 0 : engineMs - clockMs,
    engineMs === null || rtpMs === null ? 0 : engineMs - rtpMs,
  ];
  return {
    answeredClockMs: clockMs,
    answeredRtpMs: rtpMs,
    answeredEngineMs: engineMs,
    answeredDifferenceMs: Math.max(0, ...differences),
  };
}
