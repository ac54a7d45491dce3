/**
 * Stops parts in reverse order of their start, so that each stops before the parts that it uses.
 */

type Stop = () => void | Promise<void>;

export class StopOrder {
  readonly #stops: Stop[] = [];

  /** Registers the stop of a part that has started. */
  add(stop: Stop): void {
    this.#stops.push(stop);
  }

  /**
   * Stops the parts one after another. A part that fails does not prevent the others; the first
   * error is thrown at the end.
   */
  async run(): Promise<void> {
    const errors: unknown[] = [];
    for (let stop = this.#stops.pop(); stop; stop = this.#stops.pop())
      await Promise.resolve()
        .then(stop)
        .catch((error) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }
}
