/**
 * The Silero v5 speech model, run by a kernel of 800 bytes instead of a runtime of 14 MB. One
 * window takes about 370,000 multiplications, all of them matrix-vector products (layers.ts). The
 * weights are stored once per thread; each stream has its own recurrent state. Synchronous;
 * allocates nothing per window.
 */
import { unshuffled } from "../../../platform/memory/shuffle.ts";
import weightsPath from "./data/weights.zst" with { type: "file" };
import kernelPath from "./kernel.wasm" with { type: "file" };
import {
  DECODER,
  ENCODER_0,
  ENCODER_1,
  ENCODER_2,
  ENCODER_3,
  floatsOf,
  LAYERS,
  type Layer,
  LSTM,
  padded,
  STFT,
} from "./layers.ts";

/** Samples per window at 8 kHz, and samples of the previous window that the model needs again. */
export const WINDOW_SAMPLES = 256;
const CONTEXT_SAMPLES = 32;
const INPUT_SAMPLES = CONTEXT_SAMPLES + WINDOW_SAMPLES;
const MIRRORED_SAMPLES = 32;
const HOP_SAMPLES = 64;
const FRAMES = 4;
const BINS = 65;
const HIDDEN = 128;
const FULL_SCALE = 32768;
const PAGE_BYTES = 65_536;

type Matvec = (
  out: number,
  weights: number,
  bias: number,
  input: number,
  rows: number,
  columns: number,
) => void;

/** A region of the kernel's memory. */
interface Buffer {
  readonly address: number;
  readonly values: Float32Array;
}

export class SileroModel {
  readonly #matvec: Matvec;
  readonly #memory: WebAssembly.Memory;
  /** Byte addresses of each layer's matrix. */
  readonly #weights = new Map<Layer, number>();
  #free: number;
  readonly #samples: Buffer;
  readonly #spectrum: Buffer;
  /** With a frame of zeros before and after: the convolution's padding. */
  readonly #magnitudes: Buffer;
  readonly #frames0: Buffer;
  readonly #frames1: Buffer;
  readonly #frame2: Buffer;
  readonly #inputAndHidden: Buffer;
  readonly #gates: Buffer;
  readonly #relu: Buffer;
  readonly #answer: Buffer;
  /** The three frames under a kernel of width three. */
  readonly #patch: Buffer;
  /** The part of the magnitudes for each of them. */
  readonly #patches: readonly Float32Array[];

