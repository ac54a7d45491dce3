/**
 * Comfort noise of RFC 3389: level and spectrum of the far end's background, told once in a while
 * instead of audio, made audible here; and the measurement of our own for the way out.
 *
 * The spectrum is an all-pole lattice from the reflection coefficients, at most 10 of them; without
 * any the noise is white. Levels are in −dBov: 0 is the overload point, 127 the quietest.
 */
import type { Random } from "../../../core/random.ts";

const ORDER_MAX = 10;
const LEVEL_MAX = 127;
/** RFC 3389 3.2: 8 bits for −1 … 1. */
const REFLECTION_STEP = 258 / 32768;
/** RMS of a full-scale square wave in 16 bits: 0 dBov. */
const OVERLOAD = 32768;
/** Uniform noise in −1 … 1 has this RMS. */
const UNIFORM_RMS = Math.sqrt(1 / 3);
/** A gain moves towards a new level by this share a block, so that nothing clicks. */
const GLIDE = 0.3;

export class ComfortNoise {
  readonly #reflection = new Float64Array(ORDER_MAX);
  readonly #state = new Float64Array(ORDER_MAX + 1);
  #order = 0;
  #gain = 0;
  #wantedGain = 0;
  #seed: number;

  constructor(random: Random) {
    this.#seed = Math.floor(random.float() * 2 ** 32) | 1;
  }

  /** Takes a payload; an empty one changes nothing. */
  update(payload: Uint8Array): void {
    const level = payload[0];
    if (level === undefined) return;
    this.#order = Math.min(ORDER_MAX, payload.length - 1);
    /** Power of the all-pole filter's output over that of its input. */
    let amplification = 1;
    for (let index = 0; index < this.#order; index++) {
      const coefficient = clamp(((payload[index + 1] ?? 127) - 127) * REFLECTION_STEP);
      this.#reflection[index] = coefficient;
      amplification /= 1 - coefficient * coefficient;
    }
    const rms = OVERLOAD * 10 ** (-(level & LEVEL_MAX) / 20);
    this.#wantedGain = rms / UNIFORM_RMS / Math.sqrt(amplification);
  }

  /** Fills a block. */
  fill(block: Int16Array): void {
    this.#gain += (this.#wantedGain - this.#gain) * GLIDE;
    for (let index = 0; index < block.length; index++) {
      const value = this.#shape(this.#uniform() * this.#gain);
      block[index] = Math.max(-32768, Math.min(32767, Math.round(value)));
    }
  }

  /** Xorshift: chance good enough for noise, without a call to the system a sample. */
  #uniform(): number {
    let seed = this.#seed;
    seed ^= seed << 13;
    seed ^= seed >>> 17;
    seed ^= seed << 5;
    this.#seed = seed;
    return seed / 2 ** 31;
  }

  /** One sample through the lattice (RFC 3389 3.2's model). */
  #shape(input: number): number {
    let forward = input;
    for (let index = this.#order - 1; index >= 0; index--) {
      const coefficient = this.#reflection[index] ?? 0;
      const backward = this.#state[index] ?? 0;
      forward -= coefficient * backward;
      this.#state[index + 1] = backward + coefficient * forward;
    }
    this.#state[0] = forward;
    return forward;
  }
}

/** A reflection coefficient at ±1 would make the filter ring for ever. */
function clamp(coefficient: number): number {
  return Math.max(-0.98, Math.min(0.98, coefficient));
}

/** The level of a frame as RFC 3389 writes it, 0–127. */
export function noiseLevelOf(pcm: Int16Array): number {
  let energy = 0;
  for (let index = 0; index < pcm.length; index++) energy += (pcm[index] ?? 0) ** 2;
  const rms = Math.sqrt(energy / Math.max(1, pcm.length));
  if (rms < 1) return LEVEL_MAX;
  return Math.min(LEVEL_MAX, Math.max(0, Math.round(-20 * Math.log10(rms / OVERLOAD))));
}
