/**
 * Watches counters that other nodes increase in the store, by this node's monotonic clock: how long has
 * each of them stood still? The time in which this node could not read the store does not count,
 * because the others could not write to it either.
 */
import type { Clock } from "../core/clock.ts";

/** Between two answered looks. After a longer gap every counter is watched anew. */
const GAP_MS_MAX = 5_000;

export class BeatWatch<Key> {
  readonly #known = new Map<Key, { beat: number; since: number; hasMoved: boolean }>();
  #lookedAt: number;

  constructor(private readonly clock: Pick<Clock, "monotonic">) {
    this.#lookedAt = clock.monotonic();
  }

  /** The counters as they were answered now to a question that was asked at `askedAt`. */
  look(beats: ReadonlyMap<Key, number>, askedAt: number): void {
    const nowMs = this.clock.monotonic();
    if (nowMs - this.#lookedAt > GAP_MS_MAX)
      for (const known of this.#known.values()) known.since = nowMs;
    this.#lookedAt = askedAt;
    for (const key of this.#known.keys()) if (!beats.has(key)) this.#known.delete(key);
    for (const [key, beat] of beats) {
      const known = this.#known.get(key);
      if (known?.beat === beat) continue;
      this.#known.set(key, { beat, since: nowMs, hasMoved: known !== undefined });
    }
  }

  /** For how long the counter has stood still; 0 for one that is not known. */
  silentMs(key: Key): number {
    const known = this.#known.get(key);
    return known ? this.clock.monotonic() - known.since : 0;
  }

  /** True if the counter was seen to move: whoever increases it was alive `silentMs` ago. */
  hasMoved(key: Key): boolean {
    return this.#known.get(key)?.hasMoved ?? false;
  }
}
