/**
 * The RTP ports of one call worker: even numbers for RTP, the next odd one for RTCP (RFC 3550 11).
 * A released pair is not used for 30 s, so that late packets of an ended call never reach a new
 * one. The media code binds the ports; a port that another program uses is also set aside for 30 s.
 */
import type { Clock } from "../../../core/clock.ts";
import { type Random, randomInt, systemRandom } from "../../../core/random.ts";

const PORT_COOLDOWN_MS = 30_000;

interface PortRange {
  /** Both ends inclusive. */
  readonly first: number;
  readonly last: number;
}

export interface PortPool {
  /** An even port that is neither used nor set aside; null if there is none. */
  acquire(): number | null;
  release(port: number): void;
  readonly inUse: number;
  /** The total number of pairs. */
  readonly capacity: number;
}

/**
 * Ports are handed out in order from a random start, so that a restart does not reuse recent ones.
 */
export function createPortPool(
  range: PortRange,
  clock: Clock,
  random: Random = systemRandom,
): PortPool {
  const firstEven = range.first + (range.first % 2);
  const capacity = Math.max(0, Math.floor((range.last - firstEven + 1) / 2));
  const cooldownUntilMs = new Map<number, number>();
  const used = new Set<number>();
  let cursor = capacity > 0 ? randomInt(random, capacity) : 0;

  const isCoolingDown = (port: number) => {
    const untilMs = cooldownUntilMs.get(port);
    if (untilMs === undefined) return false;
    if (untilMs > clock.monotonic()) return true;
    cooldownUntilMs.delete(port);
    return false;
  };

  return {
    acquire() {
      for (let tried = 0; tried < capacity; tried++) {
        const port = firstEven + 2 * cursor;
        cursor = (cursor + 1) % capacity;
        if (used.has(port) || isCoolingDown(port)) continue;
        used.add(port);
        return port;
      }
      return null;
    },
    release(port) {
      if (used.delete(port)) cooldownUntilMs.set(port, clock.monotonic() + PORT_COOLDOWN_MS);
    },
    get inUse() {
      return used.size;
    },
    capacity,
  };
}
