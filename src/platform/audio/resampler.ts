/**
 * Sample-rate conversion with a stateful polyphase filter: a Blackman-windowed sinc whose phases
 * are computed once per pair of rates. The chunk size does not change the output. Aliases from 1.2
 * times the edge of the narrower band upwards are attenuated by at least 50 dB. The delay
 * (`latencyMs`) is half the filter.
 */
const ZERO_CROSSINGS = 16;
/** Share of the narrower band that passes; the rest is the filter's transition band. */
const PASSBAND = 0.92;
const TABLES_MAX = 16;

export interface Resampler {
  /** Returns newly allocated memory. It may be empty while the filter fills. */
  process(pcm: Int16Array): Int16Array;
  /**
   * Like `process`, but writes into `output` from `offset`, which must have room. Allocates nothing
   * once chunks of that size have been seen. Returns the number of samples written.
   */
  processInto(pcm: Int16Array, output: Int16Array, offset: number): number;
  /** Returns the rest in the filter and resets it. Call it at the end of an utterance. */
  flush(): Int16Array;
  readonly latencyMs: number;
}

interface PhaseTable {
  /** Output samples per `down` input samples. */
  readonly up: number;
  readonly down: number;
  readonly taps: number;
  /** `up` rows of `taps` coefficients, each row summing to 1. */
  readonly coefficients: Float32Array;
}

const tables = new Map<string, PhaseTable>();

/** Rates in Hz, integers. Equal rates copy the samples. */
export function createResampler(fromHz: number, toHz: number): Resampler {
  if (fromHz === toHz) {
    return {
      process: (pcm) => pcm.slice(),
      processInto(pcm, output, offset) {
        output.set(pcm, offset);
        return pcm.length;
      },
      flush: () => new Int16Array(0),
      latencyMs: 0,
    };
  }
  return new PolyphaseResampler(phaseTable(fromHz, toHz), fromHz);
}

class PolyphaseResampler implements Resampler {
  readonly latencyMs: number;
  readonly #table: PhaseTable;
  /** Pending input. It starts with half a filter of silence. */
  #input: Int16Array;
  #inputLength: number;
  /** Output position in the input, in units of `1/up` samples: index and phase of the first tap. */
  #position = 0;

  constructor(table: PhaseTable, fromHz: number) {
    this.#table = table;
    this.latencyMs = (table.taps / 2 / fromHz) * 1000;
    this.#input = new Int16Array(table.taps * 2);
    this.#inputLength = table.taps / 2 - 1;
  }

  process(pcm: Int16Array): Int16Array {
    this.#append(pcm);
    const output = new Int16Array(this.#available());
    this.#drain(output, 0, output.length);
    return output;
  }

  processInto(pcm: Int16Array, output: Int16Array, offset: number): number {
    this.#append(pcm);
    const count = this.#available();
    this.#drain(output, offset, count);
    return count;
  }

  flush(): Int16Array {
    const tail = this.process(new Int16Array(this.#table.taps / 2));
    this.#inputLength = this.#table.taps / 2 - 1;
    this.#input.fill(0);
    this.#position = 0;
    return tail;
  }

  #available(): number {
    const { up, down, taps } = this.#table;
    const available = (this.#inputLength - taps + 1) * up - this.#position;
    return Math.max(0, Math.ceil(available / down));
  }

  #drain(output: Int16Array, offset: number, count: number): void {
    const { up, down, taps, coefficients } = this.#table;
    const input = this.#input;
    let first = Math.floor(this.#position / up);
    let phase = this.#position % up;
    for (let index = 0; index < count; index++) {
      const row = phase * taps;
      let sum = 0;
      for (let tap = 0; tap < taps; tap++) {
        sum += (input[first + tap] ?? 0) * (coefficients[row + tap] ?? 0);
      }
      output[offset + index] = Math.max(-32768, Math.min(32767, Math.round(sum)));
      phase += down;
      while (phase >= up) {
        phase -= up;
        first++;
      }
    }
    this.#position = first * up + phase;
    this.#dropUsed();
  }

  #append(pcm: Int16Array): void {
    const needed = this.#inputLength + pcm.length;
    if (needed > this.#input.length) {
      const larger = new Int16Array(needed * 2);
      larger.set(this.#input.subarray(0, this.#inputLength));
      this.#input = larger;
    }
    this.#input.set(pcm, this.#inputLength);
    this.#inputLength = needed;
  }

  #dropUsed(): void {
    const { up } = this.#table;
    const used = Math.min(this.#inputLength, Math.floor(this.#position / up));
    this.#input.copyWithin(0, used, this.#inputLength);
    this.#inputLength -= used;
    this.#position -= used * up;
  }
}

function phaseTable(fromHz: number, toHz: number): PhaseTable {
  const key = `${fromHz}/${toHz}`;
  const known = tables.get(key);
  if (known) return known;
  const table = computeTable(fromHz, toHz);
  if (tables.size < TABLES_MAX) tables.set(key, table);
  return table;
}

function computeTable(fromHz: number, toHz: number): PhaseTable {
  const divisor = greatestCommonDivisor(fromHz, toHz);
  const up = toHz / divisor;
  const down = fromHz / divisor;
  const stretch = Math.max(1, down / up);
  const half = Math.ceil(ZERO_CROSSINGS * stretch);
  const taps = half * 2;
  /** In cycles per input sample. */
  const cutoff = (0.5 / stretch) * PASSBAND;
  const coefficients = new Float32Array(up * taps);
  for (let phase = 0; phase < up; phase++) {
    const row = Array.from({ length: taps }, (_, tap) => {
      const distance = tap - (half - 1) - phase / up;
      return sinc(2 * cutoff * distance) * blackman(distance / half);
    });
    const sum = row.reduce((total, value) => total + value, 0);
    row.forEach((value, tap) => {
      coefficients[phase * taps + tap] = value / sum;
    });
  }
  return { up, down, taps, coefficients };
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

/** 1 at 0; 0 at ±1 and beyond. */
function blackman(x: number): number {
  if (Math.abs(x) >= 1) return 0;
  return 0.42 + 0.5 * Math.cos(Math.PI * x) + 0.08 * Math.cos(2 * Math.PI * x);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
