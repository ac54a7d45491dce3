/** The dialogue's own timers, each armed for one purpose at a time and stopped together. */
import type { Clock, Timer } from "../../../core/clock.ts";

export class TurnTimers {
  /** An interruption that was none. */
  readonly resume: OneShot;
  /** The sentence before a transfer never ends. */
  readonly holding: OneShot;
  /** The last words never end. */
  readonly closing: OneShot;
  /** The last words cross the network. */
  readonly tail: OneShot;

  constructor(clock: Clock) {
    this.resume = new OneShot(clock);
    this.holding = new OneShot(clock);
    this.closing = new OneShot(clock);
    this.tail = new OneShot(clock);
  }

  stop(): void {
    this.resume.cancel();
    this.holding.cancel();
    this.closing.cancel();
    this.tail.cancel();
  }
}

/** A timer that runs once per arming; arming it again while it runs changes nothing. */
export class OneShot {
  #timer: Timer | null = null;

  constructor(private readonly clock: Clock) {}

  arm(delayMs: number, task: () => void): void {
    this.#timer ??= this.clock.after(delayMs, () => {
      this.#timer = null;
      task();
    });
  }

  cancel(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }
}
