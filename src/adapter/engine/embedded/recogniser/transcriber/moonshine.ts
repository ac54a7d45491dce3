/**
 * Moonshine, a neural recogniser of English: sound at 16 kHz in, word pieces out. An encoder reads a
 * whole utterance, a decoder writes it piece by piece, for several readings of it side by side. It is
 * run by onnxruntime in WebAssembly, on the thread that calls it.
 */
import * as ort from "onnxruntime-web/wasm";
import { type HearingPack, type ModelShape, readHearingPack } from "./hearing-pack.ts";

export const START_TOKEN = 1;
export const END_TOKEN = 2;

const isOfSound = (cache: string) => cache.includes("encoder");

type Tensors = Readonly<Record<string, ort.Tensor>>;

/** Readings of one utterance as far as the decoder has come, side by side. */
export interface DecoderState {
  readonly readings: number;
  readonly sound: ort.Tensor;
  readonly caches: Tensors;
  /** Of one reading: what the decoder made of the sound. */
  readonly soundCaches: Tensors;
}

interface DecoderStep {
  /** Of each reading's next piece, one reading after another; not normalised. */
  readonly logits: Float32Array;
  readonly state: DecoderState;
}

export class Moonshine {
  /** Of the decoder, one after another. */
  readonly #caches: readonly string[];

  private constructor(
    private readonly encoder: ort.InferenceSession,
    private readonly decoder: ort.InferenceSession,
    private readonly shape: ModelShape,
  ) {
    const parts = ["decoder.key", "decoder.value", "encoder.key", "encoder.value"];
    this.#caches = Array.from({ length: shape.layers }, (_, layer) =>
      parts.map((part) => `${layer}.${part}`),
    ).flat();
  }

  /** Half a second and 500 MB, which only the end of the thread gives back. */
  static async load(pack: HearingPack = readHearingPack()): Promise<Moonshine> {
    ort.env.wasm.numThreads = 1;
    ort.env.wasm.wasmBinary = pack.part("runtime");
    ort.env.logLevel = "error";
    return new Moonshine(
      await ort.InferenceSession.create(pack.part("encoder")),
      await ort.InferenceSession.create(pack.part("decoder")),
      pack.model,
    );
  }

  async encode(sound: Float32Array): Promise<DecoderState> {
    const input = new ort.Tensor("float32", sound, [1, sound.length]);
    const encoded = await this.encoder.run({ input_values: input });
    const { heads, headSize } = this.shape;
    const nothing = new ort.Tensor("float32", new Float32Array(0), [0, heads, 1, headSize]);
    return {
      readings: 1,
      sound: named(encoded, "last_hidden_state"),
      caches: Object.fromEntries(this.#caches.map((name) => [name, nothing])),
      soundCaches: {},
    };
  }

  /** `tokens`: the newest of each reading. */
  async step(state: DecoderState, tokens: readonly number[]): Promise<DecoderStep> {
    const isFirst = Object.keys(state.soundCaches).length === 0;
    const ids = BigInt64Array.from(tokens, BigInt);
    const caches = Object.entries(state.caches).map(([name, tensor]) => [
      `past_key_values.${name}`,
      tensor,
    ]);
    const made = await this.decoder.run({
      input_ids: new ort.Tensor("int64", ids, [tokens.length, 1]),
      encoder_hidden_states: state.sound,
      use_cache_branch: new ort.Tensor("bool", [!isFirst]),
      ...Object.fromEntries(caches),
    });
    const newest = (names: readonly string[]) =>
      Object.fromEntries(names.map((name) => [name, named(made, `present.${name}`)]));
    const soundCaches = isFirst ? newest(this.#caches.filter(isOfSound)) : state.soundCaches;
    const ofWords = this.#caches.filter((name) => !isOfSound(name));
    const kept = isFirst ? soundCaches : state.caches;
    return {
      logits: floats(named(made, "logits")),
      state: { ...state, soundCaches, caches: { ...kept, ...newest(ofWords) } },
    };
  }
}

/** The readings that are followed on, by the index of what each goes on from. */
export function withReadings(state: DecoderState, parents: readonly number[]): DecoderState {
  const readings = parents.length;
  const sameSize = readings === state.readings;
  if (sameSize && parents.every((parent, index) => parent === index)) return state;
  const caches: Record<string, ort.Tensor> = {};
  const first = parents.map(() => 0);
  for (const [name, cache] of Object.entries(state.caches))
    if (!isOfSound(name)) caches[name] = rows(cache, parents);
    else caches[name] = sameSize ? cache : rows(named(state.soundCaches, name), first);
  return { ...state, readings, caches, sound: sameSize ? state.sound : rows(state.sound, first) };
}

function rows(tensor: ort.Tensor, indexes: readonly number[]): ort.Tensor {
  const values = floats(tensor);
  const size = values.length / (tensor.dims[0] ?? 1);
  const out = new Float32Array(size * indexes.length);
  for (const [at, index] of indexes.entries())
    out.set(values.subarray(index * size, (index + 1) * size), at * size);
  return new ort.Tensor("float32", out, [indexes.length, ...tensor.dims.slice(1)]);
}

function named(tensors: Tensors, name: string): ort.Tensor {
  const tensor = tensors[name];
  if (tensor === undefined) throw new Error(`the recogniser's model has no ${name}`);
  return tensor;
}

function floats(tensor: ort.Tensor): Float32Array {
  const { data } = tensor;
  if (!(data instanceof Float32Array)) throw new Error("the recogniser's model has other numbers");
  return data;
}
