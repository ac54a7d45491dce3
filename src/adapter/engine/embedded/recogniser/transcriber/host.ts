/**
 * What runs in the transcriber's thread: utterances in their order, each answered under its number; between
 * them it learns what agents can be asked.
 */
import tokenizer from "llama-tokenizer-js";
import { systemClock } from "../../../../../core/clock.ts";
import { describeError } from "../../../../../core/errors.ts";
import { Meanings, type Nearness } from "../../meaning/meanings.ts";
import { bestReading } from "./beam-search.ts";
import type { FromTranscriber, ToTranscribe, ToTranscriber } from "./messages.ts";
import { Moonshine, START_TOKEN } from "./moonshine.ts";
import { soundParts } from "./wideband.ts";

/** Shorter sound holds no word. */
const SAMPLES_MIN = 3_200;

export class TranscriberHost {
  readonly #model: Promise<Moonshine>;
  readonly #meanings = new Meanings(systemClock, () => this.#unread > 0);
  #queue: Promise<void>;
  /** Utterances; until it is loaded, the model counts as one. */
  #unread = 1;

  constructor(
    private readonly post: (message: FromTranscriber) => void,
    load = () => Moonshine.load(),
  ) {
    this.#model = load();
    this.#queue = this.#model.then(
      () => {
        this.#unread--;
        post({ type: "ready" });
      },
      (error) => post({ type: "failed", detail: describeError(error) }),
    );
  }

  receive(message: ToTranscriber): void {
    if (message.type === "learn") void this.#meanings.learn(message.lesson);
    else if (message.type === "compare") this.#compare(message);
    else this.#read(message);
  }

  #compare({ id, key, text }: Extract<ToTranscriber, { type: "compare" }>): void {
    let nearness: Nearness | null = null;
    try {
      nearness = this.#meanings.compare(key, text);
    } finally {
      this.post({ type: "compared", id, nearness });
    }
  }

  #read({ id, pcm, sampleRateHz }: ToTranscribe): void {
    this.#unread++;
    this.#queue = this.#queue.then(async () => {
      try {
        this.post({ type: "transcript", id, ...(await this.#transcribe(pcm, sampleRateHz)) });
      } catch (error) {
        this.post({ type: "failed", detail: describeError(error) });
      }
      this.#unread--;
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
