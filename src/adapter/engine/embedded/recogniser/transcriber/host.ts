/** What runs in the transcriber's thread: utterances in their order, each answered under its number. */
import tokenizer from "llama-tokenizer-js";
import { describeError } from "../../../../../core/errors.ts";
import { bestReading } from "./beam-search.ts";
import type { FromTranscriber, ToTranscriber } from "./messages.ts";
import { Moonshine, START_TOKEN } from "./moonshine.ts";
import { soundParts } from "./wideband.ts";

/** Shorter sound holds no word. */
const SAMPLES_MIN = 3_200;

export class TranscriberHost {
  readonly #model: Promise<Moonshine>;
  #queue: Promise<void>;

  constructor(
    private readonly post: (message: FromTranscriber) => void,
    load = () => Moonshine.load(),
  ) {
    this.#model = load();
    this.#queue = this.#model.then(
      () => post({ type: "ready" }),
      (error) => post({ type: "failed", detail: describeError(error) }),
    );
  }

  receive({ id, pcm, sampleRateHz }: ToTranscriber): void {
    this.#queue = this.#queue.then(async () => {
      try {
        this.post({ type: "transcript", id, ...(await this.#transcribe(pcm, sampleRateHz)) });
      } catch (error) {
        this.post({ type: "failed", detail: describeError(error) });
      }
    });
  }

  async #transcribe(pcm: Int16Array, sampleRateHz: number) {
    const model = await this.#model;
    const texts: string[] = [];
    let evidence = 0;
    for (const sound of soundParts(pcm, sampleRateHz)) {
      if (sound.length < SAMPLES_MIN) continue;
      const best = await bestReading(model, sound);
      texts.push(tokenizer.decode([START_TOKEN, ...best.tokens]).trim());
      evidence = Math.min(evidence, best.evidence);
    }
    return { text: texts.join(" "), evidence };
  }
}
