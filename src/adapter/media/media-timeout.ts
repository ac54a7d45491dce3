/**
 * When a call's media has been missing for too long. Two limits, never both at once: in `sendrecv`
 * the far end must show life (RTP or RTCP); in every other direction the call is on hold, no packet
 * is awaited, and the hold itself has a limit. Pure: times are the caller's, monotonic milliseconds.
 */
import type { MediaDirection } from "../../core/media-plan.ts";
import type { MediaTimeout } from "../../domain/conversation/audio-port.ts";

interface MediaTimeoutLimits {
  readonly rtpTimeoutMs: number;
  readonly holdTimeoutMs: number;
}

export class MediaTimeoutWatch {
  #direction: MediaDirection | null = null;
  #sinceMs = 0;
  #told = false;

  constructor(private readonly limits: MediaTimeoutLimits) {}

  /** A plan applies. An offer that repeats a hold does not prolong it. */
  follow(direction: MediaDirection, nowMs: number): void {
    const staysOnHold = this.#direction !== null && isHold(this.#direction) && isHold(direction);
    this.#direction = direction;
    if (!staysOnHold) this.#sinceMs = nowMs;
  }

  /** Counts from now on: the call is answered. */
  restart(nowMs: number): void {
    this.#sinceMs = nowMs;
  }

  /** `lifeMs`: when the far end last sent something; null: never. Answers a time-out once. */
  check(nowMs: number, lifeMs: number | null): MediaTimeout | null {
    if (this.#told || this.#direction === null) return null;
    const held = isHold(this.#direction);
    const sinceMs = held ? this.#sinceMs : Math.max(this.#sinceMs, lifeMs ?? 0);
    const { rtpTimeoutMs, holdTimeoutMs } = this.limits;
    if (nowMs - sinceMs < (held ? holdTimeoutMs : rtpTimeoutMs)) return null;
    this.#told = true;
    return held ? "held" : "lost";
  }
}

const isHold = (direction: MediaDirection) => direction !== "sendrecv";
