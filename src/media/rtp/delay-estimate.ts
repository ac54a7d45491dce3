/**
 * Delay of packets relative to the fastest ones. Tracks the minimum transit time over the last 5–10
 * s, which moves with clock drift and route changes. The 97th percentile of the delay above it
 * comes from a histogram with decaying weights (half-life about 5 s of 20 ms packets).
 */
const BIN_MS = 5;
const BINS = 128;
const PERCENTILE = 0.97;
const FORGET = 0.997;
const WINDOW_MS = 5000;

export class DelayEstimate {
  readonly #weights = new Float64Array(BINS);
  /** The last bin with a weight: on most lines one of the first. */
  #lastBin = 0;
  #total = 0;
  #windowStartMs = Number.NEGATIVE_INFINITY;
  #currentMin = Number.POSITIVE_INFINITY;
  #previousMin = Number.POSITIVE_INFINITY;
  #percentileMs = 0;

  /** Arrival minus media time of the fastest recent packet. Only differences are meaningful. */
  get transitMsMin(): number {
    const min = Math.min(this.#currentMin, this.#previousMin);
    return min === Number.POSITIVE_INFINITY ? 0 : min;
  }

  /** 97 % of the packets have at most this delay above the fastest packet. */
  get relativeDelayMs(): number {
    return this.#percentileMs;
  }

  add(transitMs: number, nowMs: number): void {
    if (nowMs - this.#windowStartMs > WINDOW_MS) {
      this.#previousMin = this.#currentMin;
      this.#currentMin = Number.POSITIVE_INFINITY;
      this.#windowStartMs = nowMs;
    }
    this.#currentMin = Math.min(this.#currentMin, transitMs);
    const bin = Math.min(BINS - 1, Math.floor((transitMs - this.transitMsMin) / BIN_MS));
    this.#lastBin = Math.max(this.#lastBin, bin);
    for (let index = 0; index <= this.#lastBin; index++) {
      this.#weights[index] = (this.#weights[index] ?? 0) * FORGET;
    }
    this.#weights[bin] = (this.#weights[bin] ?? 0) + 1;
    this.#total = this.#total * FORGET + 1;
    this.#percentileMs = this.#findPercentileMs();
  }

  #findPercentileMs(): number {
    let above = this.#total * (1 - PERCENTILE);
    for (let bin = this.#lastBin; bin > 0; bin--) {
      above -= this.#weights[bin] ?? 0;
      if (above < 0) return (bin + 1) * BIN_MS;
    }
    return 0;
  }
}
