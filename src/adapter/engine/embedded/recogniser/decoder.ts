/**
 * One decoder with what the package lacks: a dictionary filled on demand, graphs built through the
 * C functions, scores, and a start that forgets the caller before.
 */
import { ARPABET } from "./arpabet.ts";
import type { BigramGraph } from "./bigram-graph.ts";
import type { Pointer, RawDecoder, RecogniserModule, SearchSettings } from "./soundswallower.ts";

export interface Vocabulary {
  pronunciations(word: string): readonly string[];
}

interface Hypothesis {
  /** Words; sounds that fit no word come as `g_…`. */
  readonly text: string;
  /** Log likelihood on the decoder's own scale. */
  readonly score: number;
}

/** Less tells nothing. */
const ADAPTATION_SAMPLES_MIN = 1_600;

export class Decoder {
  readonly #module: RecogniserModule;
  readonly #raw: RawDecoder;
  readonly #scorePointer: number;
  readonly #words = new Set<string>();

  constructor(module: RecogniserModule, raw: RawDecoder) {
    this.#module = module;
    this.#raw = raw;
    this.#scorePointer = module._malloc(4);
    for (const phone of ARPABET) this.#raw.add_words([`g_${phone.toLowerCase()}`, phone]);
  }

  /** Makes the words known. Answers those that have no pronunciation: no grammar may use them. */
  learn(words: Iterable<string>, vocabulary: Vocabulary): Set<string> {
    const unknown = new Set<string>();
    const entries: [string, string][] = [];
    for (const word of words) {
      if (this.#words.has(word)) continue;
      const pronunciations = vocabulary.pronunciations(word);
      if (pronunciations.length === 0) {
        unknown.add(word);
        continue;
      }
      this.#words.add(word);
      pronunciations.forEach((phones, index) => {
        entries.push([index === 0 ? word : `${word}(${index + 1})`, phones]);
      });
    }
    if (entries.length > 0) this.#raw.add_words(...entries);
    return unknown;
  }

  setJsgf(grammar: string, search: SearchSettings): void {
    this.#configure(search);
    this.#raw.set_grammar(grammar);
  }

  /** Words of the graph must be learnt before. */
  setGraph(graph: BigramGraph, search: SearchSettings): void {
    this.#configure(search);
    const module = this.#module;
    const math = module._decoder_logmath(this.#raw.cdecoder);
    const weight = Number(this.#raw.get_config("lw"));
    const log = (probability: number) =>
      Math.round(module._logmath_log(math, Math.min(1, Math.max(probability, 1e-30))) * weight);
    const name = this.#allocate("bigram");
    const model = module._fsg_model_init(name, math, weight, graph.states);
    module._free(name);
    const ids = new Map<string, number>();
    for (const arc of graph.arcs) {
      if (arc.word === null) {
        module._fsg_model_null_trans_add(model, arc.from, arc.to, log(arc.probability));
        continue;
      }
      let id = ids.get(arc.word);
      if (id === undefined) {
        const word = this.#allocate(arc.word);
        id = module._fsg_model_word_add(model, word);
        module._free(word);
        ids.set(arc.word, id);
      }
      module._fsg_model_trans_add(model, arc.from, arc.to, log(arc.probability), id);
    }
    module._fsg_set_states(model, graph.start, graph.final);
    if (module._decoder_set_fsg(this.#raw.cdecoder, model) < 0) {
      throw new Error("the recogniser refused a grammar");
    }
  }

  /**
   * Takes the channel and the voice (the mean of the cepstra) from what is heard of a caller first, and
   * forgets the caller before. `estimator`: another decoder, whose search costs next to nothing: one that
   * hears the end of an utterance searches all of it.
   */
  adaptTo(audio: Float32Array, estimator: Decoder): void {
    const { frontEnd, features } = estimator.#channelOf(audio);
    this.#module._acmod_reinit_feat(this.#raw.cacmod, frontEnd, features);
  }

  /** Belongs to whoever takes it next: this decoder makes another one each time. */
  #channelOf(audio: Float32Array): { readonly frontEnd: Pointer; readonly features: Pointer } {
    const { cdecoder, cacmod } = this.#raw;
    const frontEnd = this.#module._decoder_init_fe(cdecoder);
    const features = this.#module._decoder_init_feat_s3file(cdecoder, 0);
    this.#module._acmod_reinit_feat(cacmod, frontEnd, features);
    if (audio.length >= ADAPTATION_SAMPLES_MIN) {
      this.#raw.start();
      this.#raw.process_audio(audio, true, true);
      this.#raw.stop();
    }
    return { frontEnd, features };
  }

  start(): void {
    this.#raw.start();
  }

  process(audio: Float32Array): void {
    this.#raw.process_audio(audio, false, false);
  }

  partialText(): string {
    return this.#raw.get_text().trim();
  }

  finish(): Hypothesis {
    this.#raw.stop();
    const text = this.#raw.get_text().trim();
    this.#module._decoder_hyp(this.#raw.cdecoder, this.#scorePointer);
    const score = new DataView(this.#module.HEAP8.buffer).getInt32(this.#scorePointer, true);
    return { text, score };
  }

  /** Takes effect with the next grammar. */
  #configure(search: SearchSettings): void {
    this.#raw.set_config("beam", search.beam);
    this.#raw.set_config("pbeam", search.beam);
    this.#raw.set_config("wbeam", search.wordBeam);
    this.#raw.set_config("wip", search.wordInsertionPenalty);
    this.#raw.set_config("lw", search.languageWeight);
    this.#raw.set_config("fillprob", search.fillerProbability);
  }

  #allocate(text: string): number {
    const bytes = new TextEncoder().encode(`${text}\0`);
    const pointer = this.#module._malloc(bytes.length);
    this.#module.HEAP8.set(bytes, pointer);
    return pointer;
  }
}
