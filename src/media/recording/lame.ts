/**
 * LAME in wasm (wasm-media-encoders), for one recording after another. Creating an instance
 * allocates 16 MB. Setting it up for a format takes half the time of encoding a short call. So a
 * copy of the memory after the set-up is stored and restored for the next recording.
 */
import lameWasm from "../../../node_modules/wasm-media-encoders/wasm/mp3.wasm" with {
  type: "file",
};

interface LameFormat {
  /** 1 or 2. */
  readonly channels: number;
  readonly sampleRateHz: number;
  readonly bitrateKbps: number;
  readonly outputSampleRateHz: number;
}

/** Addresses are bytes of the memory; 0 and negative results are failures. */
interface LameExports {
  readonly memory: WebAssembly.Memory;
  _initialize(): void;
  malloc(bytes: number): number;
  free(address: number): void;
  enc_init(parameters: number): number;
  enc_free(encoder: number): void;
  /** One address per channel, of 32-bit floats. */
  enc_get_pcm(encoder: number, frames: number): number;
  enc_get_out_buf(encoder: number): number;
  enc_encode(encoder: number, frames: number): number;
  enc_flush(encoder: number): number;
}

interface Page {
  readonly at: number;
  readonly bytes: Uint8Array;
}

const PAGE_BYTES = 4096;
/** Larger than any gap in the encoder's allocations. */
const BEYOND_HOLES_BYTES = 4 * 1024 * 1024;
const NO_VBR = -1;
const FULL_SCALE = 32768;

let compiled: Promise<WebAssembly.Module> | null = null;

export class Lame {
  readonly #wasm: LameExports;
  readonly #heap: number;
  #format: LameFormat | null = null;
  #encoder = 0;
  /** Pages that were not zero after the set-up, and the end of the allocated memory. */
  #kept: readonly Page[] = [];
  #top = 0;

  private constructor(wasm: LameExports) {
    this.#wasm = wasm;
    wasm._initialize();
    this.#heap = this.#allocatable(1);
  }

  static async create(): Promise<Lame> {
    compiled ??= Bun.file(lameWasm)
      .arrayBuffer()
      .then((bytes) => WebAssembly.compile(bytes));
    const instance = await WebAssembly.instantiate(await compiled, {
      wasi_snapshot_preview1: { proc_exit: fail },
      env: { emscripten_notify_memory_growth() {} },
    });
    return new Lame(instance.exports as unknown as LameExports);
  }

  /** Starts a recording. */
  begin(format: LameFormat): void {
    if (JSON.stringify(format) === JSON.stringify(this.#format)) {
      this.#putBack();
      return;
    }
    const { channels, sampleRateHz, bitrateKbps, outputSampleRateHz } = format;
    const { malloc, free, enc_init, enc_free } = this.#wasm;
    if (this.#encoder > 0) enc_free(this.#encoder);
    const parameters = found(malloc(5 * Int32Array.BYTES_PER_ELEMENT));
    const view = new DataView(this.#wasm.memory.buffer, parameters);
    [channels, sampleRateHz, bitrateKbps].forEach((value, at) => {
      view.setInt32(4 * at, value, true);
    });
    view.setFloat32(12, NO_VBR, true);
    view.setInt32(16, outputSampleRateHz, true);
    this.#encoder = found(enc_init(parameters));
    free(parameters);
    this.#keep();
    this.#format = format;
  }

  /**
   * Encodes interleaved samples. Use the result before the next call: the memory belongs to LAME.
   */
  encode(interleaved: Int16Array): Uint8Array {
    const channels = this.#format?.channels ?? 1;
    const frames = interleaved.length / channels;
    const addresses = found(this.#wasm.enc_get_pcm(this.#encoder, frames));
    const { buffer } = this.#wasm.memory;
    for (const [channel, address] of new Int32Array(buffer, addresses, channels).entries()) {
      const samples = new Float32Array(buffer, address, frames);
      for (let frame = 0; frame < frames; frame++)
        samples[frame] = (interleaved[frame * channels + channel] ?? 0) / FULL_SCALE;
    }
    return this.#output(this.#wasm.enc_encode(this.#encoder, frames));
  }

  /** Returns the rest of the recording. */
  finish(): Uint8Array {
    return this.#output(this.#wasm.enc_flush(this.#encoder));
  }

  #output(bytes: number): Uint8Array {
    if (bytes < 0) fail(bytes);
    return new Uint8Array(
      this.#wasm.memory.buffer,
      this.#wasm.enc_get_out_buf(this.#encoder),
      bytes,
    );
  }

  #allocatable(bytes: number): number {
    const address = found(this.#wasm.malloc(bytes));
    this.#wasm.free(address);
    return address;
  }

  #keep(): void {
    const memory = new Uint8Array(this.#wasm.memory.buffer);
    const zeros = new Uint8Array(PAGE_BYTES);
    const pages = Array.from({ length: memory.length / PAGE_BYTES }, (_, page) => ({
      at: page * PAGE_BYTES,
      bytes: memory.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES),
    }));
    this.#kept = pages
      .filter(({ bytes }) => Buffer.compare(bytes, zeros) !== 0)
      .map(({ at, bytes }) => ({ at, bytes: bytes.slice() }));
    this.#top = this.#allocatable(BEYOND_HOLES_BYTES);
    this.#putBack();
  }

  /**
   * Restores the stored memory. Below the heap, only the stack may differ, and its content does not
   * matter.
   */
  #putBack(): void {
    const memory = new Uint8Array(this.#wasm.memory.buffer);
    let end = this.#heap;
    for (const { at, bytes } of this.#kept) {
      if (at > end) memory.fill(0, end, at);
      memory.set(bytes, at);
      end = Math.max(end, at + PAGE_BYTES);
    }
    if (end < this.#top) memory.fill(0, end, this.#top);
  }
}

function found(address: number): number {
  return address > 0 ? address : fail(address);
}

function fail(code: number): never {
  throw new Error(`LAME failed: ${code}`);
}
