/** Joins single key presses, until `#` or a pause, into one number for the LLM. */
import type { Clock, Timer } from "../../core/clock.ts";
import { DIGIT_PAUSE_MS, FRAME_MS } from "../limits.ts";

const DIGITS_MAX = 32;

export class DigitCollector {
  #digits = "";
  #timer: Timer | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly onNumber: (digits: string) => void,
    /** True while the agent says words that must not be cut; the number waits for their end. */
    private readonly mustWait: () => boolean,
  ) {}

  get collecting(): boolean {
    return this.#digits !== "";
  }

  add(digit: string): void {
    this.#timer?.cancel();
    if (digit !== "#") this.#digits += digit;
    if (digit === "#" || this.#digits.length >= DIGITS_MAX) {
      this.#flush();
      return;
    }
    this.#timer = this.clock.after(DIGIT_PAUSE_MS, () => this.#flush());
  }

  stop(): void {
    this.take();
  }

  /** Stops, and returns the unsent digits. */
  take(): string {
    this.#timer?.cancel();
    const digits = this.#digits;
    this.#digits = "";
    return digits;
  }

  #flush(): void {
    if (this.#digits !== "" && this.mustWait()) {
      this.#timer = this.clock.after(FRAME_MS, () => this.#flush());
      return;
    }
    const digits = this.take();
    if (digits !== "") this.onNumber(digits);
  }
}
