/**
 * A silent caller: two prompts, then the end of the call.
 *
 * The session starts the watch whenever it listens, and stops it otherwise. `callerActive` restarts the
 * count. Each prompt comes after `idlePromptMs` of listening. The timeout counts from the caller's last
 * activity, including the time of the agent's prompts.
 */
import type { Clock, Timer } from "../../core/clock.ts";
import type { ConversationSettings } from "../conversation-settings.ts";

interface SilenceEvents {
  /** `count`: 1 or 2. */
  prompt(count: number): void;
  timeout(): void;
}

export class SilenceWatch {
  #timer: Timer | null = null;
  #silentSince: number | null = null;
  #prompts = 0;
  #wanted = false;
  #onHold = false;

  constructor(
    private readonly settings: Pick<
      ConversationSettings,
      "idlePromptMs" | "idlePrompts" | "silenceTimeoutMs"
    >,
    private readonly clock: Clock,
    private readonly events: SilenceEvents,
  ) {}

  start(): void {
    this.stop();
    this.#wanted = true;
    if (this.#onHold) return;
    const now = this.clock.monotonic();
    this.#silentSince ??= now;
    const untilTimeoutMs = this.#silentSince + this.settings.silenceTimeoutMs - now;
    const { idlePromptMs, idlePrompts } = this.settings;
    const mayPrompt = this.#prompts < idlePrompts && idlePromptMs < untilTimeoutMs;
    this.#timer = mayPrompt
      ? this.clock.after(this.settings.idlePromptMs, () => this.#prompt())
      : this.clock.after(Math.max(0, untilTimeoutMs), () => this.events.timeout());
  }

  stop(): void {
    this.#wanted = false;
    this.#timer?.cancel();
    this.#timer = null;
  }

  /** A caller on hold is not silent; the count restarts afterwards. */
  hold(onHold: boolean): void {
    if (this.#onHold === onHold) return;
    this.#onHold = onHold;
    this.restart();
  }

  /** Restarts the count after a time in which nobody listened. */
  restart(): void {
    this.callerActive();
    if (this.#wanted) this.start();
  }

  callerActive(): void {
    this.#silentSince = null;
    this.#prompts = 0;
  }

  #prompt(): void {
    this.#prompts++;
    this.events.prompt(this.#prompts);
  }
}
