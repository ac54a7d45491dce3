/** The caller's side of a rehearsal by telephone: speaks with the embedded voice, and listens for speech and silence. */
import { type Clock, sleep } from "../../core/clock.ts";
import type { CallerLine } from "../../domain/rehearsal/caller.ts";
import type { Interruption } from "../../domain/rehearsal/rehearsed-call.ts";
import type { PhoneCall } from "../phone/phone-call.ts";

interface PhoneLineOptions {
  readonly call: PhoneCall;
  readonly clock: Clock;
  /** What the agent said so far, as the appliance has it. */
  readonly agentTurns: () => readonly string[];
  /** A tool is asked: the agent has not finished. */
  readonly toolRuns: () => boolean;
}

const POLL_MS = 20;
/** Shorter pauses are within a word. */
const SPEAKS_MS = 200;
/** This much silence ends the agent's turn: longer than its pauses between sentences. */
const QUIET_MS = 1_100;
/** Who is not answered for so long speaks again. */
const UNANSWERED_MS = 9_000;
const GIVES_WAY_MS = 300;
const GIVES_WAY_MS_MAX = 5_000;

export class PhoneLine implements CallerLine {
  readonly interruptions: Interruption[] = [];
  readonly #answeredAt: number;
  /** Since when an answer is awaited; null: the agent has spoken since. */
  #awaitedSince: number | null;

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
    if (toolRuns()) {
      this.#awaitedSince = clock.monotonic();
      return false;
    }
    const since = this.#awaitedSince;
    if (since !== null && clock.monotonic() - call.quietMs > since) this.#awaitedSince = null;
    if (this.#awaitedSince !== null) return clock.monotonic() - this.#awaitedSince >= UNANSWERED_MS;
    return call.quietMs >= QUIET_MS;
  }

  get agentTurns(): readonly string[] {
    return this.options.agentTurns();
  }

  async until(holds: () => boolean, limitMs: number): Promise<void> {
    const from = this.nowMs;
    while (!this.ended && !holds() && this.nowMs - from < limitMs)
      await sleep(this.options.clock, POLL_MS);
  }

  async say(text: string): Promise<void> {
    if (this.ended) return;
    const isOverAgent = this.agentSpeaks;
    if (isOverAgent) void this.#followInterruption();
    await this.options.call.say(text);
    this.#awaitedSince = this.options.clock.monotonic();
  }

  async press(keys: string): Promise<void> {
    if (this.ended) return;
    await this.options.call.press(keys);
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
