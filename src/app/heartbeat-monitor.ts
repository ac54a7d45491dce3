/**
 * Measures how long counters in the store have not changed, with this node's monotonic clock. Other
 * nodes increase the counters. Time without access to the store does not count, because the other
 * nodes could not write then either.
 */
import type { Clock } from "../core/clock.ts";

/** Maximum time between two successful reads. After a longer gap the measurement starts again. */
const GAP_MS_MAX = 5_000;

export class HeartbeatMonitor<Key> {
  readonly #known = new Map<Key, { beat: number; since: number; hasMoved: boolean }>();
  #lookedAt: number;

  constructor(private readonly clock: Pick<Clock, "monotonic">) {
    this.#lookedAt = clock.monotonic();
  }

  /** Records the counters that a read returned now. `askedAt`: when the read started. */
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

  /** Time in ms since the counter last changed; 0 for an unknown counter. */
  silentMs(key: Key): number {
    const known = this.#known.get(key);
    return known ? this.clock.monotonic() - known.since : 0;
  }

  /** Whether the counter has ever changed here: its node was then alive `silentMs` ago. */
  hasMoved(key: Key): boolean {
    return this.#known.get(key)?.hasMoved ?? false;
  }
}
