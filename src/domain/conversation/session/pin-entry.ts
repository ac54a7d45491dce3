/**
 * A PIN keyed by the caller: digits until `#`, for main alone. While one is awaited the caller's audio
 * reaches neither STT nor recording nor a monitor, and no key reaches LLM or transcript.
 * `*` begins anew. Nothing keyed in time is answered with null. Every entry ends: by main's word, or by
 * itself when main is silent.
 */
import type { Clock, Timer } from "../../../core/clock.ts";
import type { CallAudio } from "../audio-port.ts";

/** From the question to the first key: the phrase itself takes five seconds of it. */
const FIRST_KEY_MS = 25_000;
const NEXT_KEY_MS = 10_000;
/** Main checks and answers. */
const CHECK_MS_MAX = 15_000;
/** The end of the last tone may still be on its way through the jitter buffer. */
const TAIL_MS = 600;
const DIGITS_MAX = 16;

interface PinEntryOptions {
  readonly clock: Clock;
  readonly audio: Pick<CallAudio, "muteCaller">;
  /** Puts the question; false: the agent may not speak now. */
  readonly say: (again: boolean) => boolean;
  /** The first key: the question need not be heard out. */
  readonly stopPrompt: () => void;
  /** Tools wait without time-out and filler while it is on. */
  readonly onActive: (on: boolean) => void;
  readonly entered: (digits: string | null) => void;
}

export class PinEntry {
  #active = false;
  /** Keys count; false: main is checking. */
  #open = false;
  #digits = "";
  #timer: Timer | null = null;
  #tail: Timer | null = null;

  constructor(private readonly options: PinEntryOptions) {}

  /** Keys are ours. */
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

  /** The call goes on as before. */
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

  /** The call is over. */
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
