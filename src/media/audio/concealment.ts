/**
 * Packet-loss concealment as in ITU-T G.711 Appendix I. A missing block is filled with the last
 * pitch periods. They fade by a fifth every 10 ms after the first 10 ms, and are silent after 60
 * ms. The first block after the gap is blended in. Adds no delay.
 */
const HISTORY_MS = 60;
const PITCH_MS_MIN = 5;
const PITCH_MS_MAX = 15;
const CORRELATION_MS = 20;
const FADE_PER_BLOCK = 0.2;
const BLEND_MS = 5;

export class PacketLossConcealment {
  readonly #history: Int16Array;
  readonly #cycle: Float32Array;
  readonly #continuation: Int16Array;
  readonly #pitchMin: number;
  readonly #pitchMax: number;
  readonly #window: number;
  readonly #blend: number;
  #hasAudio = false;
  /** Consecutive concealed blocks. */
  #concealed = 0;
  #period = 0;
  #phase = 0;
  /** The step between the last sample and the cycle, removed over `#blend` samples. */
  #step = 0;

  constructor(sampleRateHz: number) {
    const perMs = sampleRateHz / 1000;
    this.#history = new Int16Array(HISTORY_MS * perMs);
    this.#cycle = new Float32Array(PITCH_MS_MAX * perMs);
    this.#pitchMin = PITCH_MS_MIN * perMs;
    this.#pitchMax = PITCH_MS_MAX * perMs;
    this.#window = CORRELATION_MS * perMs;
    this.#blend = BLEND_MS * perMs;
    this.#continuation = new Int16Array(this.#blend);
  }

  /** Processes a received block; after a gap its beginning is blended in place. */
  accept(block: Int16Array): void {
    if (this.#concealed > 0) {
      this.#continue(this.#continuation);
      for (let index = 0; index < this.#blend; index++) {
        const weight = (index + 1) / (this.#blend + 1);
        const played = (block[index] ?? 0) * weight;
        block[index] = Math.round(played + (this.#continuation[index] ?? 0) * (1 - weight));
      }
      this.#concealed = 0;
    }
    this.#hasAudio = true;
    this.#remember(block);
  }

  conceal(block: Int16Array): void {
    if (!this.#hasAudio) {
      block.fill(0);
      return;
    }
    if (this.#concealed === 0) this.#prepareCycle();
    this.#continue(block);
    this.#concealed++;
    this.#remember(block);
  }

  /** Clears the history, for a new stream. */
  reset(): void {
    this.#history.fill(0);
    this.#hasAudio = false;
    this.#concealed = 0;
  }

  #remember(block: Int16Array): void {
    const keep = this.#history.length - block.length;
    this.#history.copyWithin(0, block.length);
    this.#history.set(block, keep);
  }

  #continue(into: Int16Array): void {
    const startGain = this.#gainAfter(this.#concealed);
    const endGain = this.#gainAfter(this.#concealed + 1);
    if (startGain === 0) {
      into.fill(0);
      return;
    }
    const isFirst = this.#concealed === 0;
    for (let index = 0; index < into.length; index++) {
      const gain = startGain + ((endGain - startGain) * index) / into.length;
      const remaining = isFirst ? Math.max(0, 1 - index / this.#blend) : 0;
      const value = (this.#cycle[this.#phase] ?? 0) + this.#step * remaining;
      into[index] = Math.max(-32768, Math.min(32767, Math.round(value * gain)));
      this.#phase = (this.#phase + 1) % this.#period;
    }
  }

  #gainAfter(blocks: number): number {
    return Math.max(0, 1 - FADE_PER_BLOCK * Math.max(0, blocks - 1));
  }

  /** Copies the last pitch period and bends its end so that it joins its beginning. */
  #prepareCycle(): void {
    const history = this.#history;
    const period = this.#findPeriod();
    const start = history.length - period;
    const overlap = period >> 2;
    for (let index = 0; index < period; index++) {
      const value = history[start + index] ?? 0;
      const intoOverlap = index - (period - overlap);
      const weight = intoOverlap < 0 ? 0 : (intoOverlap + 1) / (overlap + 1);
      const before = history[start + index - period] ?? 0;
      this.#cycle[index] = value * (1 - weight) + before * weight;
    }
    this.#period = period;
    this.#phase = 0;
    this.#step = (history[history.length - 1] ?? 0) - (history[start - 1] ?? 0);
  }

  /** The lag with the best normalised correlation between the last 20 ms and the samples before. */
  #findPeriod(): number {
    let best = this.#pitchMax;
    let bestScore = 0;
    for (let lag = this.#pitchMin; lag <= this.#pitchMax; lag++) {
      const score = this.#correlation(lag);
      if (score > bestScore) {
        bestScore = score;
        best = lag;
      }
    }
    return best;
  }

  #correlation(lag: number): number {
    const history = this.#history;
    const end = history.length;
    let product = 0;
    let energy = 1;
    for (let index = end - this.#window; index < end; index++) {
      const before = history[index - lag] ?? 0;
      product += (history[index] ?? 0) * before;
      energy += before * before;
    }
    return product <= 0 ? 0 : (product * product) / energy;
  }
}
