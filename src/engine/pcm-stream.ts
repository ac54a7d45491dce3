/** Buffers audio between a socket, which pushes, and the conversation, which pulls. One reader. */
const SAMPLES_MAX = 60 * 16_000 * 3;

export class PcmStream {
  readonly #chunks: Int16Array[] = [];
  #samples = 0;
  #wake: (() => void) | null = null;
  #ended = false;
  #failure: unknown = null;

  /** Dropped after the end, or if three minutes of audio are unread. */
  push(pcm: Int16Array): void {
    if (this.#ended || pcm.length === 0 || this.#samples + pcm.length > SAMPLES_MAX) return;
    this.#chunks.push(pcm);
    this.#samples += pcm.length;
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** Earlier audio is still returned. */
  fail(error: unknown): void {
    if (this.#ended) return;
    this.#failure = error;
    this.end();
  }

  /** Null at the end. Rejects with the error of `fail`. */
  async next(): Promise<Int16Array | null> {
    while (this.#chunks.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = null;
    }
    const chunk = this.#chunks.shift();
    if (chunk) {
      this.#samples -= chunk.length;
      return chunk;
    }
    if (this.#failure !== null) throw this.#failure;
    return null;
  }
}
