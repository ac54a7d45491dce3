/**
 * Requests of a worker to the main thread, by number. The main thread answers each; beyond the
 * limit the oldest is dropped.
 */

const WAITING_MAX = 1_000;

export class MainAsks<Reply> {
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #nextAsk = 1;

  constructor(private readonly givenUp: Reply) {}

  /** `post` sends the request with its number. */
  ask(post: (askId: number) => void): Promise<Reply> {
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size >= WAITING_MAX && oldest !== undefined)
      this.answered(oldest, this.givenUp);
    const askId = this.#nextAsk++;
    return new Promise((resolve) => {
      this.#waiting.set(askId, resolve);
      post(askId);
    });
  }

  answered(askId: number, reply: Reply): void {
    this.#waiting.get(askId)?.(reply);
    this.#waiting.delete(askId);
  }
}
