/**
 * Whose audio is decoded next, of those who are behind: piece by piece, so that the thread has time for those
 * who are followed as they talk. Whoever has ended is waited for and comes first, one after the other; the
 * others take turns.
 */
import type { Clock, Timer } from "../../../../core/clock.ts";

export interface Backlog {
  readonly isEnded: boolean;
  /** Decodes a piece. True: there is more. */
  decodePiece(): boolean;
}

/** Others may use the thread between two pieces. */
const BETWEEN_PIECES_MS = 1;

export class PieceQueue {
  readonly #waiting = new Set<Backlog>();
  #timer: Timer | null = null;

  constructor(private readonly clock: Clock) {}

  add(backlog: Backlog): void {
    this.#waiting.add(backlog);
    this.#timer ??= this.clock.after(BETWEEN_PIECES_MS, () => this.#next());
  }

  /** One that ended comes after those that ended before. */
  ended(backlog: Backlog): void {
    if (this.#waiting.delete(backlog)) this.#waiting.add(backlog);
  }

  remove(backlog: Backlog): void {
    this.#waiting.delete(backlog);
  }

  #next(): void {
    this.#timer = null;
    const [first] = this.#waiting;
    const next = this.#waiting.values().find(({ isEnded }) => isEnded) ?? first;
    if (next === undefined) return;
    let isMore = false;
    try {
      isMore = next.decodePiece();
    } finally {
      if (!isMore) this.#waiting.delete(next);
      else if (!next.isEnded && this.#waiting.delete(next)) this.#waiting.add(next);
      const [another] = this.#waiting;
      if (another) this.add(another);
    }
  }
}
