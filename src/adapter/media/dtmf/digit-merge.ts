/**
 * One stream of key presses from several ways of telling them: RTP events, SIP INFO, tones. A far
 * end may tell the same press twice; a press that another way has told within `SAME_PRESS_MS` is
 * counted once. Presses are paired one to one, so that a key pressed twice stays two presses.
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
  /** Presses that no other way has told yet, oldest first. */
  #unpaired: Press[] = [];

  /** Whether it is a new press. `nowMs` is monotonic. */
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