  private constructor(memory: WebAssembly.Memory, matvec: Matvec, weights: Float32Array) {
    this.#memory = memory;
    this.#matvec = matvec;
    new Float32Array(memory.buffer).set(weights);
    let address = 0;
    for (const layer of LAYERS) {
      this.#weights.set(layer, address);
      address += floatsOf(layer) * 4;
    }
    this.#free = Math.ceil(address / 16) * 16;
    this.#samples = this.#buffer(INPUT_SAMPLES + MIRRORED_SAMPLES);
    this.#spectrum = this.#buffer(STFT.rows);
    this.#magnitudes = this.#buffer((FRAMES + 2) * BINS);
    this.#frames0 = this.#buffer((FRAMES + 2) * ENCODER_0.rows);
    this.#frames1 = this.#buffer(3 * ENCODER_1.rows);
    this.#frame2 = this.#buffer(ENCODER_2.rows);
    this.#inputAndHidden = this.#buffer(2 * HIDDEN);
    this.#gates = this.#buffer(LSTM.rows);
    this.#relu = this.#buffer(HIDDEN);
    this.#answer = this.#buffer(1);
    this.#patch = this.#buffer(padded(ENCODER_0.columns));
    this.#patches = Array.from({ length: FRAMES }, (_, frame) =>
      this.#magnitudes.values.subarray(frame * BINS, (frame + 3) * BINS),
    );
  }

  /** Loads the embedded kernel and weights. */
  static async load(): Promise<SileroModel> {
    const packed = await Bun.file(weightsPath).bytes();
    const weights = new Float32Array(unshuffled(Bun.zstdDecompressSync(packed)).buffer);
    const bytes = weights.byteLength + PAGE_BYTES;
    const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE_BYTES) });
    const kernel = await Bun.file(kernelPath).arrayBuffer();
    const { instance } = await WebAssembly.instantiate(kernel, { model: { memory } });
    return new SileroModel(memory, instance.exports.matvec as Matvec, weights);
  }

  newStream(): SileroStream {
    return new SileroStream(this);
  }

  /** Returns the probability of speech. `hidden` and `cell` (128 each) are read and written. */
  judge(samples: Float32Array, hidden: Float32Array, cell: Float32Array): number {
    this.#mirror(samples);
    this.#transform();
    this.#encode();
    return this.#remember(hidden, cell);
  }

  #mirror(samples: Float32Array): void {
    const { values } = this.#samples;
    values.set(samples);
    for (let index = 0; index < MIRRORED_SAMPLES; index++)
      values[INPUT_SAMPLES + index] = samples[INPUT_SAMPLES - 2 - index] ?? 0;
  }

  #transform(): void {
    const { values: spectrum } = this.#spectrum;
    const { values: magnitudes } = this.#magnitudes;
    for (let frame = 0; frame < FRAMES; frame++) {
      this.#apply(STFT, this.#spectrum.address, this.#samples.address + frame * HOP_SAMPLES * 4);
      for (let bin = 0; bin < BINS; bin++) {
        const real = spectrum[bin] ?? 0;
        const imaginary = spectrum[BINS + bin] ?? 0;
        magnitudes[(frame + 1) * BINS + bin] = Math.sqrt(real * real + imaginary * imaginary);
      }
    }
  }

  #encode(): void {
    const { values: patch } = this.#patch;
    for (let frame = 0; frame < FRAMES; frame++) {
      patch.set(this.#patches[frame] ?? NOTHING);
      const out = this.#frames0.address + (frame + 1) * ENCODER_0.rows * 4;
      this.#apply(ENCODER_0, out, this.#patch.address);
    }
    rectify(this.#frames0.values);
    for (let frame = 0; frame < 2; frame++) {
      const input = this.#frames0.address + frame * 2 * ENCODER_0.rows * 4;
      this.#apply(ENCODER_1, this.#frames1.address + (frame + 1) * ENCODER_1.rows * 4, input);
    }
    rectify(this.#frames1.values);
    this.#apply(ENCODER_2, this.#frame2.address, this.#frames1.address);
    rectify(this.#frame2.values);
    this.#apply(ENCODER_3, this.#inputAndHidden.address, this.#frame2.address);
  }

  #remember(hidden: Float32Array, cell: Float32Array): number {
    const { values: input } = this.#inputAndHidden;
    for (let index = 0; index < HIDDEN; index++) input[index] = Math.max(0, input[index] ?? 0);
    input.set(hidden, HIDDEN);
    this.#apply(LSTM, this.#gates.address, this.#inputAndHidden.address);
    const { values: gates } = this.#gates;
    const { values: relu } = this.#relu;
    for (let index = 0; index < HIDDEN; index++) {
      const keep = sigmoid(gates[HIDDEN + index] ?? 0) * (cell[index] ?? 0);
      const add = sigmoid(gates[index] ?? 0) * Math.tanh(gates[2 * HIDDEN + index] ?? 0);
      const next = keep + add;
      const out = sigmoid(gates[3 * HIDDEN + index] ?? 0) * Math.tanh(next);
      cell[index] = next;
      hidden[index] = out;
      relu[index] = Math.max(0, out);
    }
    this.#apply(DECODER, this.#answer.address, this.#relu.address);
    return sigmoid(this.#answer.values[0] ?? 0);
  }

  #apply(layer: Layer, out: number, input: number): void {
    const columns = padded(layer.columns);
    const weights = this.#weights.get(layer) ?? 0;
    this.#matvec(out, weights, weights + layer.rows * columns * 4, input, layer.rows, columns);
  }

  #buffer(length: number): Buffer {
    const address = this.#free;
    this.#free += Math.ceil((length * 4) / 32) * 32;
    return { address, values: new Float32Array(this.#memory.buffer, address, length) };
  }
}

const NOTHING = new Float32Array(0);

function rectify(values: Float32Array): void {
  for (let index = 0; index < values.length; index++)
    if ((values[index] ?? 0) < 0) values[index] = 0;
}

const sigmoid = (value: number): number => 1 / (1 + Math.exp(-value));

/** One stream's state: 1.1 KB. */
export class SileroStream {
  readonly #hidden = new Float32Array(HIDDEN);
  readonly #cell = new Float32Array(HIDDEN);
  readonly #samples = new Float32Array(INPUT_SAMPLES);

  constructor(private readonly model: SileroModel) {}

  /** Returns the probability of speech in one window of 256 samples. */
  judge(window: Int16Array): number {
    this.#samples.copyWithin(0, WINDOW_SAMPLES);
    for (let index = 0; index < WINDOW_SAMPLES; index++)
      this.#samples[CONTEXT_SAMPLES + index] = (window[index] ?? 0) / FULL_SCALE;
    return this.model.judge(this.#samples, this.#hidden, this.#cell);
  }

  /** Resets the state after a pause in which no window was processed. */
  reset(): void {
    this.#hidden.fill(0);
    this.#cell.fill(0);
    this.#samples.fill(0);
  }
}
