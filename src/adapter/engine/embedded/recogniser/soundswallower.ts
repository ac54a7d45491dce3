/**
 * Loads the recogniser (wasm) with the embedded 8 kHz telephone model and makes decoders. Decoders
 * start with an empty dictionary: 134,000 words would cost each of them 10 MB and 0.1 s, and a
 * grammar needs a few hundred.
 *
 * A decoder is never deleted (that leaks about 5 MB): the pool reuses it.
 */
import { readFileSync } from "node:fs";
import createModule, { type Decoder as DecoderOfModule } from "soundswallower";
import { unshuffled } from "../../../../platform/memory/shuffle.ts";
import features from "../data/features.bin" with { type: "file" };
import means from "../data/means.zst" with { type: "file" };
import mixtureWeights from "../data/mixture-weights.bin" with { type: "file" };
import modelDefinition from "../data/model-definition.zst" with { type: "file" };
import noiseDictionary from "../data/noise-dictionary.bin" with { type: "file" };
import wasm from "../data/recogniser.zst" with { type: "file" };
import transitions from "../data/transitions.bin" with { type: "file" };
import variances from "../data/variances.zst" with { type: "file" };

/** Average cepstrum of telephone speech, so that the first words of a caller fit already. */
const CEPSTRAL_MEAN = "41.00,-5.29,-0.12,5.09,2.48,-4.07,-1.37,-1.78,-5.08,-2.05,-6.45,-1.42,1.17";

const COMMON_SETTINGS = {
  loglevel: "ERROR",
  samprate: 8000,
  hmm: null,
  dict: null,
  fdict: noiseDictionary,
  tmat: transitions,
  featparams: features,
  cmninit: CEPSTRAL_MEAN,
};

/** Search widths and penalties that differ per kind of grammar. */
export interface SearchSettings {
  /** State and phone pruning. */
  readonly beam: number;
  /** Pruning at word ends. */
  readonly wordBeam: number;
  /** Below 1: words are dear, so that few long ones win over many short ones. */
  readonly wordInsertionPenalty: number;
  /** How much the grammar's own weights count against the sound. */
  readonly languageWeight: number;
  /** Of coughs and speech that is no word; weighed like the grammar, so small where that is 1. */
  readonly fillerProbability: number;
}

export type Pointer = number;

/** The decoder's own class plus what the package leaves out of its types. */
export type RawDecoder = DecoderOfModule & {
  readonly cdecoder: Pointer;
  readonly cacmod: Pointer;
  /** Reads the model's definition from a file. */
  load_mdef: () => Promise<Pointer>;
  /** Reads the model's Gaussians and their weights from files. */
  load_gmm: () => Promise<void>;
};

/** Unpacked once for all decoders. */
interface TelephoneModel {
  /** Shared by the decoders: they only read it, and none is ever deleted. */
  readonly definition: Pointer;
  readonly means: Uint8Array;
  readonly variances: Uint8Array;
  readonly mixtureWeights: Uint8Array;
}

export type RecogniserModule = RecogniserFunctions & { readonly telephone: TelephoneModel };

