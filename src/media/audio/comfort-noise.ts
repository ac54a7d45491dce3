/**
 * Comfort noise (RFC 3389): generates noise from the level and spectrum that the remote party sends
 * occasionally instead of audio, and measures our own level for sending.
 *
 * The spectrum is an all-pole lattice from the reflection coefficients, at most 10 of them; without
 * any the noise is white. Levels are in −dBov: 0 is the overload point, 127 the quietest.
 */
import type { Random } from "../../core/random.ts";

const ORDER_MAX = 10;
const LEVEL_MAX = 127;
/** RFC 3389 3.2: 8 bits for −1 … 1. */
const REFLECTION_STEP = 258 / 32768;
/** RMS of a full-scale square wave in 16 bits: 0 dBov. */
const OVERLOAD = 32768;
/** RMS of uniform noise in −1 … 1. */
const UNIFORM_RMS = Math.sqrt(1 / 3);
/** The gain moves towards a new level by this share per block, which avoids clicks. */
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

  /** Reads a payload. An empty one changes nothing. */
  update(payload: Uint8Array): void {
    const level = payload[0];
    if (level === undefined) return;
    this.#order = Math.min(ORDER_MAX, payload.length - 1);
    /** Output power of the all-pole filter divided by its input power. */
    let amplification = 1;
    for (let index = 0; index < this.#order; index++) {
      const coefficient = clamp(((payload[index + 1] ?? 127) - 127) * REFLECTION_STEP);
      this.#reflection[index] = coefficient;
      amplification /= 1 - coefficient * coefficient;
    }
    const rms = OVERLOAD * 10 ** (-(level & LEVEL_MAX) / 20);
    this.#wantedGain = rms / UNIFORM_RMS / Math.sqrt(amplification);
  }

  fill(block: Int16Array): void {
    this.#gain += (this.#wantedGain - this.#gain) * GLIDE;
    for (let index = 0; index < block.length; index++) {
      const value = this.#shape(this.#uniform() * this.#gain);
      block[index] = Math.max(-32768, Math.min(32767, Math.round(value)));
    }
  }

  /** Xorshift: random enough for noise, without a system call per sample. */
  #uniform(): number {
    let seed = this.#seed;
    seed ^= seed << 13;
    seed ^= seed >>> 17;
    seed ^= seed << 5;
    this.#seed = seed;
    return seed / 2 ** 31;
  }

  /** Filters one sample through the lattice (the model of RFC 3389 3.2). */
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

/** With a reflection coefficient of ±1 the filter would ring forever. */
function clamp(coefficient: number): number {
  return Math.max(-0.98, Math.min(0.98, coefficient));
}

/** The level of a frame in RFC 3389 units, 0–127. */
export function noiseLevelOf(pcm: Int16Array): number {
  let energy = 0;
  for (let index = 0; index < pcm.length; index++) energy += (pcm[index] ?? 0) ** 2;
  const rms = Math.sqrt(energy / Math.max(1, pcm.length));
  if (rms < 1) return LEVEL_MAX;
  return Math.min(LEVEL_MAX, Math.max(0, Math.round(-20 * Math.log10(rms / OVERLOAD))));
}
