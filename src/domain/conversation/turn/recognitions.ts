/**
 * Recognitions under way: how many, the latest, and which of them still count when the recogniser
 * was lost and replaced meanwhile.
 */
import type { SttResult } from "../engine-port.ts";

export class Recognitions {
  #pending = 0;
  #latest: Promise<void> = Promise.resolve();
  #epoch = 0;

  get pending(): boolean {
    return this.#pending > 0;
  }

  /** Settles when the last one that was begun is understood. Never rejects. */
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

  /** Those under way count no more. */
  discardPending(): void {
    this.#epoch++;
  }
}
