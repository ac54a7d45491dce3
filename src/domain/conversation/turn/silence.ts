/**
 * A caller who says nothing: prompted twice, then let go.
 *
 * The session starts the watch whenever it listens and stops it otherwise; `callerActive` begins the
 * count anew. Prompts come after `idlePromptMs` of listening each; the time-out counts from when the
 * caller was last heard, the agent's own prompts included.
 */
import type { Clock, Timer } from "../../../core/clock.ts";
import type { ConversationSettings } from "../conversation-settings.ts";

interface SilenceEvents {
  /** 1st, 2nd time. */
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

  /** A caller on hold is not silent; the count begins anew afterwards. */
  hold(onHold: boolean): void {
    if (this.#onHold === onHold) return;
    this.#onHold = onHold;
    this.restart();
  }

  /** Nobody listened for a while: the count begins anew. */
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
