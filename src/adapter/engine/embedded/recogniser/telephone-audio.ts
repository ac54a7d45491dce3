/**
 * Audio as the 8 kHz model wants it: floats, G.722 decimated, quiet callers made louder, and a faint noise floor
 * added, because digital silence makes the recogniser fail.
 */
import { seededRandom } from "../../../../core/random.ts";
import { createResampler, type Resampler } from "../../../../platform/audio/resampler.ts";

/** What a caller's line carried, and the noise that is to be added. */
export interface TelephoneSound {
  readonly signal: Float32Array;
  readonly floor: Float32Array;
}

/** Noise added to a line that has its own, and to one without any: there first words were lost. */
const FLOOR = 10 ** (-55 / 20);
const NOISELESS_LINE_FACTOR = 10 ** (8 / 20);
/** Quietest 20 ms of a line that has noise: −60 dBFS. */
const LINE_NOISE_MIN = 33;
const NOISE = noiseTable(8_000);
const BLOCK_SAMPLES = 160;
/** A sound of the caller's: −52 dBFS, and 12 dB above the line. */
const SPEECH_MIN = 82;
const SPEECH_FACTOR = 4;
/** Whose loudest 20 ms are quieter, −24 dBFS, is made as loud: the floor would cover the half of it. */
const LOUDEST_MIN = 2_067;
/** 20 dB. */
const GAIN_MAX = 10;
/** Of what was loudest, for each further sound: a cough is forgotten within some seconds of speech. */
const FORGETTING = 0.998;

export class TelephoneAudio {
  readonly #resampler: Resampler;
  #noiseAt = 0;
  #quietest = Number.POSITIVE_INFINITY;
  #loudest = 0;

  constructor(sampleRateHz: 8000 | 16000) {
    this.#resampler = createResampler(sampleRateHz, 8000);
  }

  convert(pcm: Int16Array): TelephoneSound {
    const narrow = this.#resampler.process(pcm);
    const signal = new Float32Array(narrow.length);
    const floor = new Float32Array(narrow.length);
    this.#quietest = Math.min(this.#quietest, levelOf(narrow));
    this.#follow(narrow);
    const factor = this.#quietest < LINE_NOISE_MIN ? NOISELESS_LINE_FACTOR : 1;
    for (let index = 0; index < narrow.length; index++) {
      signal[index] = (narrow[index] ?? 0) / 32_768;
      floor[index] = factor * (NOISE[this.#noiseAt] ?? 0);
      this.#noiseAt = (this.#noiseAt + 1) % NOISE.length;
    }
    return { signal, floor };
  }

  /** What the caller is to be multiplied by, as far as he was heard. */
  get gain(): number {
    if (this.#loudest === 0) return 1;
    return Math.min(GAIN_MAX, Math.max(1, LOUDEST_MIN / this.#loudest));
  }

  #follow(pcm: Int16Array): void {
    for (let at = 0; at + BLOCK_SAMPLES <= pcm.length; at += BLOCK_SAMPLES) {
      const level = levelOf(pcm.subarray(at, at + BLOCK_SAMPLES));
      if (level < Math.max(SPEECH_MIN, SPEECH_FACTOR * this.#quietest)) continue;
      this.#loudest = Math.max(level, this.#loudest * FORGETTING);
    }
  }
}

export function mixed({ signal, floor }: TelephoneSound, gain: number): Float32Array {
  return signal.map((value, index) => gain * value + (floor[index] ?? 0));
}

function noiseTable(size: number): Float32Array {
  const random = seededRandom(35);
  return Float32Array.from({ length: size }, () => {
    const radius = Math.sqrt(-2 * Math.log(random.float() + 1e-12));
    return FLOOR * radius * Math.cos(2 * Math.PI * random.float());
  });
}

function levelOf(pcm: Int16Array): number {
  if (pcm.length === 0) return Number.POSITIVE_INFINITY;
  let sum = 0;
  for (const sample of pcm) sum += sample * sample;
  return Math.sqrt(sum / pcm.length);
}

const FRAME_SAMPLES = 80;
/** 30 dB below the loudest frame. */
const SPOKEN_SHARE = 1e-3;

/** Frames of 10 ms that are neither silence nor the line's noise; one at least. */
export function spokenFrames(sounds: readonly TelephoneSound[]): number {
  const powers: number[] = [];
  for (const { signal } of sounds)
    for (let at = 0; at + FRAME_SAMPLES <= signal.length; at += FRAME_SAMPLES)
      powers.push(
        signal.subarray(at, at + FRAME_SAMPLES).reduce((sum, each) => sum + each * each, 0),
      );
  const least = SPOKEN_SHARE * powers.reduce((most, power) => Math.max(most, power), 0);
  return Math.max(1, powers.filter((power) => power > least).length);
}
