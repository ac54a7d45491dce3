/**
 * The caller's side of a telephone rehearsal: speaks with the embedded voice, and detects speech
 * and silence of the agent.
 */
import { type Clock, sleep } from "../../core/clock.ts";
import type { CallerLine } from "../../features/rehearsal/caller.ts";
import type { Interruption } from "../../features/rehearsal/rehearsed-call.ts";
import type { PhoneCall } from "../phone/phone-call.ts";

interface PhoneLineOptions {
  readonly call: PhoneCall;
  readonly clock: Clock;
  /** The agent's completed turns, as reported by the appliance. */
  readonly agentTurns: () => readonly { readonly text: string; readonly startMs: number }[];
  /** Whether a tool is running, so that the agent's turn is not complete. */
  readonly toolRuns: () => boolean;
}

const POLL_MS = 20;
/** Shorter silence is within a word. */
const SPEAKS_MS = 200;
/** This much silence ends the agent's turn: longer than its pauses between sentences. */
const QUIET_MS = 1_100;
/** After this much silence the caller speaks again. */
const UNANSWERED_MS = 9_000;
const GIVES_WAY_MS = 300;
const GIVES_WAY_MS_MAX = 5_000;

export class PhoneLine implements CallerLine {
  readonly interruptions: Interruption[] = [];
  readonly #answeredAt: number;
  /** Monotonic time since when the caller waits for an answer; null after the answer. */
  #awaitedSince: number | null;
  /** When the caller last started to speak, in ms since the answer. */
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

  /** Only completed turns count: "One moment, please" is the start of an unfinished turn. */
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

  /** The wait starts when the caller's action ends. */
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
