/**
 * Enforces the maximum length of a conversation. The closing phrase begins early enough to be heard, and the
 * end is requested before the limit in any state. A bridged conversation of two people is not limited: see
 * `applies`.
 */
import type { Clock, Timer } from "../../core/clock.ts";

/** Time for the request to reach main and for the BYE to be sent. */
export const END_BEFORE_LIMIT_MS = 250;
/** Fade-out, first frame of the phrase, and pause after it. */
const AROUND_PHRASE_MS = 750;
/** The phrase's length is looked up this long before the limit. No phrase is longer. */
const LOOK_BEFORE_LIMIT_MS = 15_000;

interface CallLengthOptions {
  readonly clock: Clock;
  readonly limitMs: number;
  /** Current estimate of the closing phrase's length. */
  readonly phraseMs: () => number;
  readonly applies: () => boolean;
  /** Say the closing phrase, then request the end. */
  readonly close: () => void;
  /** Request the end now. */
  readonly cut: () => void;
}

export class CallLength {
  #timer: Timer | null = null;
  #answeredAt = 0;

  constructor(private readonly options: CallLengthOptions) {}

  begin(): void {
    this.#answeredAt = this.options.clock.monotonic();
    this.#at(this.options.limitMs - LOOK_BEFORE_LIMIT_MS, () => this.#planClosing());
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  #planClosing(): void {
    const { limitMs, phraseMs } = this.options;
    const neededMs = phraseMs() + AROUND_PHRASE_MS + END_BEFORE_LIMIT_MS;
    this.#at(limitMs - neededMs, () => this.#close());
  }

  #close(): void {
    const { limitMs, applies, close, cut } = this.options;
    if (!applies()) return;
    close();
    this.#at(limitMs - END_BEFORE_LIMIT_MS, () => {
      if (applies()) cut();
    });
  }

  /** Runs the task `ms` after the answer, or immediately if that time is past. */
  #at(ms: number, task: () => void): void {
    const { clock } = this.options;
    const passedMs = clock.monotonic() - this.#answeredAt;
    this.stop();
    this.#timer = clock.after(Math.max(0, ms - passedMs), task);
  }
}
