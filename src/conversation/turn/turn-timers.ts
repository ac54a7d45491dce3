/** The dialogue's timers, each with one purpose, stopped together. */
import type { Clock, Timer } from "../../core/clock.ts";

export class TurnTimers {
  /** Delay until the agent resumes after a false interruption. */
  readonly resume: OneShot;
  /** Limit for the sentence before a transfer. */
  readonly holding: OneShot;
  /** Limit for the last words. */
  readonly closing: OneShot;
  /** Time for the last words to cross the network. */
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

/** A timer that runs once per start; starting it again while it runs has no effect. */
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
