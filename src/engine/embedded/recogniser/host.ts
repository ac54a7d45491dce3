/**
 * Code of a transcriber's thread. It reads utterances in order and, between them, encodes the
 * topics of agents. Sound without words (music, noise, several people at once) gives an empty text.
 */
import tokenizer from "llama-tokenizer-js";
import { systemClock } from "../../../core/clock.ts";
import { describeError } from "../../../core/errors.ts";
import type { Nearness } from "../meaning/lessons.ts";
import { SemanticSimilarity } from "../meaning/semantic-similarity.ts";
import type { FromTranscriber, ToTranscribe, ToTranscriber, Transcript } from "./messages.ts";
import { Moonshine, START_TOKEN } from "./moonshine.ts";
import { soundParts } from "./wideband.ts";

/** Shorter sounds contain no word. */
const SAMPLES_MIN = 3_200;
/** Sentences on bad lines reach 0.7. Invented words for noise and music reach 0.4. */
const CONFIDENCE_MIN = 0.45;

export class TranscriberHost {
  readonly #model: Promise<Moonshine>;
  readonly #meanings = new SemanticSimilarity(systemClock, () => this.#unread > 0);
  #queue: Promise<void>;
  /** Utterances in the queue. The model counts as one until it is loaded. */
  #unread = 1;

  constructor(
    private readonly post: (message: FromTranscriber) => void,
    load: () => Promise<Moonshine> = () => Moonshine.load(),
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

  async #transcribe(pcm: Int16Array, sampleRateHz: number): Promise<Transcript> {
    const model = await this.#model;
    const texts: string[] = [];
    let confidence = 1;
    for (const sound of soundParts(pcm, sampleRateHz)) {
      if (sound.length < SAMPLES_MIN) continue;
      const { tokens, evidence } = await model.read(sound);
      const likelihood = Math.exp(evidence);
      if (likelihood < CONFIDENCE_MIN) continue;
      texts.push(tokenizer.decode([START_TOKEN, ...tokens]).trim());
      confidence = Math.min(confidence, likelihood);
    }
    const text = texts.filter((part) => part !== "").join(" ");
    return { text, confidence: text === "" ? 0 : confidence };
  }
}
