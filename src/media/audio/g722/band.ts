/**
 * One sub-band of ITU-T G.722: its scale factor and its predictor. Encoder and decoder run the same
 * code, and only transmitted values change the state. Integer arithmetic with the truncations and
 * the saturation of the Recommendation (6.2.1.3 to 6.2.1.4, blocks 3L, 4L, 3H, 4H). Names follow
 * the Recommendation if it has any.
 */
import { ANTILOG } from "./tables.ts";

const POLE_2_MAX = 12288;
const POLE_SUM_MAX = 15360;
/** Shift of the scale factor per band: the lower band's is four times as fine. */
const LOWER_SHIFT = 8;
const HIGHER_SHIFT = 10;

export class G722Band {
  /** DET: the quantiser's scale factor. */
  scale: number;
  /** S: the predictor's estimate of the next sample. */
  estimate = 0;
  readonly #shift: number;
  readonly #logStep: Int32Array;
  readonly #logMax: number;
  #logScale = 0;
  /** A1, A2: poles. B1–B6: zeros. */
  #a1 = 0;
  #a2 = 0;
  #b1 = 0;
  #b2 = 0;
  #b3 = 0;
  #b4 = 0;
  #b5 = 0;
  #b6 = 0;
  /** D1–D6: the last quantised differences. */
  #d1 = 0;
  #d2 = 0;
  #d3 = 0;
  #d4 = 0;
  #d5 = 0;
  #d6 = 0;
  /** R1: the last reconstructed sample. P1, P2: the last partly reconstructed ones. */
  #r1 = 0;
  #p1 = 0;
  #p2 = 0;
  /** SZ: the contribution of the zeros to the estimate. */
  #zeros = 0;

  constructor(band: "lower" | "higher", logStep: Int32Array, logMax: number) {
    this.#shift = band === "lower" ? LOWER_SHIFT : HIGHER_SHIFT;
    this.scale = band === "lower" ? 32 : 8;
    this.#logStep = logStep;
    this.#logMax = logMax;
  }

  /** LOGSCL, SCALEL (LOGSCH, SCALEH): the next scale factor, by the transmitted codeword. */
  adaptScale(codeword: number): void {
    const decayed = ((this.#logScale * 127) >> 7) + (this.#logStep[codeword] ?? 0);
    this.#logScale = Math.max(0, Math.min(this.#logMax, decayed));
    const fraction = ANTILOG[(this.#logScale >> 6) & 31] ?? 0;
    const shift = this.#shift - (this.#logScale >> 11);
    this.scale = (shift < 0 ? fraction << -shift : fraction >> shift) << 2;
  }

  /** Block 4: adds a quantised difference and computes the next estimate. */
  predict(difference: number): void {
    const reconstructed = saturate(this.estimate + difference);
    const partial = saturate(this.#zeros + difference);
    this.#adaptPoles(partial);
    this.#adaptZeros(difference);
    this.#zeros = this.#filterZeros();
    const poles = saturate(
      ((this.#a1 * saturate(reconstructed * 2)) >> 15) +
        ((this.#a2 * saturate(this.#r1 * 2)) >> 15),
    );
    this.#r1 = reconstructed;
    this.#p2 = this.#p1;
    this.#p1 = partial;
    this.estimate = saturate(poles + this.#zeros);
  }

  /** UPPOL2, then UPPOL1, limited by the new second pole. */
  #adaptPoles(partial: number): void {
    const sign = partial >> 15;
    const likeFirst = sign === this.#p1 >> 15;
    const likeSecond = sign === this.#p2 >> 15;
    const first = saturate(this.#a1 * 4);
    const towards = likeFirst ? (first === -32768 ? 32767 : -first) : first;
    const a2 = (likeSecond ? 128 : -128) + (towards >> 7) + ((this.#a2 * 32512) >> 15);
    this.#a2 = Math.max(-POLE_2_MAX, Math.min(POLE_2_MAX, a2));
    const limit = POLE_SUM_MAX - this.#a2;
    const a1 = (likeFirst ? 192 : -192) + ((this.#a1 * 32640) >> 15);
    this.#a1 = Math.max(-limit, Math.min(limit, a1));
  }

  /** UPZERO and DELAYA. A leak of 1/256, and a step that depends on whether the signs agree. */
  #adaptZeros(difference: number): void {
    const step = difference === 0 ? 0 : 128;
    const sign = difference >> 15;
    this.#b1 = ((this.#b1 * 32640) >> 15) + (this.#d1 >> 15 === sign ? step : -step);
    this.#b2 = ((this.#b2 * 32640) >> 15) + (this.#d2 >> 15 === sign ? step : -step);
    this.#b3 = ((this.#b3 * 32640) >> 15) + (this.#d3 >> 15 === sign ? step : -step);
    this.#b4 = ((this.#b4 * 32640) >> 15) + (this.#d4 >> 15 === sign ? step : -step);
    this.#b5 = ((this.#b5 * 32640) >> 15) + (this.#d5 >> 15 === sign ? step : -step);
    this.#b6 = ((this.#b6 * 32640) >> 15) + (this.#d6 >> 15 === sign ? step : -step);
    this.#d6 = this.#d5;
    this.#d5 = this.#d4;
    this.#d4 = this.#d3;
    this.#d3 = this.#d2;
    this.#d2 = this.#d1;
    this.#d1 = difference;
  }

  /** FILTEZ. */
  #filterZeros(): number {
    return saturate(
      ((this.#b1 * saturate(this.#d1 * 2)) >> 15) +
        ((this.#b2 * saturate(this.#d2 * 2)) >> 15) +
        ((this.#b3 * saturate(this.#d3 * 2)) >> 15) +
        ((this.#b4 * saturate(this.#d4 * 2)) >> 15) +
        ((this.#b5 * saturate(this.#d5 * 2)) >> 15) +
        ((this.#b6 * saturate(this.#d6 * 2)) >> 15),
    );
  }
}

/** Saturates to 16 bits. */
export function saturate(value: number): number {
  return Math.max(-32768, Math.min(32767, value));
}

/** LIMIT: reconstructed samples of a band have 15 bits. */
export function limit(value: number): number {
  return Math.max(-16384, Math.min(16383, value));
}
