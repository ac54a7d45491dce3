/**
 * The audio of one spoken answer, next to its words. Both come from the model at their own pace;
 * the conversation plays and counts pieces of text. The samples of a piece are calculated by
 * proportion: with the usual rate of speech during the answer, exactly when it is complete.
 *
 * All audio is kept (bounded), so that a piece can be repeated after a false interruption.
 */
const SECONDS_MAX = 120;
/** Ordinary speaking rate, until an answer shows its own. */
const MS_PER_CHARACTER = 65;

interface SpeechPiece {
  readonly text: string;
  /** Characters of the answer up to the end of the piece. */
  readonly charactersThrough: number;
  /** Sample at which it started; null if not spoken yet. */
  startedAt: number | null;
}

export class SpeechTrack {
  readonly pieces: SpeechPiece[] = [];
  #pcm: Int16Array;
  #length = 0;
  #characters = 0;
  #cursor = 0;
  #ended = false;
  #wake: (() => void) | null = null;

  constructor(readonly sampleRateHz: number) {
    this.#pcm = new Int16Array(sampleRateHz * 4);
  }

  get ms(): number {
    return this.msOf(this.#length);
  }

  msOf(samples: number): number {
    return (samples / this.sampleRateHz) * 1_000;
  }

  get samples(): number {
    return this.#length;
  }

  /** True once any audio was returned for playing. */
  get begun(): boolean {
    return this.#cursor > 0;
  }

  get ended(): boolean {
    return this.#ended;
  }

  add(pcm: Int16Array): void {
    const needed = this.#length + pcm.length;
    if (this.#ended || needed > this.sampleRateHz * SECONDS_MAX) return;
    if (needed > this.#pcm.length) {
      const larger = new Int16Array(Math.max(needed, this.#pcm.length * 2));
      larger.set(this.#pcm.subarray(0, this.#length));
      this.#pcm = larger;
    }
    this.#pcm.set(pcm, this.#length);
    this.#length = needed;
    this.#changed();
  }

  addPiece(text: string): void {
    this.#characters += text.length + 1;
    this.pieces.push({ text, charactersThrough: this.#characters, startedAt: null });
    this.#changed();
  }

  end(): void {
    this.#ended = true;
    this.#changed();
  }

  /** The piece with this text; preferably an unspoken one. */
  find(text: string): SpeechPiece | null {
    const same = this.pieces.filter((piece) => piece.text === text);
    return same.find((piece) => piece.startedAt === null) ?? same.at(-1) ?? null;
  }

  /** All samples so far; a view. */
  get pcm(): Int16Array {
    return this.#pcm.subarray(0, this.#length);
  }

  /** Yields the samples of a piece as they arrive, after those of the previous piece. */
  async *read(piece: SpeechPiece, signal: AbortSignal): AsyncGenerator<Int16Array> {
    this.#cursor = piece.startedAt ?? this.#startOf(piece);
    piece.startedAt = this.#cursor;
    const onAbort = () => this.#changed();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      while (!signal.aborted) {
        const limit = this.#endOf(piece);
        const end = Math.min(this.#length, limit);
        if (end > this.#cursor) {
          const pcm = this.#pcm.slice(this.#cursor, end);
          this.#cursor = end;
          yield pcm;
        } else if (this.#cursor >= limit || this.#ended) return;
        else await this.#change();
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** After the previous piece, even if that one was spoken from another source. */
  #startOf(piece: SpeechPiece): number {
    const before = this.pieces[this.pieces.indexOf(piece) - 1];
    if (!before || before.startedAt !== null) return this.#cursor;
    return Math.max(this.#cursor, this.#endOf(before));
  }

  /** First sample after the piece; unknown for the last one of a running answer. */
  #endOf(piece: SpeechPiece): number {
    if (this.pieces.at(-1) === piece) return this.#ended ? this.#length : Number.POSITIVE_INFINITY;
    if (this.#ended) {
      return Math.round((this.#length * piece.charactersThrough) / Math.max(1, this.#characters));
    }
    const ms = piece.charactersThrough * MS_PER_CHARACTER;
    return Math.round((ms / 1_000) * this.sampleRateHz);
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #changed(): void {
    this.#wake?.();
    this.#wake = null;
  }
}
