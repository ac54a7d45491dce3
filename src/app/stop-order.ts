/** What was started is stopped in the reverse order: each part before what it rests on. */

type Stop = () => void | Promise<void>;

export class StopOrder {
  readonly #stops: Stop[] = [];

  /** When a part has started. */
  add(stop: Stop): void {
    this.#stops.push(stop);
  }

  /** One after the other. A part that fails to stop does not keep the others; the first error is thrown at the end. */
  async run(): Promise<void> {
    const errors: unknown[] = [];
    for (let stop = this.#stops.pop(); stop; stop = this.#stops.pop())
      await Promise.resolve()
        .then(stop)
        .catch((error) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }
}
