/**
 * Keeps a conversation within its length: the closing phrase begins early enough to be heard, and the
 * end is asked for before the limit, whatever is being said. A conversation of two people on a bridge
 * is left alone: `applies` says so.
 */
import type { Clock, Timer } from "../../../core/clock.ts";

/** For the end to reach main and the BYE to leave. */
export const END_BEFORE_LIMIT_MS = 250;
/** Fading out, the first frame of the phrase, and the pause after it. */
const AROUND_PHRASE_MS = 750;
/** How long before the limit the phrase's length is looked up; no phrase is longer. */
const LOOK_BEFORE_LIMIT_MS = 15_000;

interface CallLengthOptions {
  readonly clock: Clock;
  readonly limitMs: number;
  /** How long the closing phrase takes, as far as it is known now. */
  readonly phraseMs: () => number;
  readonly applies: () => boolean;
  /** Say the closing phrase, then ask for the end. */
  readonly close: () => void;
  /** Ask for the end now. */
  readonly cut: () => void;
}

export class CallLength {
  #timer: Timer | null = null;
  #answeredAt = 0;

  constructor(private readonly options: CallLengthOptions) {}

  /** The call is answered now. */
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

  /** `ms` after the answer; at once where that is past. */
  #at(ms: number, task: () => void): void {
    const { clock } = this.options;
    const passedMs = clock.monotonic() - this.#answeredAt;
    this.stop();
    this.#timer = clock.after(Math.max(0, ms - passedMs), task);
  }
}
