/**
 * One block of DTMF analysis: eight Goertzel filters over 12.75 ms, and the rules that decide
 * whether the block contains a key. The strongest row and column must be 8 dB above the others.
 * They may differ by at most 8 dB (column stronger) or 4 dB (row stronger). They must contain
 * nearly all of the block's energy, which rejects speech.
 */
import { dtmfFrequencies } from "../../platform/audio/tones.ts";

const KEYS = ["123A", "456B", "789C", "*0#D"] as const;
const TONES = 8;
const GROUP = 4;
/** Mean square of the quieter tone: about −56 dBov. */
const TONE_POWER_MIN = 1000;
const NEIGHBOUR_RATIO = 6.3;
/** 8 dB and 4 dB. */
const COLUMN_STRONGER_MAX = 6.3;
const ROW_STRONGER_MAX = 2.5;
/** Minimum share of the block's energy in the two tones. */
const TONE_SHARE_MIN = 0.88;

/** 2·cos(ω) of the rows and the columns. */
export function dtmfCoefficients(sampleRateHz: number): Float64Array {
  const rows = ["1", "4", "7", "*"].map((key) => dtmfFrequencies(key)?.[0] ?? 0);
  const columns = ["1", "2", "3", "A"].map((key) => dtmfFrequencies(key)?.[1] ?? 0);
  return Float64Array.from(
    [...rows, ...columns],
    (frequencyHz) => 2 * Math.cos((2 * Math.PI * frequencyHz) / sampleRateHz),
  );
}

export class DtmfBlock {
  readonly #block: Int16Array;
  readonly #coefficients: Float64Array;
  readonly #powers = new Float64Array(TONES);
  #filled: number;
  #energy = 0;

  /** `filled`: start position in the block, so that two blocks may overlap. */
  constructor(samples: number, coefficients: Float64Array, filled: number) {
    this.#block = new Int16Array(samples);
    this.#coefficients = coefficients;
    this.#filled = filled;
  }

  /** Null while the block is not full; then the detected key, "" for none. */
  add(sample: number): string | null {
    this.#energy += sample * sample;
    this.#block[this.#filled++] = sample;
    if (this.#filled < this.#block.length) return null;
    const key = this.#mayHoldTones() ? this.#key() : "";
    this.#energy = 0;
    this.#filled = 0;
    return key;
  }

  /** A tone has at most twice the block's mean square: silence need not be filtered. */
  #mayHoldTones(): boolean {
    return 2 * this.#energy > TONE_POWER_MIN * this.#block.length;
  }

  #key(): string {
    for (let tone = 0; tone < TONES; tone++) this.#powers[tone] = this.#powerOf(tone);
    const row = this.#strongest(0);
    const column = this.#strongest(GROUP);
    const rowPower = this.#powers[row] ?? 0;
    const columnPower = this.#powers[column] ?? 0;
    const isKey =
      Math.min(rowPower, columnPower) > TONE_POWER_MIN &&
      columnPower < rowPower * COLUMN_STRONGER_MAX &&
      rowPower < columnPower * ROW_STRONGER_MAX &&
      this.#standsOut(row, 0) &&
      this.#standsOut(column, GROUP) &&
      rowPower + columnPower > (TONE_SHARE_MIN * this.#energy) / this.#block.length;
    return isKey ? (KEYS[row]?.[column - GROUP] ?? "") : "";
  }

  /** Mean square of a tone, as for a sine of that power. */
  #powerOf(tone: number): number {
    const block = this.#block;
    const coefficient = this.#coefficients[tone] ?? 0;
    let last = 0;
    let before = 0;
    for (let index = 0; index < block.length; index++) {
      const state = (block[index] ?? 0) + coefficient * last - before;
      before = last;
      last = state;
    }
    const scale = 2 / (block.length * block.length);
    return (last * last + before * before - coefficient * last * before) * scale;
  }

  #strongest(group: number): number {
    let best = group;
    for (let tone = group + 1; tone < group + GROUP; tone++) {
      if ((this.#powers[tone] ?? 0) > (this.#powers[best] ?? 0)) best = tone;
    }
    return best;
  }

  #standsOut(best: number, group: number): boolean {
    const power = this.#powers[best] ?? 0;
    for (let tone = group; tone < group + GROUP; tone++) {
      if (tone !== best && (this.#powers[tone] ?? 0) * NEIGHBOUR_RATIO > power) return false;
    }
    return true;
  }
}
