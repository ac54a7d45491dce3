/**
 * The three-way check of a call's talk time (issue of trust, not of price: the charge follows the
 * clock). Three parts of the appliance measure it on their own:
 * - the clock: answer to BYE, monotonic, on the main thread; what is charged;
 * - RTP: how far the clock of the stream we send ran since the answer, on the call worker's thread;
 * - the engine: seconds of the caller's speech it was given. It hears speech only, so it may be less
 *   than the others, never more.
 */

/** More than one billed second: a part measured wrongly, or a thread stood still. */
export const TALK_TOLERANCE_MS = 1_000;

/** Milliseconds; null: not measured (the call worker died, or nobody answered). */
export interface TalkMeasures {
  readonly talkClockMs: number;
  readonly talkRtpMs: number | null;
  readonly talkEngineMs: number | null;
}

export interface TalkCheck extends TalkMeasures {
  /** The largest disagreement. */
  readonly talkDifferenceMs: number;
}

export function checkTalk({ talkClockMs, talkRtpMs, talkEngineMs }: TalkMeasures): TalkCheck {
  const clockMs = Math.round(talkClockMs);
  const rtpMs = talkRtpMs === null ? null : Math.round(talkRtpMs);
  const engineMs = talkEngineMs === null ? null : Math.round(talkEngineMs);
  const differences = [
    rtpMs === null ? 0 : Math.abs(clockMs - rtpMs),
    engineMs === null ? 0 : engineMs - clockMs,
    engineMs === null || rtpMs === null ? 0 : engineMs - rtpMs,
  ];
  return {
    talkClockMs: clockMs,
    talkRtpMs: rtpMs,
    talkEngineMs: engineMs,
    talkDifferenceMs: Math.max(0, ...differences),
  };
}
