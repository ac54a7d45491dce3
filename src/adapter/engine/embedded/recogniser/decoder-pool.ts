/**
 * Decoders on loan, one pair per talking caller: one that listens for words and a loop of bare
 * sounds that says how well any words could fit at all. Bounded by how many callers one thread can
 * follow in time; decoders are made as they are needed and never deleted.
 */
import { CONCURRENT_UTTERANCES_MAX } from "../talkers.ts";
import { Decoder } from "./decoder.ts";
import { ONE_SOUND, SOUND_LOOP, SOUND_LOOP_SEARCH } from "./grammar.ts";
import { createRawDecoder, type RecogniserModule } from "./soundswallower.ts";

export interface DecoderPair {
  readonly words: Decoder;
  readonly sounds: Decoder;
  /** Of all pairs: see Decoder.adaptTo. */
  readonly estimator: Decoder;
  /** Key of the grammar `words` has now; empty: none yet. */
  grammarKey: string;
  /** The STT stream that it adapted to. */
  adaptedTo: object | null;
  lastUsed: number;
}

export async function createEstimator(module: RecogniserModule): Promise<Decoder> {
  const estimator = new Decoder(module, await createRawDecoder(module, false));
  estimator.setJsgf(ONE_SOUND, SOUND_LOOP_SEARCH);
  return estimator;
}

export class DecoderPool {
  readonly #module: RecogniserModule;
  readonly #estimator: Decoder;
  readonly #idle: DecoderPair[] = [];
  readonly #allSounds: boolean;
  /** There is a pair to be had. */
  readonly #onIdle: () => void;
  #made = 0;
  #acquired = 0;
  #uses = 0;

  /** `allSounds`: see soundswallower.ts; closed grammars need it, the open graph does not. */
  constructor(
    module: RecogniserModule,
    estimator: Decoder,
    allSounds: boolean,
    onIdle: () => void,
  ) {
    this.#module = module;
    this.#estimator = estimator;
    this.#allSounds = allSounds;
    this.#onIdle = onIdle;
  }

  /** Makes pairs until `count` exist (at most CONCURRENT_UTTERANCES_MAX). About 0.1 s and 30 MB a pair. */
  async grow(count: number, betweenSteps: () => Promise<void> = async () => {}): Promise<void> {
    while (this.#made < Math.min(count, CONCURRENT_UTTERANCES_MAX)) {
      this.#made++;
      const words = new Decoder(
        this.#module,
        await createRawDecoder(this.#module, this.#allSounds),
      );
      await betweenSteps();
      const sounds = new Decoder(
        this.#module,
        await createRawDecoder(this.#module, this.#allSounds),
      );
      sounds.setGraph(SOUND_LOOP, SOUND_LOOP_SEARCH);
      this.#idle.push({
        words,
        sounds,
        estimator: this.#estimator,
        grammarKey: "",
        adaptedTo: null,
        lastUsed: 0,
      });
      this.#onIdle();
    }
  }

  /**
   * Lends a pair, best one that has the grammar already and knows the caller, else one that nobody used for
   * longest. Null: all are talking.
   */
  acquire(grammarKey: string, caller: object | null): DecoderPair | null {
    const byAge = [...this.#idle].sort((one, other) => one.lastUsed - other.lastUsed);
    const ready = byAge.filter((candidate) => candidate.grammarKey === grammarKey);
    const pair = ready.find(({ adaptedTo }) => adaptedTo === caller) ?? ready[0] ?? byAge[0];
    if (pair === undefined) return null;
    this.#idle.splice(this.#idle.indexOf(pair), 1);
    this.#acquired++;
    pair.lastUsed = ++this.#uses;
    if (this.#idle.length === 0) void this.grow(this.#made + 1);
    return pair;
  }

  release(pair: DecoderPair): void {
    this.#acquired--;
    this.#idle.push(pair);
    this.#onIdle();
  }

  get acquired(): number {
    return this.#acquired;
  }
}
