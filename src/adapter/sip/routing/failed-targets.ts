/**
 * Servers that failed recently (RFC 3263 4.3) are tried last, so that a dead server delays one
 * call, not every call. Bounded; shared by all trunks.
 */
import type { Clock } from "../../../core/clock.ts";
import { type Target, targetKey } from "./locate.ts";

const REMEMBERED_MS = 300_000;
const REMEMBERED_MS_MAX = 900_000;
const TARGETS_MAX = 512;

export class FailedTargets {
  readonly #untilMs = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  get size(): number {
    return this.#untilMs.size;
  }

  /** `forMs`: the time that the server asked for (Retry-After); null: not given. */
  note(target: Target, forMs: number | null = null): void {
    const key = targetKey(target);
    this.#untilMs.delete(key);
    const wantedMs = Math.min(forMs ?? REMEMBERED_MS, REMEMBERED_MS_MAX);
    this.#untilMs.set(key, this.clock.monotonic() + wantedMs);
    if (this.#untilMs.size <= TARGETS_MAX) return;
    const oldest = this.#untilMs.keys().next().value;
    if (oldest !== undefined) this.#untilMs.delete(oldest);
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

  /** The same targets, those that have not failed first; the order is otherwise kept. */
  order(targets: readonly Target[]): Target[] {
    const failed = new Set(targets.filter((target) => this.has(target)));
    return [...targets.filter((target) => !failed.has(target)), ...failed];
  }
}
