/**
 * Merges the key presses of several sources: RTP events, SIP INFO, tones. A remote party may report
 * a press through more than one source. Reports of the same key from different sources within
 * `SAME_PRESS_MS` count once. They are paired one to one, so that a key pressed twice counts twice.
 * More presses than a dialler makes are dropped: each one is a turn, and a question to the model.
 */
export type DigitSource = "event" | "info" | "tone";

const SAME_PRESS_MS = 1500;
const UNPAIRED_MAX = 32;
/**
 * A dialler's continuous 50 ms on and 50 ms off. The burst covers presses delayed by the network.
 */
const PRESSES_PER_SECOND = 10;
const BURST = 40;

interface Press {
  readonly digit: string;
  readonly source: DigitSource;
  readonly atMs: number;
}

export class DigitMerge {
  /** Presses not yet reported by another source, oldest first. */
  #unpaired: Press[] = [];
  /** Presses still allowed at `#countedAtMs`. */
  #allowed = BURST;
  #countedAtMs = 0;

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
    if (!this.#isPossible(nowMs)) return false;
    if (this.#unpaired.length < UNPAIRED_MAX) this.#unpaired.push({ digit, source, atMs: nowMs });
    return true;
  }

  #isPossible(nowMs: number): boolean {
    const gained = ((nowMs - this.#countedAtMs) / 1000) * PRESSES_PER_SECOND;
    this.#allowed = Math.min(BURST, this.#allowed + gained);
    this.#countedAtMs = nowMs;
    if (this.#allowed < 1) return false;
    this.#allowed--;
    return true;
  }
}
