/** Limit of concurrent speakers in the embedded recogniser, and whether it is exceeded. */
import { availableParallelism } from "node:os";
import type { Clock } from "../../core/clock.ts";

/**
 * Callers per speech worker who may talk at the same time. Each takes about 0.2 of a core while
 * talking.
 */
export const CONCURRENT_UTTERANCES_MAX = 4;

/** Threads for recognising English per speech worker. All workers together have one per core. */
export const transcribersFor = (speechWorkers: number): number =>
  Math.max(1, Math.floor(availableParallelism() / speechWorkers));

const LATELY_MS = 10_000;

/** Recent utterances with late texts, in all speech workers. */
export class ConcurrentSpeakers {
  /** The newest ones, one more than allowed. */
  readonly #waitedAt: number[] = [];

  constructor(
    private readonly clock: Clock,
    /** Maximum concurrent speakers in all threads. */
    private readonly talkersMax: number,
  ) {}

  waited(): void {
    this.#waitedAt.push(this.clock.monotonic());
    if (this.#waitedAt.length > this.talkersMax + 1) this.#waitedAt.shift();
  }

  /** True if more utterances than this maximum had to wait in the last ten seconds. */
  get areTooMany(): boolean {
    const [first = 0] = this.#waitedAt;
    if (this.#waitedAt.length <= this.talkersMax) return false;
    return this.clock.monotonic() - first <= LATELY_MS;
  }
}
