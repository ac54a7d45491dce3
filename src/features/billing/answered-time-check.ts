/**
 * Compares three independent measures of a call's talk time. The check finds measuring errors; the
 * charge follows the clock.
 * - Clock: from the answer to BYE, monotonic, on the main thread. This is charged.
 * - RTP: how far the clock of our stream ran since the answer, on the call worker's thread.
 * - Engine: seconds of the caller's speech it received. Speech only: it may be less than the others,
 *   but never more.
 */

/** A larger difference means that a part measured wrongly or a thread was blocked. */
export const ANSWERED_TIME_TOLERANCE_MS = 1_000;

/** Milliseconds; null if not measured, because the call worker died or nobody answered. */
interface AnsweredTimeMeasures {
  readonly answeredClockMs: number;
  readonly answeredRtpMs: number | null;
  readonly answeredEngineMs: number | null;
}

/** True if the operator should investigate. */
export const isTooFarOff = ({ answeredDifferenceMs }: AnsweredTimeCheck): boolean =>
  answeredDifferenceMs > ANSWERED_TIME_TOLERANCE_MS;

interface AnsweredTimeCheck extends AnsweredTimeMeasures {
  /** The largest difference between two measures. */
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