/** The C functions behind the class that we call ourselves. */
interface RecogniserFunctions {
  readonly HEAP8: Int8Array;
  readonly HEAPU8: Uint8Array;
  readonly Decoder: new (settings: object) => RawDecoder;
  _malloc(bytes: number): Pointer;
  _free(pointer: Pointer): void;
  _decoder_logmath(decoder: Pointer): Pointer;
  _decoder_hyp(decoder: Pointer, score: Pointer): Pointer;
  _decoder_init_fe(decoder: Pointer): Pointer;
  _decoder_init_feat_s3file(decoder: Pointer, transform: Pointer): Pointer;
  _acmod_reinit_feat(model: Pointer, frontEnd: Pointer, features: Pointer): number;
  _logmath_log(math: Pointer, probability: number): number;
  _fsg_model_init(name: Pointer, math: Pointer, weight: number, states: number): Pointer;
  _fsg_model_word_add(graph: Pointer, word: Pointer): number;
  _fsg_model_trans_add(graph: Pointer, from: number, to: number, log: number, word: number): void;
  _fsg_model_null_trans_add(graph: Pointer, from: number, to: number, log: number): number;
  _fsg_set_states(graph: Pointer, start: number, final: number): void;
  _s3file_init(content: Pointer, bytes: number): Pointer;
  _s3file_free(file: Pointer): void;
  /** 0: it is none. */
  _bin_mdef_read_s3file(file: Pointer, phonesOnly: boolean): Pointer;
  _set_mdef(decoder: Pointer, definition: Pointer): void;
  /** Takes over the files. Below 0: they do not fit. */
  _load_gmm(
    decoder: Pointer,
    means: Pointer,
    variances: Pointer,
    noWeights: 0,
    mixtureWeights: Pointer,
  ): number;
  _decoder_set_fsg(decoder: Pointer, graph: Pointer): number;
}

/** `program`: the published one, to compare ours with. */
export async function loadRecogniserModule(
  program: Uint8Array = Bun.zstdDecompressSync(readFileSync(wasm)),
): Promise<RecogniserModule> {
  const listenersBefore = process.listeners("uncaughtException");
  const module = await createModule({
    wasmBinary: new Uint8Array(program).buffer,
    print() {},
    printErr() {},
  });
  // It installs a handler that would swallow or rethrow everybody's exceptions.
  for (const listener of process.listeners("uncaughtException")) {
    if (!listenersBefore.includes(listener)) {
      process.removeListener("uncaughtException", listener);
    }
  }
  const functions = module as unknown as RecogniserFunctions;
  return Object.assign(functions, { telephone: telephoneModel(functions) });
}

function telephoneModel(module: RecogniserFunctions): TelephoneModel {
  const file = s3File(module, records(modelDefinition));
  const definition = module._bin_mdef_read_s3file(file, false);
  module._s3file_free(file);
  if (definition === 0) throw new Error("the telephone model's definition is damaged");
  return {
    definition,
    means: records(means),
    variances: records(variances),
    mixtureWeights: readFileSync(mixtureWeights),
  };
}

/**
 * About 25 ms and 12 MB. Scores are relative to the best sound considered; `allSounds` considers all
 * of them at each frame, which makes scores of grammars of any size comparable, at half as much CPU
 * again.
 */
export async function createRawDecoder(
  module: RecogniserModule,
  allSounds: boolean,
): Promise<RawDecoder> {
  const decoder = new module.Decoder({ ...COMMON_SETTINGS, compallsen: allSounds });
  decoder.load_mdef = async () => {
    module._set_mdef(decoder.cdecoder, module.telephone.definition);
    return module.telephone.definition;
  };
  decoder.load_gmm = async () => setGaussians(module, decoder);
  await decoder.initialize();
  decoder.set_config("remove_noise", 0);
  await decoder.reinitialize_audio();
  return decoder;
}

function setGaussians(module: RecogniserModule, { cdecoder }: RawDecoder): void {
  const { telephone } = module;
  const [mean, variance] = [s3File(module, telephone.means), s3File(module, telephone.variances)];
  const weights = s3File(module, telephone.mixtureWeights);
  if (module._load_gmm(cdecoder, mean, variance, 0, weights) < 0)
    throw new Error("the telephone model is damaged");
}

const records = (path: string) => unshuffled(Bun.zstdDecompressSync(readFileSync(path)));

function s3File(module: RecogniserFunctions, content: Uint8Array): Pointer {
  return module._s3file_init(copied(module, content), content.length);
}

/** With a zero behind it, as the package does it. */
function copied(module: RecogniserFunctions, content: Uint8Array): Pointer {
  const address = module._malloc(content.length + 1);
  if (address === 0) throw new Error("no memory for the telephone model");
  module.HEAPU8.set(content, address);
  module.HEAPU8[address + content.length] = 0;
  return address;
}
