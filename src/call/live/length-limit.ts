/**
 * Maximum length of a call: the agent's maximum, or four hours for two people on a bridge. The conversation
 * normally ends earlier by itself, and politely. This ends the call if that failed.
 *
 * It counts no time above the maximum, however late a timer or a BYE is.
 */
import type { Clock, Timer } from "../../core/clock.ts";

/**
 * The agent's maximum does not apply to two people on a bridge. Money ends most bridges; this ends a forgotten
 * one.
 */
const BRIDGED_SECONDS_MAX = 4 * 3600;

interface LengthLimitOptions {
  readonly clock: Clock;
  /** The agent's maximum. */
  readonly secondsMax: number;
  readonly isBridged: () => boolean;
  readonly onReached: () => void;
}

export class LengthLimit {
  #timer: Timer | null = null;
  #answeredAt: number | null = null;

  constructor(private readonly options: LengthLimitOptions) {}

  /** `answeredAt` is the current monotonic time. */
  begin(answeredAt: number): void {
    const { clock, secondsMax, isBridged, onReached } = this.options;
    this.#answeredAt = answeredAt;
    this.#timer = clock.after(secondsMax * 1000, () => {
      if (!isBridged()) onReached();
      else this.#timer = clock.after((BRIDGED_SECONDS_MAX - secondsMax) * 1000, onReached);
    });
  }

  /** Returns the monotonic time until which the call counts. */
  stop(): number {
    this.#timer?.cancel();
    const { clock, secondsMax, isBridged } = this.options;
    const now = clock.monotonic();
    if (this.#answeredAt === null || isBridged()) return now;
    return Math.min(now, this.#answeredAt + secondsMax * 1000);
  }
}
