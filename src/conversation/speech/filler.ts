/** The agent's custom filler phrases in rotation: no caller hears the same one twice in a row. */
import type { Phrases } from "./phrases.ts";

/** More would be synthesised but rarely used. */
const FILLERS_MAX = 10;

export class FillerRotation {
  readonly phrases: readonly string[];
  #next = 0;

  constructor(agentPhrases: readonly string[], fallback: Phrases) {
    const own = agentPhrases.map((phrase) => phrase.trim()).filter((phrase) => phrase !== "");
    this.phrases = (own.length > 0 ? own : fallback.fillers).slice(0, FILLERS_MAX);
  }

  next(): string {
    const phrase = this.phrases[this.#next % this.phrases.length] ?? "";
    this.#next++;
    return phrase;
  }
}
