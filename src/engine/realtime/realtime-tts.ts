/**
 * The TTS side of a Realtime session. The words of the LLM are played from the audio of their
 * answer. Other texts of the conversation (greeting, disclosure, filler) are requested as phrases.
 */
import { type TtsStream, UnsupportedText } from "../../conversation/engine-port.ts";
import { readAloud } from "../spoken-language.ts";
import type { RealtimeLink } from "./link.ts";
import { Phrases } from "./phrases.ts";
import type { RealtimeResponse, ResponseUsage } from "./response.ts";

/** Answers whose audio may still be played. */
const ANSWERS_MAX = 3;

export class RealtimeTtsStream implements TtsStream {
  #answers: RealtimeResponse[] = [];
  readonly #phrases: Phrases;

  constructor(link: RealtimeLink) {
    this.#phrases = new Phrases(link, (language) => readAloud(language));
  }

  /** From now on, words of this answer are played from its audio. */
  speaksFrom(response: RealtimeResponse): void {
    this.#answers = [...this.#answers, response].slice(-ANSWERS_MAX);
  }

  /** Returns the phrases' usage since the last call. */
  takeUsage(): ResponseUsage {
    return this.#phrases.takeUsage();
  }

  async *speak(text: string, signal: AbortSignal): AsyncGenerator<Int16Array> {
    if (signal.aborted) return;
    const answer = this.#answers.findLast(({ track }) => track.find(text) !== null);
    const piece = answer?.track.find(text);
    if (!answer || !piece) {
      yield* this.#phrases.speak(text, signal);
      return;
    }
    if (answer.over && answer.track.samples === 0) {
      throw new UnsupportedText("the answer came without audio");
    }
    yield* answer.track.read(piece, signal);
    const { failure } = answer;
    if (failure && !signal.aborted && !answer.cancelled) throw failure;
  }
}
