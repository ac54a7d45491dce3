/**
 * Deadline of one request: one limit at a time, for the next expected event. If it passes, or the
 * caller aborts, the pending wait rejects and the request is aborted.
 */
import type { Clock, Timer } from "../../core/clock.ts";

export class RequestDeadline {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #outer: AbortSignal;
  readonly #onOuterAbort = () => this.fail(new Error("aborted"));
  #timer: Timer | null = null;
  #waiting: ((error: Error) => void) | null = null;
  #failure: Error | null = null;
  #bound: { ms: number; failure: () => Error } | null = null;
  /** The limit applies to every pause, not to a single moment. */
  #repeats = false;

  constructor(clock: Clock, outer: AbortSignal) {
    this.#clock = clock;
    this.#outer = outer;
    outer.addEventListener("abort", this.#onOuterAbort, { once: true });
    if (outer.aborted) this.#onOuterAbort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From now on, the next event must come within `ms`. */
  within(ms: number, failure: () => Error): void {
    this.#repeats = false;
    this.#bound = { ms, failure };
    this.#arm();
  }

  /** A part arrived: restarts a limit on pauses. A limit on the beginning continues. */
  received(): void {
    if (this.#repeats) this.#arm();
  }

  /** From now on, an event must come every `ms`. */
  pauses(ms: number, failure: () => Error): void {
    this.within(ms, failure);
    this.#repeats = true;
  }

  /** Settles as `work`, or rejects when the deadline passes. */
  wait<Value>(work: Promise<Value>): Promise<Value> {
    const failure = this.#failure;
    if (failure) {
      work.catch(() => {});
      return Promise.reject(failure);
    }
    return new Promise((resolve, reject) => {
      this.#waiting = reject;
      work.then(resolve, reject).finally(() => {
        if (this.#waiting === reject) this.#waiting = null;
      });
    });
  }

  /** The deadline has passed. */
  fail(error: Error): void {
    if (this.#failure) return;
    this.#failure = error;
    this.#timer?.cancel();
    this.#waiting?.(error);
    this.#waiting = null;
    this.#controller.abort(error);
  }

  /** The request has ended, with or without success. */
  end(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#outer.removeEventListener("abort", this.#onOuterAbort);
  }

  #arm(): void {
    this.#timer?.cancel();
    const bound = this.#bound;
    if (!bound || this.#failure) return;
    this.#timer = this.#clock.after(bound.ms, () => this.fail(bound.failure()));
  }
}
