/**
 * The RTP ports of one call worker: even numbers for RTP, the next odd one for RTCP (RFC 3550 11).
 * A released pair rests for 30 s, so that late packets of an ended call never reach a new one. If
 * all free pairs rest, the pair with the earliest release is used, after at least 2 s. The media
 * code binds the ports; a port used by another program rests as well.
 */
import type { Clock } from "../../core/clock.ts";
import { type Random, randomInt, systemRandom } from "../../core/random.ts";
import type { PortRange } from "../../platform/config/formats.ts";

const REST_MS = 30_000;
const REST_MS_MIN = 2_000;

export interface PortPool {
  /** An even port that is neither in use nor at rest; null if there is none. */
  acquire(): number | null;
  release(port: number): void;
  /** The total number of pairs. */
  readonly capacity: number;
}

/**
 * Ports are allocated in order from a random start, so that a restart does not reuse recent ones.
 */
export function createPortPool(
  range: PortRange,
  clock: Clock,
  random: Random = systemRandom,
): PortPool {
  const firstEven = range.first + (range.first % 2);
  const capacity = Math.max(0, Math.floor((range.last - firstEven + 1) / 2));
  /** Release time of each free pair; the earliest comes first. */
  const releasedAtMs = new Map<number, number>();
  const used = new Set<number>();
  let cursor = capacity > 0 ? randomInt(random, capacity) : 0;

  const hasRested = (port: number, restMs: number) =>
    clock.monotonic() - (releasedAtMs.get(port) ?? Number.NEGATIVE_INFINITY) >= restMs;
  const take = (port: number) => {
    releasedAtMs.delete(port);
    used.add(port);
    return port;
  };

  return {
    acquire() {
      for (let tried = 0; tried < capacity; tried++) {
        const port = firstEven + 2 * cursor;
        cursor = (cursor + 1) % capacity;
        if (!used.has(port) && hasRested(port, REST_MS)) return take(port);
      }
      const [longestFree] = releasedAtMs.keys();
      if (longestFree === undefined || !hasRested(longestFree, REST_MS_MIN)) return null;
      return take(longestFree);
    },
    release(port) {
      if (used.delete(port)) releasedAtMs.set(port, clock.monotonic());
    },
    capacity,
  };
}
