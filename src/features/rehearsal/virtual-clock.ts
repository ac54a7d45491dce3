/** A virtual clock that only `advance` moves: a minute of a rehearsed call takes as long as its work. */
import { type Clock, type Timer, yieldToEventLoop } from "../../core/clock.ts";

interface Pending {
  dueMs: number;
  readonly periodMs: number | null;
  readonly task: () => void;
}

export class VirtualClock implements Clock {
  readonly #pending = new Set<Pending>();
  #monotonicMs = 0;
  #held: Promise<unknown> = Promise.resolve();
  /** The earliest due time of all timers. */
  #nextDueMs = Number.POSITIVE_INFINITY;

  constructor(private readonly startEpochMs: number) {}

  now(): number {
    return Math.floor(this.startEpochMs + this.#monotonicMs);
  }

  monotonic(): number {
    return this.#monotonicMs;
  }

  after(delayMs: number, task: () => void): Timer {
    return this.#add(delayMs, null, task);
  }

  every(periodMs: number, task: () => void): Timer {
    return this.#add(periodMs, periodMs, task);
  }

  /** Stops time while another thread works, until `held` resolves. */
  hold<Result>(work: Promise<Result>): Promise<Result> {
    const begun = this.#held;
    const done = work.catch(() => {}).then(yieldToEventLoop);
    this.#held = begun.then(() => done);
    return work;
  }

  /** Resolves after all held work and the start of its next step. */
  get held(): Promise<unknown> {
    return this.#held;
  }

  /** Advances the time and runs due timers in order. */
  advance(ms: number): void {
    const untilMs = this.#monotonicMs + ms;
    while (this.#nextDueMs <= untilMs) {
      const due = [...this.#pending].reduce((a, b) => (b.dueMs < a.dueMs ? b : a));
      this.#monotonicMs = Math.max(this.#monotonicMs, due.dueMs);
      if (due.periodMs === null) this.#pending.delete(due);
      else due.dueMs += due.periodMs;
      this.#findNext();
      due.task();
    }
    this.#monotonicMs = untilMs;
  }

  #add(delayMs: number, periodMs: number | null, task: () => void): Timer {
    const pending = { dueMs: this.#monotonicMs + Math.max(0, delayMs), periodMs, task };
    this.#pending.add(pending);
    this.#nextDueMs = Math.min(this.#nextDueMs, pending.dueMs);
    return {
      cancel: () => {
        this.#pending.delete(pending);
        this.#findNext();
      },
    };
  }

  #findNext(): void {
    this.#nextDueMs = Number.POSITIVE_INFINITY;
    for (const { dueMs } of this.#pending) this.#nextDueMs = Math.min(this.#nextDueMs, dueMs);
  }
}
