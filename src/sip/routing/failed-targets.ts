/**
 * Servers that failed recently (RFC 3263 4.3) are tried last, so that a dead server delays one
 * call, not every call. Bounded; shared by all trunks.
 */
import { BoundedMap } from "../../core/bounded-map.ts";
import type { Clock } from "../../core/clock.ts";
import { type Target, targetKey } from "./locate.ts";

const REMEMBERED_MS = 300_000;
const REMEMBERED_MS_MAX = 900_000;
const TARGETS_MAX = 512;

export class FailedTargets {
  readonly #untilMs = new BoundedMap<string, number>(TARGETS_MAX);

  constructor(private readonly clock: Clock) {}

  get size(): number {
    return this.#untilMs.size;
  }

  /** `forMs`: time requested by the server (Retry-After); null if missing. */
  note(target: Target, forMs: number | null = null): void {
    const wantedMs = Math.min(forMs ?? REMEMBERED_MS, REMEMBERED_MS_MAX);
    this.#untilMs.set(targetKey(target), this.clock.monotonic() + wantedMs);
  }

  /** The server has responded. */
  forgive(target: Target): void {
    this.#untilMs.delete(targetKey(target));
  }

  has(target: Target): boolean {
    const key = targetKey(target);
    const untilMs = this.#untilMs.get(key);
    if (untilMs === undefined) return false;
    if (untilMs > this.clock.monotonic()) return true;
    this.#untilMs.delete(key);
    return false;
  }

  /** Returns the same targets with the failed ones last; otherwise the order does not change. */
  order(targets: readonly Target[]): Target[] {
    const failed = new Set(targets.filter((target) => this.has(target)));
    return [...targets.filter((target) => !failed.has(target)), ...failed];
  }
}
