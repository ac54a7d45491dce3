/** Keys pressed one by one, until `#` or a pause: one number for the LLM. */
import type { Clock, Timer } from "../../core/clock.ts";
import { DIGIT_PAUSE_MS } from "./limits.ts";

const DIGITS_MAX = 32;

export class DigitCollector {
  #digits = "";
  #timer: Timer | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly onNumber: (digits: string) => void,
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
    this.#timer?.cancel();
    this.#digits = "";
  }

  #flush(): void {
    const digits = this.#digits;
    this.stop();
    if (digits !== "") this.onNumber(digits);
  }
}
