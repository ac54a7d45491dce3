/**
 * Cache of phrases that callers hear often, such as a menu, a question or "are you still there?". A
 * phrase is stored the second time it is spoken, so the third needs no synthesis. When the cache is
 * full, the least recently used phrase is deleted. An unused phrase is deleted after a while,
 * because it may name a person whose data was erased.
 */
import type { Clock, Timer } from "../../core/clock.ts";

/** Nearly nine minutes of audio at 8 kHz. */
const BYTES_MAX = 8 * 1024 * 1024;
const PIECE_BYTES_MAX = 512 * 1024;
const SPOKEN_ONCE_MAX = 500;
/** Time since the last use. */
const KEPT_MS = 15 * 60_000;

interface Piece {
  /** Null if spoken once and not stored yet. */
  readonly pcm: Int16Array | null;
  readonly usedMs: number;
}

export class RepeatedSpeech {
  /** The least recently used piece first. */
  readonly #kept = new Map<string, Piece>();
  readonly #spokenOnce = new Map<string, Piece>();
  #bytes = 0;
  #forgetting: Timer | null = null;

  constructor(private readonly clock: Clock) {}

  /** Null if the phrase must be synthesised. */
  get(key: string): Int16Array | null {
    const pcm = this.#kept.get(key)?.pcm;
    if (!pcm) return null;
    this.#use(this.#kept, key, pcm);
    return pcm;
  }

  /** Records a completely synthesised phrase. */
  spoken(key: string, chunks: readonly Int16Array[]): void {
    if (!this.#spokenOnce.has(key)) {
      this.#use(this.#spokenOnce, key, null);
      for (const oldest of this.#spokenOnce.keys()) {
        if (this.#spokenOnce.size <= SPOKEN_ONCE_MAX) break;
        this.#spokenOnce.delete(oldest);
      }
      return;
    }
    const samples = chunks.reduce((sum, { length }) => sum + length, 0);
    const bytes = samples * Int16Array.BYTES_PER_ELEMENT;
    if (this.#kept.has(key) || bytes > PIECE_BYTES_MAX) return;
    this.#use(this.#kept, key, joined(chunks, samples));
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= BYTES_MAX) break;
      this.#drop(oldest);
    }
  }

  close(): void {
    this.#forgetting?.cancel();
  }

  #use(pieces: Map<string, Piece>, key: string, pcm: Int16Array | null): void {
    pieces.delete(key);
    pieces.set(key, { pcm, usedMs: this.clock.monotonic() });
    this.#forgetting ??= this.clock.after(KEPT_MS, () => this.#forget());
  }

  #drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.pcm?.byteLength ?? 0;
    this.#kept.delete(key);
  }

  #forget(): void {
    const nowMs = this.clock.monotonic();
    const isOld = ({ usedMs }: Piece) => nowMs - usedMs >= KEPT_MS;
    for (const [key, piece] of this.#kept) if (isOld(piece)) this.#drop(key);
    for (const [key, piece] of this.#spokenOnce) if (isOld(piece)) this.#spokenOnce.delete(key);
    const uses = [...this.#kept.values(), ...this.#spokenOnce.values()].map(({ usedMs }) => usedMs);
    const waitMs = Math.min(...uses) + KEPT_MS - nowMs;
    this.#forgetting = uses.length === 0 ? null : this.clock.after(waitMs, () => this.#forget());
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
