/** How many callers the embedded recogniser follows, and whether more than those talk. */
import { availableParallelism } from "node:os";
import type { Clock } from "../../../core/clock.ts";

/** Callers per speech worker who may talk at once; each takes about 0.2 of a core while talking. */
export const CONCURRENT_UTTERANCES_MAX = 4;

/** Threads that read English for each of `speechWorkers`: together one per core. */
export const transcribersFor = (speechWorkers: number): number =>
  Math.max(1, Math.floor(availableParallelism() / speechWorkers));

const LATELY_MS = 10_000;

/** The utterances whose text came late recently, in all speech workers. */
export class WaitingTalkers {
  /** The newest, one more than may be. */
  readonly #waitedAt: number[] = [];

  constructor(
    private readonly clock: Clock,
    /** Callers who are followed at once, by all threads. */
    private readonly talkersMax: number,
  ) {}

  waited(): void {
    this.#waitedAt.push(this.clock.monotonic());
    if (this.#waitedAt.length > this.talkersMax + 1) this.#waitedAt.shift();
  }

  /** More utterances than can be followed at once had to wait in the last ten seconds. */
  get areTooMany(): boolean {
    const [first = 0] = this.#waitedAt;
    if (this.#waitedAt.length <= this.talkersMax) return false;
    return this.clock.monotonic() - first <= LATELY_MS;
  }
}
