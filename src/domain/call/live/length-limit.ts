/**
 * The longest a call may be: the agent's maximum, or four hours once two people are joined by a bridge.
 * The conversation ends before it by itself, and politely; this ends the call where that failed, and
 * lets nothing above the maximum be counted, however late a timer or a BYE is.
 */
import type { Clock, Timer } from "../../../core/clock.ts";

/** Two people on a bridge are not the agent's; money ends most, this ends a forgotten one. */
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

  /** The call is answered at this monotonic time, which is now. */
  begin(answeredAt: number): void {
    const { clock, secondsMax, isBridged, onReached } = this.options;
    this.#answeredAt = answeredAt;
    this.#timer = clock.after(secondsMax * 1000, () => {
      if (!isBridged()) onReached();
      else this.#timer = clock.after((BRIDGED_SECONDS_MAX - secondsMax) * 1000, onReached);
    });
  }

  /** The call ends now. Returns the monotonic time until which it counts. */
  stop(): number {
    this.#timer?.cancel();
    const { clock, secondsMax, isBridged } = this.options;
    const now = clock.monotonic();
    if (this.#answeredAt === null || isBridged()) return now;
    return Math.min(now, this.#answeredAt + secondsMax * 1000);
  }
}
