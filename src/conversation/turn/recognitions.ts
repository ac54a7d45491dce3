/**
 * Pending recognitions: their number, the latest one, and which of them are still valid after the recogniser
 * was replaced.
 */
import type { SttResult } from "../engine-port.ts";

export class Recognitions {
  #pending = 0;
  #latest: Promise<void> = Promise.resolve();
  #epoch = 0;

  get pending(): boolean {
    return this.#pending > 0;
  }

  /** Settles when the last started recognition is finished. Never rejects. */
  get latest(): Promise<void> {
    return this.#latest;
  }

  add(
    result: Promise<SttResult>,
    onResult: (result: SttResult) => void,
    onFailed: (error: unknown) => void,
  ): void {
    const epoch = this.#epoch;
    const ifCurrent = (task: () => void) => {
      if (epoch === this.#epoch) task();
    };
    this.#pending++;
    this.#latest = result
      .finally(() => this.#pending--)
      .then((text) => ifCurrent(() => onResult(text)))
      .catch((error) => ifCurrent(() => onFailed(error)));
  }

  /** Invalidates all pending recognitions. */
  discardPending(): void {
    this.#epoch++;
  }
}
