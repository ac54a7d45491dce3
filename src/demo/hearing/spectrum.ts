/**
 * A spectrogram of speech: log energy in mel-spaced bands every 10 ms at 8 kHz. The sentence
 * matcher compares these, so that level, codec noise and line delay do not matter.
 */
export const FRAME_MS = 10;
const SAMPLE_RATE_HZ = 8000;
const HOP = (SAMPLE_RATE_HZ * FRAME_MS) / 1000;
const WINDOW = 200;
const FFT_SIZE = 256;
export const BANDS = 20;
const LOWEST_HZ = 200;
const HIGHEST_HZ = 3400;
/** A level this far below the loudest frame counts as silence. */
const FLOOR_DB = 45;

/** Frame-major: `frames × BANDS` values from 0 (floor) to 1 (the loudest band of the recording). */
export interface Spectrogram {
  readonly frames: number;
  readonly values: Float32Array;
}

export function spectrogram(pcm8k: Int16Array): Spectrogram {
  const frames = Math.max(0, Math.floor((pcm8k.length - WINDOW) / HOP) + 1);
  const decibels = new Float32Array(frames * BANDS);
  const real = new Float64Array(FFT_SIZE);
  const imaginary = new Float64Array(FFT_SIZE);
  let loudest = -Infinity;
  for (let frame = 0; frame < frames; frame++) {
    real.fill(0);
    imaginary.fill(0);
    for (let i = 0; i < WINDOW; i++) real[i] = (pcm8k[frame * HOP + i] ?? 0) * (HANN[i] ?? 0);
    fourierTransform(real, imaginary);
    for (let band = 0; band < BANDS; band++) {
      const level = 10 * Math.log10(bandEnergy(real, imaginary, band) + 1);
      decibels[frame * BANDS + band] = level;
      if (level > loudest) loudest = level;
    }
  }
  return { frames, values: decibels.map((level) => aboveFloor(level, loudest)) };
}

const aboveFloor = (level: number, loudest: number) =>
  Math.max(0, (level - loudest + FLOOR_DB) / FLOOR_DB);

const HANN = Float64Array.from(
  { length: WINDOW },
  (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / (WINDOW - 1)),
);

const toMel = (hz: number) => 2595 * Math.log10(1 + hz / 700);
const fromMel = (mel: number) => 700 * (10 ** (mel / 2595) - 1);

/** First and last FFT bin of each band; neighbours are adjacent, none is empty. */
const BAND_BINS: readonly { readonly first: number; readonly last: number }[] = Array.from(
  { length: BANDS },
  (_, band) => {
    const span = toMel(HIGHEST_HZ) - toMel(LOWEST_HZ);
    const edge = (index: number) => fromMel(toMel(LOWEST_HZ) + (span * index) / BANDS);
    const bin = (hz: number) => Math.round((hz * FFT_SIZE) / SAMPLE_RATE_HZ);
    return { first: bin(edge(band)), last: Math.max(bin(edge(band)), bin(edge(band + 1)) - 1) };
  },
);

function bandEnergy(real: Float64Array, imaginary: Float64Array, band: number): number {
  const bins = BAND_BINS[band];
  if (!bins) return 0;
  let sum = 0;
  for (let bin = bins.first; bin <= bins.last; bin++) {
    const re = real[bin] ?? 0;
    const im = imaginary[bin] ?? 0;
    sum += re * re + im * im;
  }
  return sum / (bins.last - bins.first + 1);
}

/** In-place radix-2 FFT. */
function fourierTransform(real: Float64Array, imaginary: Float64Array): void {
  reverseBits(real, imaginary);
  for (let size = 2; size <= FFT_SIZE; size *= 2) {
    const half = size / 2;
    for (let k = 0; k < half; k++) {
      const cos = Math.cos((-2 * Math.PI * k) / size);
      const sin = Math.sin((-2 * Math.PI * k) / size);
      for (let even = k; even < FFT_SIZE; even += size) {
        const odd = even + half;
        const re = (real[odd] ?? 0) * cos - (imaginary[odd] ?? 0) * sin;
        const im = (real[odd] ?? 0) * sin + (imaginary[odd] ?? 0) * cos;
        real[odd] = (real[even] ?? 0) - re;
        imaginary[odd] = (imaginary[even] ?? 0) - im;
        real[even] = (real[even] ?? 0) + re;
        imaginary[even] = (imaginary[even] ?? 0) + im;
      }
    }
  }
}

function reverseBits(real: Float64Array, imaginary: Float64Array): void {
  for (let i = 1, j = 0; i < FFT_SIZE; i++) {
    let bit = FFT_SIZE >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [real[i], real[j]] = [real[j] ?? 0, real[i] ?? 0];
      [imaginary[i], imaginary[j]] = [imaginary[j] ?? 0, imaginary[i] ?? 0];
    }
  }
}
