/**
 * Partials flicker: a word is told once two readings in a row agree on it, the last word of a
 * reading never, and nothing before two words are stable.
 */
export class StableWords {
  #previous: readonly string[] = [];
  #told = "";

  /** The stable words when they have grown, else null. */
  add(text: string): string | null {
    const words = text.split(" ").filter((word) => word !== "");
    const stable: string[] = [];
    for (const [index, word] of words.slice(0, -1).entries()) {
      if (this.#previous[index] !== word) break;
      stable.push(word);
    }
    this.#previous = words;
    const joinedWords = stable.join(" ");
    if (stable.length < 2 || joinedWords.length <= this.#told.length) return null;
    this.#told = joinedWords;
    return joinedWords;
  }

  reset(): void {
    this.#previous = [];
    this.#told = "";
  }
}
