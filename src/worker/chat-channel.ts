/**
 * Main thread's end of a chat. Guarantees: every wait has a time limit; if the worker dies, every
 * pending request fails.
 */

import type { ChatChannel } from "../call/media-port.ts";
import type { CallConfig } from "../conversation/call-config.ts";
import type { ChatEvent, ChatInput, ChatMessage } from "../conversation/chat.ts";
import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { ToCallWorker } from "./messages.ts";

interface PoolChatOptions {
  readonly config: CallConfig;
  readonly history: readonly ChatMessage[];
  readonly clock: Clock;
  readonly send: (message: ToCallWorker) => void;
  readonly onGone: () => void;
}

const OPEN_TIMEOUT_MS = 10_000;
const EVENT_TIMEOUT_MS = 30_000;
const EVENTS_WAITING_MAX = 1000;

export class PoolChat implements ChatChannel {
  readonly #opened = Promise.withResolvers<void>();
  readonly #waiting: ChatEvent[] = [];
  #wake: (() => void) | null = null;
  #opening = "";
  #closed = false;

  constructor(private readonly options: PoolChatOptions) {
    this.#opened.promise.catch(() => {});
  }

  get config(): CallConfig {
    return this.options.config;
  }

  get opening(): string {
    return this.#opening;
  }

  async open(): Promise<void> {
    const { clock, config, history, send } = this.options;
    const timer = clock.after(OPEN_TIMEOUT_MS, () =>
      this.#opened.reject(failed("the LLM did not open in time")),
    );
    try {
      send({ type: "openChat", args: [config, history] });
      await this.#opened.promise;
    } catch (error) {
      this.close();
      throw error;
    } finally {
      timer.cancel();
    }
  }

  async *ask(input: ChatInput): AsyncGenerator<ChatEvent> {
    if (this.#closed) throw failed("the conversation is closed");
    const { callId } = this.options.config;
    this.#waiting.length = 0;
    this.options.send({ type: "askChat", args: [callId, input] });
    for (;;) {
      const event = await this.#next();
      if (event.type === "failed") throw failed(event.detail);
      yield event;
      if (event.type === "done") return;
    }
  }

  opened(opening: string): void {
    this.#opening = opening;
    this.#opened.resolve();
  }

  receive(event: ChatEvent): void {
    if (event.type === "failed") this.#opened.reject(failed(event.detail));
    if (this.#waiting.length < EVENTS_WAITING_MAX) this.#waiting.push(event);
    this.#wake?.();
  }

  /** The worker has died, and this chat with it. */
  workerDied(detail: string): void {
    this.receive({ type: "failed", detail });
    this.close();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.options.send({ type: "closeChat", args: [this.options.config.callId] });
    this.#wake?.();
    this.options.onGone();
  }

  async #next(): Promise<ChatEvent> {
    const ready = this.#waiting.shift();
    if (ready) return ready;
    if (this.#closed) return { type: "failed", detail: "the conversation was closed" };
    const woken = Promise.withResolvers<void>();
    this.#wake = woken.resolve;
    const timer = this.options.clock.after(EVENT_TIMEOUT_MS, woken.resolve);
    await woken.promise;
    timer.cancel();
    this.#wake = null;
    return this.#waiting.shift() ?? { type: "failed", detail: "the LLM said nothing in time" };
  }
}

const failed = (internal: string) =>
  new AppError({
    code: "unavailable",
    publicMessage: "The agent cannot answer now. Try again in a moment.",
    internal,
    retryable: true,
  });
