/** Audio of one utterance: a copy of its lead and frames, up to a maximum length. */
const SECONDS_MAX = 40;

export class UtteranceAudio {
  #pcm: Int16Array;
  #length = 0;

  constructor(readonly sampleRateHz: number) {
    this.#pcm = new Int16Array(sampleRateHz * 4);
  }

  get ms(): number {
    return (this.#length / this.sampleRateHz) * 1_000;
  }

  /** A view, valid until the next `begin` or `push`. */
  get pcm(): Int16Array {
    return this.#pcm.subarray(0, this.#length);
  }

  start(lead: Int16Array): void {
    this.#length = 0;
    this.push(lead);
  }

  push(pcm: Int16Array): void {
    const needed = this.#length + pcm.length;
    if (needed > this.sampleRateHz * SECONDS_MAX) return;
    if (needed > this.#pcm.length) {
      const larger = new Int16Array(Math.max(needed, this.#pcm.length * 2));
      larger.set(this.pcm);
      this.#pcm = larger;
    }
    this.#pcm.set(pcm, this.#length);
    this.#length = needed;
  }

  clear(): void {
    this.#length = 0;
  }
}
