/**
 * Entry of a PIN by keys: digits until `#`, sent to main only. During the entry the caller's audio reaches
 * neither STT, recording nor monitor, and no key reaches the LLM or the transcript. `*` restarts the entry.
 * If nothing is keyed in time, the result is null. Every entry ends: main ends it, or a timeout does.
 */
import type { Clock, Timer } from "../../core/clock.ts";
import type { CallAudio } from "../audio-port.ts";

/** From the start of the question to the first key. The phrase takes five seconds of it. */
const FIRST_KEY_MS = 25_000;
const NEXT_KEY_MS = 10_000;
/** Maximum wait for main's answer. */
const CHECK_MS_MAX = 15_000;
/** The end of the last tone may still be in the jitter buffer. */
const TAIL_MS = 600;
const DIGITS_MAX = 16;

interface PinEntryOptions {
  readonly clock: Clock;
  readonly audio: Pick<CallAudio, "muteCaller">;
  /** Asks the question. Returns false if the agent may not speak now. */
  readonly say: (again: boolean) => boolean;
  /** Stops the question at the first key. */
  readonly stopPrompt: () => void;
  /** Disables tool timeouts and filler phrases while on. */
  readonly onActive: (on: boolean) => void;
  readonly entered: (digits: string | null) => void;
}

export class PinEntry {
  #active = false;
  /** True while keys are accepted; false while main checks the PIN. */
  #open = false;
  #digits = "";
  #timer: Timer | null = null;
  #tail: Timer | null = null;

  constructor(private readonly options: PinEntryOptions) {}

  /** True while keys belong to the PIN entry. */
  get active(): boolean {
    return this.#active;
  }

  ask(again: boolean): void {
    const { audio, say, onActive, entered } = this.options;
    this.#tail?.cancel();
    audio.muteCaller?.(true);
    if (!this.#active) onActive(true);
    this.#active = true;
    this.#digits = "";
    if (!say(again)) {
      this.done();
      entered(null);
      return;
    }
    this.#open = true;
    this.#arm(FIRST_KEY_MS, () => this.#enter(null));
  }

  digit(digit: string): void {
    if (!this.#open) return;
    this.options.stopPrompt();
    if (digit === "#") {
      this.#enter(this.#digits === "" ? null : this.#digits);
      return;
    }
    if (digit === "*") this.#digits = "";
    else if (this.#digits.length < DIGITS_MAX) this.#digits += digit;
    this.#arm(NEXT_KEY_MS, () => this.#enter(null));
  }

  /** Ends the entry; the call continues. */
  done(): void {
    if (!this.#active) return;
    this.#stopTimers();
    this.#active = false;
    this.#open = false;
    this.#digits = "";
    const { clock, audio, onActive } = this.options;
    this.#tail = clock.after(TAIL_MS, () => audio.muteCaller?.(false));
    onActive(false);
  }

  stop(): void {
    this.#stopTimers();
    this.#active = false;
    this.#open = false;
    this.#digits = "";
  }

  #enter(digits: string | null): void {
    this.#open = false;
    this.#digits = "";
    this.#arm(CHECK_MS_MAX, () => this.done());
    this.options.entered(digits);
  }

  #arm(ms: number, then: () => void): void {
    this.#timer?.cancel();
    this.#timer = this.options.clock.after(ms, then);
  }

  #stopTimers(): void {
    this.#timer?.cancel();
    this.#tail?.cancel();
    this.#timer = null;
    this.#tail = null;
  }
}
