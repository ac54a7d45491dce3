/**
 * Audio as the 8 kHz model wants it: floats, G.722 decimated, and a faint noise floor added, because
 * digital silence makes the recogniser fail.
 */
import { seededRandom } from "../../../core/random.ts";

/** 35 dB below speech of −20 dBFS. */
const FLOOR = 10 ** (-55 / 20);
const NOISE = noiseTable(8_000);

export class TelephoneAudio {
  readonly #decimate: ((pcm: Int16Array) => Int16Array) | null;
  #noiseAt = 0;

  constructor(sampleRateHz: 8000 | 16000) {
    this.#decimate = sampleRateHz === 16000 ? createHalver() : null;
  }

  convert(pcm: Int16Array): Float32Array {
    const narrow = this.#decimate === null ? pcm : this.#decimate(pcm);
    const out = new Float32Array(narrow.length);
    for (let index = 0; index < narrow.length; index++) {
      out[index] = (narrow[index] ?? 0) / 32_768 + (NOISE[this.#noiseAt] ?? 0);
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

const TAPS = 63;

/** 2:1 decimation behind a windowed-sinc low-pass of 3.7 kHz. */
function createHalver(): (pcm: Int16Array) => Int16Array {
  const filter = lowPass(TAPS, 0.46);
  let history = new Int16Array(TAPS - 1);
  let odd = 0;
  return (pcm) => {
    const input = new Int16Array(history.length + pcm.length);
    input.set(history);
    input.set(pcm, history.length);
    const out = new Int16Array(Math.ceil((pcm.length - odd) / 2));
    for (let index = 0; index < out.length; index++) {
      const start = 2 * index + odd;
      let sum = 0;
      for (let tap = 0; tap < TAPS; tap++) sum += (filter[tap] ?? 0) * (input[start + tap] ?? 0);
      out[index] = Math.max(-32_768, Math.min(32_767, Math.round(sum)));
    }
    odd = (pcm.length + odd) % 2;
    history = input.slice(pcm.length);
    return out;
  };
}

function lowPass(taps: number, cutoff: number): Float32Array {
  const middle = (taps - 1) / 2;
  const filter = Float32Array.from({ length: taps }, (_, index) => {
    const x = index - middle;
    const sinc = x === 0 ? cutoff : Math.sin(Math.PI * cutoff * x) / (Math.PI * x);
    return sinc * (0.54 - 0.46 * Math.cos((2 * Math.PI * index) / (taps - 1)));
  });
  const gain = filter.reduce((sum, value) => sum + value, 0);
  return filter.map((value) => value / gain);
}
