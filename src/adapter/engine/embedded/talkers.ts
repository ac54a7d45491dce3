/** How many callers the embedded recogniser follows, and whether more than those talk. */
import type { Clock } from "../../../core/clock.ts";

/**
 * Talking at once, of one speech thread: 0.07 of a core each, and 30 MB. Further ones wait: on two quiet cores words of four are
 * understood within 0.11 s of the last (95 %), of eight within 0.25, of ten within 0.48.
 */
export const CONCURRENT_UTTERANCES_MAX = 4;

const LATELY_MS = 10_000;

/** The utterances that had to wait lately, of all speech threads. */
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
