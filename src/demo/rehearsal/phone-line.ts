/** The caller's side of a rehearsal by telephone: speaks with the embedded voice, and listens for speech and silence. */
import { type Clock, sleep } from "../../core/clock.ts";
import type { CallerLine } from "../../domain/rehearsal/caller.ts";
import type { Interruption } from "../../domain/rehearsal/rehearsed-call.ts";
import type { PhoneCall } from "../phone/phone-call.ts";

interface PhoneLineOptions {
  readonly call: PhoneCall;
  readonly clock: Clock;
  /** What the agent said so far, as the appliance has it: each turn once it is over. */
  readonly agentTurns: () => readonly { readonly text: string; readonly startMs: number }[];
  /** A tool is asked: the agent has not finished. */
  readonly toolRuns: () => boolean;
}

const POLL_MS = 20;
/** Shorter pauses are within a word. */
const SPEAKS_MS = 200;
/** This much silence ends the agent's turn: longer than its pauses between sentences. */
const QUIET_MS = 1_100;
/** Who hears nothing for so long speaks again. */
const UNANSWERED_MS = 9_000;
const GIVES_WAY_MS = 300;
const GIVES_WAY_MS_MAX = 5_000;

export class PhoneLine implements CallerLine {
  readonly interruptions: Interruption[] = [];
  readonly #answeredAt: number;
  /** Since when an answer is awaited; null: the agent has given it. */
  #awaitedSince: number | null;
  /** When the caller began to speak last, ms since the answer. */
  #spokeAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: PhoneLineOptions) {
    this.#answeredAt = options.clock.monotonic();
    this.#awaitedSince = this.#answeredAt;
  }

  get ended(): boolean {
    return this.options.call.hasEnded;
  }

  get nowMs(): number {
    return this.options.clock.monotonic() - this.#answeredAt;
  }

  get agentSpeaks(): boolean {
    return this.options.call.quietMs < SPEAKS_MS;
  }

  get agentWaits(): boolean {
    const { call, clock, toolRuns } = this.options;
    const now = clock.monotonic();
    if (toolRuns()) {
      this.#awaitedSince = now;
      return false;
    }
    if (this.#isAnswered) this.#awaitedSince = null;
    const since = this.#awaitedSince;
    if (since === null) return call.quietMs >= QUIET_MS;
    return Math.min(now - since, call.quietMs) >= UNANSWERED_MS;
  }

  /** "One moment, please" is no answer: it is the beginning of a turn that is not over. */
  get #isAnswered(): boolean {
    return this.options.agentTurns().some(({ startMs }) => startMs >= this.#spokeAtMs);
  }

  get agentTurns(): readonly string[] {
    return this.options.agentTurns().map(({ text }) => text);
  }

  async until(holds: () => boolean, limitMs: number): Promise<void> {
    const from = this.nowMs;
    while (!this.ended && !holds() && this.nowMs - from < limitMs)
      await sleep(this.options.clock, POLL_MS);
  }

  async say(text: string, as?: "listener"): Promise<void> {
    if (this.ended) return;
    if (as === "listener") return await this.options.call.say(text);
    if (this.agentSpeaks) void this.#followInterruption();
    await this.#awaitAnswer(this.options.call.say(text));
  }

  async press(keys: string): Promise<void> {
    if (this.ended) return;
    await this.#awaitAnswer(this.options.call.press(keys));
  }

  /** From the end of what the caller does. */
  async #awaitAnswer(deed: Promise<void>): Promise<void> {
    this.#spokeAtMs = this.nowMs;
    await deed;
    this.#awaitedSince = this.options.clock.monotonic();
  }

  async hold(ms: number): Promise<void> {
    const { call } = this.options;
    call.hold();
    const from = this.nowMs;
    await this.until(() => this.nowMs - from >= ms, ms + POLL_MS);
    call.resume();
  }

  hangUp(): void {
    void this.options.call.hangUp();
  }

  async #followInterruption(): Promise<void> {
    const { call } = this.options;
    const atMs = this.nowMs;
    await this.until(() => call.quietMs >= GIVES_WAY_MS, GIVES_WAY_MS_MAX);
    const silentAfterMs =
      call.quietMs < GIVES_WAY_MS ? null : Math.max(0, this.nowMs - call.quietMs - atMs);
    this.interruptions.push({ atMs, silentAfterMs });
  }
}
