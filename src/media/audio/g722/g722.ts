/**
 * ITU-T G.722 at 64 kbit/s, encoder and decoder, in the integer arithmetic of the Recommendation. A
 * quadrature-mirror filter splits the band in two halves: 6 bits of ADPCM for the lower and 2 for
 * the higher. One octet is two samples at 16 kHz. The RTP clock counts octets (8 kHz, RFC 3551
 * 4.5.2).
 *
 * Both ends keep a state for the whole stream. Nothing is allocated after construction.
 */
import { G722Band, limit, saturate } from "./band.ts";
import {
  HIGHER_LEVEL,
  HIGHER_LOG_MAX,
  HIGHER_LOG_STEP,
  HIGHER_OUTPUT,
  LOWER_CODES_NEGATIVE,
  LOWER_CODES_POSITIVE,
  LOWER_LEVELS,
  LOWER_LOG_MAX,
  LOWER_LOG_STEP,
  LOWER_OUTPUT_4_BIT,
  LOWER_OUTPUT_6_BIT,
  QMF,
} from "./tables.ts";

export const G722_SAMPLE_RATE_HZ = 16_000;
const QMF_TAPS = QMF.length;
/** Delay lines are written twice, `QMF_TAPS` apart, so that a window never wraps. */
const LINE = QMF_TAPS * 2;

const lowerBand = () => new G722Band("lower", LOWER_LOG_STEP, LOWER_LOG_MAX);
const higherBand = () => new G722Band("higher", HIGHER_LOG_STEP, HIGHER_LOG_MAX);

/** A quadrature-mirror filter: two delay lines, each of every other sample. */
class MirrorFilter {
  readonly #first = new Int32Array(LINE);
  readonly #second = new Int32Array(LINE);
  #newest = 0;
  firstSum = 0;
  secondSum = 0;

  push(first: number, second: number): void {
    const newest = this.#newest;
    this.#newest = newest + 1 === QMF_TAPS ? 0 : newest + 1;
    this.#first[newest] = first;
    this.#first[newest + QMF_TAPS] = first;
    this.#second[newest] = second;
    this.#second[newest + QMF_TAPS] = second;
    const oldest = this.#newest;
    let firstSum = 0;
    let secondSum = 0;
    for (let tap = 0; tap < QMF_TAPS; tap++) {
      firstSum += (this.#first[oldest + tap] ?? 0) * (QMF[tap] ?? 0);
      secondSum += (this.#second[oldest + tap] ?? 0) * (QMF[QMF_TAPS - 1 - tap] ?? 0);
    }
    this.firstSum = firstSum;
    this.secondSum = secondSum;
  }
}

export class G722Encoder {
  readonly #filter = new MirrorFilter();
  readonly #lower = lowerBand();
  readonly #higher = higherBand();

  /** Encodes `samples` (even) of `pcm`, starting at `from`, into `octets` from `offset`. */
  encode(pcm: Int16Array, from: number, samples: number, octets: Uint8Array, offset: number): void {
    const filter = this.#filter;
    for (let index = 0; index < samples; index += 2) {
      filter.push(pcm[from + index] ?? 0, pcm[from + index + 1] ?? 0);
      const low = limit((filter.secondSum + filter.firstSum) >> 14);
      const high = limit((filter.secondSum - filter.firstSum) >> 14);
      octets[offset + (index >> 1)] = (this.#encodeHigher(high) << 6) | this.#encodeLower(low);
    }
  }

  #encodeLower(sample: number): number {
    const band = this.#lower;
    const error = saturate(sample - band.estimate);
    const codeword = quantiseLower(error, band.scale);
    const known = codeword >> 2;
    const difference = (band.scale * (LOWER_OUTPUT_4_BIT[known] ?? 0)) >> 15;
    band.adaptScale(known);
    band.predict(difference);
    return codeword;
  }

  #encodeHigher(sample: number): number {
    const band = this.#higher;
    const error = saturate(sample - band.estimate);
    const magnitude = error >= 0 ? error : -(error + 1);
    const isLarge = magnitude >= (HIGHER_LEVEL * band.scale) >> 12;
    const codeword = (error >= 0 ? 2 : 0) | (isLarge ? 0 : 1);
    const difference = (band.scale * (HIGHER_OUTPUT[codeword] ?? 0)) >> 15;
    band.adaptScale(codeword);
    band.predict(difference);
    return codeword;
  }
}

/** QUANTL. Binary search: the decision levels are increasing. */
function quantiseLower(error: number, scale: number): number {
  const magnitude = error >= 0 ? error : -(error + 1);
  let low = 1;
  let high = LOWER_LEVELS.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (magnitude < ((LOWER_LEVELS[middle] ?? 0) * scale) >> 12) high = middle;
    else low = middle + 1;
  }
  return (error < 0 ? LOWER_CODES_NEGATIVE[low] : LOWER_CODES_POSITIVE[low]) ?? 0;
}

export class G722Decoder {
  readonly #filter = new MirrorFilter();
  readonly #lower = lowerBand();
  readonly #higher = higherBand();

  /** Decodes `count` octets, starting at `from`, into `2 · count` samples of `pcm` from 0. */
  decode(octets: Uint8Array, from: number, count: number, pcm: Int16Array): void {
    const filter = this.#filter;
    for (let index = 0; index < count; index++) {
      const octet = octets[from + index] ?? 0;
      const low = this.#decodeLower(octet & 0x3f);
      const high = this.#decodeHigher(octet >> 6);
      filter.push(low + high, low - high);
      pcm[2 * index] = saturate(filter.secondSum >> 11);
      pcm[2 * index + 1] = saturate(filter.firstSum >> 11);
    }
  }

  #decodeLower(codeword: number): number {
    const band = this.#lower;
    const known = codeword >> 2;
    const output = (band.scale * (LOWER_OUTPUT_6_BIT[codeword] ?? 0)) >> 15;
    const sample = limit(band.estimate + output);
    const difference = (band.scale * (LOWER_OUTPUT_4_BIT[known] ?? 0)) >> 15;
    band.adaptScale(known);
    band.predict(difference);
    return sample;
  }

  #decodeHigher(codeword: number): number {
    const band = this.#higher;
    const difference = (band.scale * (HIGHER_OUTPUT[codeword] ?? 0)) >> 15;
    const sample = limit(band.estimate + difference);
    band.adaptScale(codeword);
    band.predict(difference);
    return sample;
  }
}
