/**
 * Turns of a node's transactions on a database server. One transaction has the turn at a time. It releases
 * the turn when its COMMIT was sent, and needs it again for a retry. The number of transactions waiting for
 * the reply to their COMMIT is bounded.
 */
import { StoreUnreachable } from "./errors.ts";

export interface Turn {
  /** Lets the next transaction begin. It will see all changes of this one. */
  release(): void;
  /** Resolves when we have the turn again, before transactions that have not started. */
  again(): Promise<void>;
  /** The server does not answer. Transactions waiting for a retry fail at once. */
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

  /** Runs the tasks in order, urgent ones first. A failure does not block the next. */
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
