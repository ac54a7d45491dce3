/**
 * Media time-outs of a call. Only one of two limits applies at a time. In `sendrecv` the remote
 * party must send RTP or RTCP. In every other direction the call is on hold, no packets are
 * expected, and the hold itself has a limit. Pure: the caller passes monotonic milliseconds.
 */

import type { MediaTimeout } from "../conversation/audio-port.ts";
import { STOPPED_MS } from "../conversation/limits.ts";
import type { MediaDirection } from "../core/media-plan.ts";

interface MediaTimeoutLimits {
  readonly rtpTimeoutMs: number;
  readonly holdTimeoutMs: number;
}

export class MediaTimeoutWatch {
  #direction: MediaDirection | null = null;
  #sinceMs = 0;
  #checkedMs: number | null = null;
  #told = false;

  constructor(private readonly limits: MediaTimeoutLimits) {}

  /** Applies a media plan. An offer that repeats a hold does not extend it. */
  follow(direction: MediaDirection, nowMs: number): void {
    const staysOnHold = this.#direction !== null && isHold(this.#direction) && isHold(direction);
    this.#direction = direction;
    if (!staysOnHold) this.#sinceMs = nowMs;
  }

  /** Starts counting: the call is answered. */
  restart(nowMs: number): void {
    this.#sinceMs = nowMs;
    this.#checkedMs = nowMs;
  }

  /** `lifeMs`: time of the remote party's last packet; null if none. Reports a time-out once. */
  check(nowMs: number, lifeMs: number | null): MediaTimeout | null {
    const wasStopped = this.#checkedMs !== null && nowMs - this.#checkedMs > STOPPED_MS;
    this.#checkedMs = nowMs;
    if (this.#told || this.#direction === null) return null;
    const held = isHold(this.#direction);
    // The packets of that time are lost, so the remote party gets the full time again.
    if (wasStopped && !held) this.#sinceMs = nowMs;
    const sinceMs = held ? this.#sinceMs : Math.max(this.#sinceMs, lifeMs ?? 0);
    const { rtpTimeoutMs, holdTimeoutMs } = this.limits;
    if (nowMs - sinceMs < (held ? holdTimeoutMs : rtpTimeoutMs)) return null;
    this.#told = true;
    return held ? "held" : "lost";
  }
}

const isHold = (direction: MediaDirection) => direction !== "sendrecv";
