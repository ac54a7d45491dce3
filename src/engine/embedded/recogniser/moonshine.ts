/**
 * Moonshine Base, a neural recogniser of English: audio at 16 kHz in, word pieces out. An encoder
 * reads the whole utterance; a decoder writes one word piece after another. onnxruntime runs both
 * in WebAssembly on the calling thread. Decoding is greedy: a beam of four made as many errors for
 * twice the work.
 */
import * as ort from "onnxruntime-web/wasm";
import { data } from "./data.ts";

export const START_TOKEN = 1;
const END_TOKEN = 2;
const LAYERS = 8;
const HEADS = 8;
const HEAD_SIZE = 52;
const CACHES = Array.from({ length: LAYERS }, (_, layer) =>
  ["decoder.key", "decoder.value", "encoder.key", "encoder.value"].map(
    (part) => `${layer}.${part}`,
  ),
).flat();
/** Limits a model that repeats itself endlessly. Nobody speaks faster. */
const TOKENS_PER_SECOND = 6.5;
const TOKENS_MIN = 4;
const SAMPLES_PER_SECOND = 16_000;

type Tensors = Record<string, ort.Tensor>;

interface Reading {
  readonly tokens: readonly number[];
  /** Mean natural logarithm of the pieces' probabilities, including the end. */
  readonly evidence: number;
}

export class Moonshine {
  private constructor(
    private readonly encoder: ort.InferenceSession,
    private readonly decoder: ort.InferenceSession,
  ) {}

  /** Takes about a second of one core. The memory is freed only when the thread ends. */
  static async load(): Promise<Moonshine> {
    ort.env.wasm.numThreads = 1;
    ort.env.wasm.wasmBinary = data("runtime");
    ort.env.logLevel = "error";
    // The larger part first: the other one then fits into memory that loading has freed.
    const decoder = await ort.InferenceSession.create(data("decoder"));
    const encoder = await ort.InferenceSession.create(data("encoder"));
    return new Moonshine(encoder, decoder);
  }

  async read(sound: Float32Array<ArrayBuffer>): Promise<Reading> {
    const input = new ort.Tensor("float32", sound, [1, sound.length]);
    const heard = named(await this.encoder.run({ input_values: input }), "last_hidden_state");
    const nothing = new ort.Tensor("float32", new Float32Array(0), [0, HEADS, 1, HEAD_SIZE]);
    const caches: Tensors = Object.fromEntries(
      CACHES.map((name) => [`past_key_values.${name}`, nothing]),
    );
    const tokens: number[] = [];
    let evidence = 0;
    const most = Math.max(TOKENS_MIN, (sound.length / SAMPLES_PER_SECOND) * TOKENS_PER_SECOND);
    for (let length = 0; length < most; length++) {
      const logits = await this.#step(heard, tokens.at(-1) ?? START_TOKEN, caches, length === 0);
      // The caller spoke, so the first piece is not the end.
      if (length === 0) logits[END_TOKEN] = Number.NEGATIVE_INFINITY;
      const { token, logProbability } = likeliest(logits);
      evidence += logProbability;
      if (token === END_TOKEN) return { tokens, evidence: evidence / (length + 1) };
      tokens.push(token);
    }
    return { tokens, evidence: evidence / tokens.length };
  }

  /** Returns the logits for the next piece and replaces `caches`. */
  async #step(
    heard: ort.Tensor,
    token: number,
    caches: Tensors,
    isFirst: boolean,
  ): Promise<Float32Array> {
    const made = await this.decoder.run({
      input_ids: new ort.Tensor("int64", BigInt64Array.of(BigInt(token)), [1, 1]),
      encoder_hidden_states: heard,
      use_cache_branch: new ort.Tensor("bool", [!isFirst]),
      ...caches,
    });
    // After the first step the decoder returns no cache of the encoder's output.
    for (const name of CACHES)
      if (isFirst || !name.includes("encoder"))
        caches[`past_key_values.${name}`] = named(made, `present.${name}`);
    const { data: logits } = named(made, "logits");
    if (logits instanceof Float32Array) return logits;
    throw new Error("the recogniser's model has other numbers");
  }
}

function likeliest(logits: Float32Array): { token: number; logProbability: number } {
  let token = 0;
  for (let index = 1; index < logits.length; index++)
    if ((logits[index] ?? 0) > (logits[token] ?? 0)) token = index;
  const most = logits[token] ?? 0;
  let sum = 0;
  for (const value of logits) sum += Math.exp(value - most);
  return { token, logProbability: -Math.log(sum) };
}

function named(tensors: Readonly<Tensors>, name: string): ort.Tensor {
  const tensor = tensors[name];
  if (tensor === undefined) throw new Error(`the recogniser's model has no ${name}`);
  return tensor;
}
