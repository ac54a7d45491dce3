/**
 * The Silero v5 speech model on onnxruntime (wasm, one thread). One session is shared by all
 * streams of a thread; runs are strictly one after the other, because a session must not be
 * entered twice. A stream keeps its own recurrent state and context.
 */
import * as ort from "onnxruntime-web/wasm";
import modelPath from "../../../node_modules/@ricky0123/vad-web/dist/silero_vad_v5.onnx" with {
  type: "file",
};
import wasmPath from "../../../node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm" with {
  type: "file",
};

/** Samples the model judges at a time, and those before them it wants to see again, at 8 kHz. */
export const WINDOW_SAMPLES = 256;
const CONTEXT_SAMPLES = 32;
const STATE_SHAPE = [2, 1, 128];
const STATE_VALUES = 256;
/** Windows that may wait over all streams: more means that the thread cannot keep up. */
const WAITING_MAX = 2000;
const FULL_SCALE = 32768;

export class SileroModel {
  readonly #session: ort.InferenceSession;
  readonly #rate = new ort.Tensor("int64", BigInt64Array.from([8000n]));
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  private constructor(session: ort.InferenceSession) {
    this.#session = session;
  }

  /** Loads runtime and model from the program itself; about 0.2 s. */
  static async load(): Promise<SileroModel> {
    ort.env.wasm.numThreads = 1;
    ort.env.logLevel = "error";
    ort.env.wasm.wasmBinary = await Bun.file(wasmPath).arrayBuffer();
    const model = await Bun.file(modelPath).bytes();
    const session = await ort.InferenceSession.create(model, {
      executionProviders: ["wasm"],
      intraOpNumThreads: 1,
      logSeverityLevel: 3,
    });
    return new SileroModel(session);
  }

  newStream(): SileroStream {
    return new SileroStream((input, state) => this.#enqueue(input, state));
  }

  #enqueue(input: Float32Array, state: Float32Array): Promise<SileroResult | null> {
    if (this.#waiting >= WAITING_MAX) return Promise.resolve(null);
    this.#waiting++;
    const result = this.#last.then(() => this.#run(input, state));
    this.#last = result.then(
      () => this.#done(),
      () => this.#done(),
    );
    return result;
  }

  #done(): void {
    this.#waiting--;
  }

  async #run(input: Float32Array, state: Float32Array): Promise<SileroResult> {
    const outputs = await this.#session.run({
      input: new ort.Tensor("float32", input, [1, input.length]),
      state: new ort.Tensor("float32", state, STATE_SHAPE),
      sr: this.#rate,
    });
    const probability = outputs.output?.data[0];
    const nextState = outputs.stateN?.data;
    if (typeof probability !== "number" || !(nextState instanceof Float32Array)) {
      throw new Error("the speech model answered in an unknown form");
    }
    return { probability, state: nextState };
  }
}

interface SileroResult {
  readonly probability: number;
  readonly state: Float32Array;
}

type RunModel = (input: Float32Array, state: Float32Array) => Promise<SileroResult | null>;

export class SileroStream {
  readonly #run: RunModel;
  #state = new Float32Array(STATE_VALUES);
  #context = new Float32Array(CONTEXT_SAMPLES);

  constructor(run: RunModel) {
    this.#run = run;
  }

  /** Probability of speech in one window; null when the model is overloaded. One at a time. */
  async judge(window: Int16Array): Promise<number | null> {
    const input = new Float32Array(CONTEXT_SAMPLES + WINDOW_SAMPLES);
    input.set(this.#context);
    for (let index = 0; index < WINDOW_SAMPLES; index++) {
      input[CONTEXT_SAMPLES + index] = (window[index] ?? 0) / FULL_SCALE;
    }
    this.#context = input.slice(WINDOW_SAMPLES);
    const result = await this.#run(input, this.#state);
    if (!result) return null;
    this.#state = Float32Array.from(result.state);
    return result.probability;
  }

  /** After a pause in which nothing was judged. */
  reset(): void {
    this.#state = new Float32Array(STATE_VALUES);
    this.#context = new Float32Array(CONTEXT_SAMPLES);
  }
}
