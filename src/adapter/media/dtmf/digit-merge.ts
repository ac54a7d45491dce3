/**
 * Merges the key presses of several sources: RTP events, SIP INFO, tones. A remote party may report
 * a press through more than one source; reports of the same key from different sources within
 * `SAME_PRESS_MS` count once. They are paired one to one, so that a key pressed twice counts twice.
 */
export type DigitSource = "event" | "info" | "tone";

const SAME_PRESS_MS = 1500;
const UNPAIRED_MAX = 32;

interface Press {
  readonly digit: string;
  readonly source: DigitSource;
  readonly atMs: number;
}

export class DigitMerge {
  /** Presses that no other source has reported yet, oldest first. */
  #unpaired: Press[] = [];

  /** Returns true if the press is new. `nowMs` is monotonic. */
  accept(digit: string, source: DigitSource, nowMs: number): boolean {
    this.#unpaired = this.#unpaired.filter(({ atMs }) => nowMs - atMs < SAME_PRESS_MS);
    const twin = this.#unpaired.findIndex(
      (press) => press.digit === digit && press.source !== source,
    );
    if (twin >= 0) {
      this.#unpaired.splice(twin, 1);
      return false;
    }
    if (this.#unpaired.length < UNPAIRED_MAX) this.#unpaired.push({ digit, source, atMs: nowMs });
    return true;
  }
}
