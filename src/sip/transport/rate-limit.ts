/**
 * Token buckets per source address, in bounded memory. A flood from one address affects only that
 * address. When the table is full, the least recently used bucket is removed.
 */
import { BoundedMap } from "../../core/bounded-map.ts";
import type { Clock } from "../../core/clock.ts";

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

interface RateLimitOptions {
  readonly tokensPerSecond: number;
  readonly burst: number;
  readonly sourcesMax: number;
}

export class RateLimit {
  readonly #buckets: BoundedMap<string, Bucket>;

  constructor(
    private readonly clock: Clock,
    private readonly options: RateLimitOptions,
  ) {
    this.#buckets = new BoundedMap(options.sourcesMax);
  }

  /** Returns true if the source has a token left. Removes up to `tokens`. */
  take(source: string, tokens = 1): boolean {
    const bucket = this.#refilled(source);
    // A rejected request takes no token. Otherwise a source slightly above the rate would be
    // blocked forever.
    if (bucket.tokens < 1) return false;
    bucket.tokens = Math.max(0, bucket.tokens - tokens);
    return true;
  }

  #refilled(source: string): Bucket {
    const now = this.clock.monotonic();
    const known = this.#buckets.get(source);
    const bucket = known ?? { tokens: this.options.burst, filledAtMs: now };
    const gained = ((now - bucket.filledAtMs) / 1000) * this.options.tokensPerSecond;
    bucket.tokens = Math.min(this.options.burst, bucket.tokens + gained);
    bucket.filledAtMs = now;
    this.#buckets.set(source, bucket);
    return bucket;
  }
}
