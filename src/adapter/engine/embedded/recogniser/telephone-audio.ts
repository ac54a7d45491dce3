/**
 * Audio as the 8 kHz model wants it: floats, G.722 decimated, and a faint noise floor added, because
 * digital silence makes the recogniser fail.
 */
import { seededRandom } from "../../../../core/random.ts";
import { createResampler, type Resampler } from "../../../../platform/audio/resampler.ts";

/** Noise added to a line that has its own, and to one without any: there first words were lost. */
const FLOOR = 10 ** (-55 / 20);
const NOISELESS_LINE_FACTOR = 10 ** (8 / 20);
/** Quietest 20 ms of a line that has noise: −60 dBFS. */
const LINE_NOISE_MIN = 33;
const NOISE = noiseTable(8_000);

export class TelephoneAudio {
  readonly #resampler: Resampler;
  #noiseAt = 0;
  #quietest = Number.POSITIVE_INFINITY;

  constructor(sampleRateHz: 8000 | 16000) {
    this.#resampler = createResampler(sampleRateHz, 8000);
  }

  convert(pcm: Int16Array): Float32Array {
    const narrow = this.#resampler.process(pcm);
    const out = new Float32Array(narrow.length);
    this.#quietest = Math.min(this.#quietest, levelOf(narrow));
    const factor = this.#quietest < LINE_NOISE_MIN ? NOISELESS_LINE_FACTOR : 1;
    for (let index = 0; index < narrow.length; index++) {
      out[index] = (narrow[index] ?? 0) / 32_768 + factor * (NOISE[this.#noiseAt] ?? 0);
      this.#noiseAt = (this.#noiseAt + 1) % NOISE.length;
    }
    return out;
  }
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
