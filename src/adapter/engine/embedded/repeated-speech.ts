/**
 * Speech that callers hear again and again: a menu, a question, "are you still there?". What is spoken a
 * second time is kept, so that the third costs no synthesis. Bounded; what was not used longest goes first.
 */
import { BoundedMap } from "../../../core/bounded-map.ts";

/** Nearly nine minutes at 8 kHz. */
const BYTES_MAX = 8 * 1024 * 1024;
const PIECE_BYTES_MAX = 512 * 1024;
const SPOKEN_ONCE_MAX = 500;

export class RepeatedSpeech {
  readonly #kept = new Map<string, Int16Array>();
  readonly #spokenOnce = new BoundedMap<string, true>(SPOKEN_ONCE_MAX);
  #bytes = 0;

  /** Null: it has to be synthesised. */
  get(key: string): Int16Array | null {
    const pcm = this.#kept.get(key);
    if (!pcm) return null;
    this.#kept.delete(key);
    this.#kept.set(key, pcm);
    return pcm;
  }

  /** It was synthesised to its end. */
  spoken(key: string, chunks: readonly Int16Array[]): void {
    if (!this.#spokenOnce.has(key)) {
      this.#spokenOnce.set(key, true);
      return;
    }
    const samples = chunks.reduce((sum, { length }) => sum + length, 0);
    const bytes = samples * Int16Array.BYTES_PER_ELEMENT;
    if (this.#kept.has(key) || bytes > PIECE_BYTES_MAX) return;
    this.#kept.set(key, joined(chunks, samples));
    this.#bytes += bytes;
    for (const [oldest, { byteLength }] of this.#kept) {
      if (this.#bytes <= BYTES_MAX) break;
      this.#kept.delete(oldest);
      this.#bytes -= byteLength;
    }
  }
}

function joined(chunks: readonly Int16Array[], samples: number): Int16Array {
  const pcm = new Int16Array(samples);
  let offset = 0;
  for (const chunk of chunks) {
    pcm.set(chunk, offset);
    offset += chunk.length;
  }
  return pcm;
}
