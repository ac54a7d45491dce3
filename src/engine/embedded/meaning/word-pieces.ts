/**
 * Splits text into the likeliest sequence of a model's word pieces. Each piece has a log
 * likelihood.
 */

/** Lower ids are control pieces without text. */
const RESERVED = 6;
const UNKNOWN = 0;
const SPACE = "▁";

export class WordPieces {
  readonly #known = new Map<string, { readonly id: number; readonly score: number }>();
  #longest = 1;

  constructor(pieces: readonly (readonly [string, number])[]) {
    for (const [id, [piece, score]] of pieces.entries()) {
      if (id < RESERVED) continue;
      this.#known.set(piece, { id, score });
      this.#longest = Math.max(this.#longest, piece.length);
    }
  }

  idsOf(text: string): number[] {
    const symbols = SPACE + text.normalize("NFKC").replaceAll(" ", SPACE);
    /** The best sequence up to each position: score, last piece, and start of that piece. */
    const best = [{ score: 0, id: UNKNOWN, from: 0 }];
    for (let end = 1; end <= symbols.length; end++) {
      let found = { score: Number.NEGATIVE_INFINITY, id: UNKNOWN, from: end - 1 };
      for (let from = Math.max(0, end - this.#longest); from < end; from++) {
        const before = best[from]?.score ?? 0;
        const piece = this.#known.get(symbols.slice(from, end));
        if (piece !== undefined && before + piece.score >= found.score)
          found = { score: before + piece.score, id: piece.id, from };
      }
      if (found.score === Number.NEGATIVE_INFINITY)
        found = { ...found, score: best[end - 1]?.score ?? 0 };
      best.push(found);
    }
    const ids: number[] = [];
    for (let end = symbols.length; end > 0; end = best[end]?.from ?? 0) {
      const id = best[end]?.id ?? UNKNOWN;
      if (id !== UNKNOWN || ids.at(-1) !== UNKNOWN) ids.push(id);
    }
    return ids.reverse();
  }
}
