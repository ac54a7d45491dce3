/**
 * The running turn of the agent: from its first audible frame to its last or its cut. Only here are
 * begin, end and latency of an agent's turn measured.
 */
import type { Clock } from "../core/clock.ts";
import type { Spoken } from "./agent-speech.ts";
import type { Transcript } from "./transcript.ts";

export class AgentTurn {
  #beganAt: number | null = null;
  #latencyMs: number | null = null;
  /** Monotonic: the caller's last voiced frame that is still unanswered. */
  #unansweredSince: number | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly transcript: Transcript,
  ) {}

  /** The caller finished an utterance that the next turn will answer. */
  callerFinished(lastSpeechAt: number): void {
    this.#unansweredSince = lastSpeechAt;
  }

  /** A frame of the agent's words went out. Idempotent within a turn. */
  audible(): void {
    if (this.#beganAt !== null) return;
    const now = this.clock.monotonic();
    this.#beganAt = now;
    this.#latencyMs =
      this.#unansweredSince === null ? null : Math.max(0, Math.round(now - this.#unansweredSince));
    this.#unansweredSince = null;
  }

  end(spoken: Spoken, interrupted: boolean): void {
    if (this.#beganAt === null) return;
    this.transcript.agent({
      text: spoken.heard,
      beganAt: this.#beganAt,
      endedAt: this.clock.monotonic(),
      interrupted,
      latencyMs: this.#latencyMs,
    });
    this.#beganAt = null;
    this.#latencyMs = null;
  }
}
