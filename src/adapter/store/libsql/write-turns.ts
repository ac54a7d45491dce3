/**
 * Turns of the transactions of a node on a database server. One has the turn at a time; it gives it away
 * when its COMMIT is on the way, and must have it again before it begins anew. Of those that wait for
 * the answer to their COMMIT there are a bounded number.
 */
import { StoreUnreachable } from "./errors.ts";

export interface Turn {
  /** The next one may begin: it will see all that this one did. */
  release(): void;
  /** Resolves when the turn is ours, before all who have not begun yet. */
  again(): Promise<void>;
  /** The server does not answer: those who wait to begin anew need not ask it, too. */
  giveUpOthers(): void;
}

const UNANSWERED_MAX = 16;

type Waiting = PromiseWithResolvers<void>;

export class WriteTurns {
  readonly #again: Waiting[] = [];
  readonly #urgent: Waiting[] = [];
  readonly #ordinary: Waiting[] = [];
  readonly #running = new Set<Promise<unknown>>();
  #begun = 0;
  #isTaken = false;

  /** In order, urgent ones first. A failure does not block the next. */
  run<Result>(task: (turn: Turn) => Promise<Result>, isUrgent: boolean): Promise<Result> {
    const started = Promise.withResolvers<void>();
    (isUrgent ? this.#urgent : this.#ordinary).push(started);
    this.#next();
    const turn = this.#turn();
    const work = started.promise
      .then(() => task(turn))
      .finally(() => {
        this.#begun--;
        turn.release();
        this.#next();
      });
    this.#running.add(work);
    const end = () => void this.#running.delete(work);
    work.then(end, end);
    return work;
  }

  async idle(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  #next(): void {
    if (this.#isTaken) return;
    const again = this.#again.shift();
    const waiting = again ?? this.#notBegun();
    if (!waiting) return;
    if (!again) this.#begun++;
    this.#isTaken = true;
    waiting.resolve();
  }

  #notBegun(): Waiting | undefined {
    if (this.#begun >= UNANSWERED_MAX) return undefined;
    return this.#urgent.shift() ?? this.#ordinary.shift();
  }

  #turn(): Turn {
    let isOurs = true;
    return {
      release: () => {
        if (!isOurs) return;
        isOurs = false;
        this.#isTaken = false;
        this.#next();
      },
      again: async () => {
        if (isOurs) return;
        const waiting = Promise.withResolvers<void>();
        this.#again.push(waiting);
        this.#next();
        await waiting.promise;
        isOurs = true;
      },
      giveUpOthers: () => {
        for (const { reject } of this.#again.splice(0))
          reject(new StoreUnreachable("the database server is out of reach"));
      },
    };
  }
}
