/**
 * The agent's queued audio: speech and key presses in order, played 20 ms at a time.
 *
 * It holds at most 60 s. Played speech is counted to the sample; silence is not counted. `stop`
 * fades out, which avoids a click. Key presses wait for the speech before them and delay later
 * items. Each "drained" listener is called once.
 */
const QUEUED_MS_MAX = 60_000;
const DRAIN_LISTENERS_MAX = 64;

type Item =
  | { readonly kind: "speech"; readonly samples: Int16Array }
  /** In-band key presses: audio that is not speech and is not counted. */
  | { readonly kind: "tones"; readonly samples: Int16Array }
  | { readonly kind: "digits"; readonly digits: string };

export class PlayoutQueue {
  readonly #samplesPerMs: number;
  readonly #items: Item[] = [];
  /** Samples of the first item that have been played. */
  #offset = 0;
  #queuedSamples = 0;
  #playedSamples = 0;
  #drainListeners: (() => void)[] = [];
  #digitsUnderWay = false;

  constructor(sampleRateHz: number) {
    this.#samplesPerMs = sampleRateHz / 1000;
  }

  get queuedMs(): number {
    return this.#queuedSamples / this.#samplesPerMs;
  }

  get playedMs(): number {
    return this.#playedSamples / this.#samplesPerMs;
  }

  /** Copies the samples. Returns false, and queues nothing, if 60 s would be exceeded. */
  push(samples: Int16Array): boolean {
    const total = this.#queuedSamples + samples.length;
    if (total > QUEUED_MS_MAX * this.#samplesPerMs) return false;
    if (samples.length === 0) return true;
    this.#items.push({ kind: "speech", samples: samples.slice() });
    this.#queuedSamples = total;
    return true;
  }

  pushDigits(digits: string): void {
    if (digits.length > 0) this.#items.push({ kind: "digits", digits });
  }

  /** The key presses at the head of the queue; null if speech comes first or the queue is empty. */
  takeDigits(): string | null {
    const head = this.#items[0];
    if (head?.kind !== "digits") return null;
    this.#items.shift();
    return head.digits;
  }

  /** Adds key presses as tones, before everything else in the queue. */
  pushTones(samples: Int16Array): void {
    if (samples.length > 0) this.#items.unshift({ kind: "tones", samples });
  }

  /** The queue does not count as drained while digits are being sent. Set by the sender. */
  set digitsUnderWay(underWay: boolean) {
    this.#digitsUnderWay = underWay;
  }

  /**
   * Fills `frame`, with zeros if nothing is queued (or digits come first). Returns the number of
   * speech samples in it.
   */
  take(frame: Int16Array): number {
    let filled = 0;
    let speech = 0;
    while (filled < frame.length) {
      const head = this.#items[0];
      if (!head || head.kind === "digits") break;
      const count = Math.min(frame.length - filled, head.samples.length - this.#offset);
      for (let index = 0; index < count; index++) {
        frame[filled + index] = head.samples[this.#offset + index] ?? 0;
      }
      filled += count;
      if (head.kind === "speech") speech += count;
      this.#offset += count;
      if (this.#offset === head.samples.length) {
        this.#items.shift();
        this.#offset = 0;
      }
    }
    frame.fill(0, filled);
    this.#queuedSamples -= speech;
    this.#playedSamples += speech;
    return speech;
  }

  /**
   * Keeps `fadeMs` with a falling gain and drops the rest of the speech. Returns the ms dropped.
   */
  stop(fadeMs: number): number {
    const fadeSamples = Math.min(this.#queuedSamples, Math.round(fadeMs * this.#samplesPerMs));
    const fade = new Int16Array(fadeSamples);
    const before = this.#queuedSamples;
    const keyPresses = this.#keyPressesLeft();
    this.#copySpeech(fade);
    for (let index = 0; index < fadeSamples; index++) {
      fade[index] = Math.round((fade[index] ?? 0) * (1 - (index + 1) / fadeSamples));
    }
    this.#items.length = 0;
    this.#offset = 0;
    this.#queuedSamples = fadeSamples;
    if (fadeSamples > 0) this.#items.push({ kind: "speech", samples: fade });
    this.#items.push(...keyPresses);
    return (before - fadeSamples) / this.#samplesPerMs;
  }

  get isDrained(): boolean {
    return this.#items.length === 0 && !this.#digitsUnderWay;
  }

  whenDrained(listener: () => void): void {
    if (this.isDrained) {
      listener();
      return;
    }
    if (this.#drainListeners.length < DRAIN_LISTENERS_MAX) this.#drainListeners.push(listener);
  }

  /** Called after each tick. Returns the due listeners, so that the owner can call them safely. */
  drainedListeners(): readonly (() => void)[] {
    if (this.#drainListeners.length === 0 || !this.isDrained) return NONE;
    const due = this.#drainListeners;
    this.#drainListeners = [];
    return due;
  }

  /** Key presses survive a stop: only speech is interrupted. */
  #keyPressesLeft(): Item[] {
    const left: Item[] = [];
    this.#items.forEach((item, index) => {
      if (item.kind === "speech") return;
      const isCut = item.kind === "tones" && index === 0 && this.#offset > 0;
      left.push(isCut ? { kind: "tones", samples: item.samples.subarray(this.#offset) } : item);
    });
    return left;
  }

  #copySpeech(into: Int16Array): void {
    let filled = 0;
    let offset = this.#items[0]?.kind === "speech" ? this.#offset : 0;
    for (const item of this.#items) {
      if (item.kind !== "speech") continue;
      const part = item.samples.subarray(offset, offset + into.length - filled);
      into.set(part, filled);
      filled += part.length;
      offset = 0;
      if (filled === into.length) return;
    }
  }
}

const NONE: readonly (() => void)[] = [];
