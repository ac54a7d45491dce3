/**
 * The current turn of the agent, from its first audible frame to its end or cut. Measures start, end, latency
 * and latency steps of agent turns.
 */
import type { Clock } from "../../core/clock.ts";
import type { TurnMeasures } from "../call-report.ts";
import type { Transcript } from "../transcript.ts";
import type { Spoken } from "./agent-speech.ts";

/** The utterance that a turn answers. Times are monotonic milliseconds. */
export interface AnsweredUtterance {
  /** Time of the caller's last voiced frame. */
  readonly lastSpeechAt: number;
  /** End of the required silence; null: keys ended the utterance. */
  readonly endpointAt: number | null;
  /** Time of the final text; null: no recogniser was needed. */
  readonly sttFinalAt: number | null;
  /** True if the LLM was asked before the end of the utterance. */
  readonly early: boolean;
}

type Mark = "firstToken" | "firstAudio";

export class AgentTurn {
  #beganAt: number | null = null;
  #latencyMs: number | null = null;
  /** The caller's utterance that has no answer yet. */
  #unanswered: AnsweredUtterance | null = null;
  #marks: Partial<Record<Mark, number>> = {};
  #measures: TurnMeasures | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly transcript: Transcript,
  ) {}

  /** Sets the utterance that the next turn will answer. */
  callerFinished(utterance: AnsweredUtterance): void {
    this.#unanswered = utterance;
    if (!utterance.early) this.#marks = {};
  }

  /** Records the time of a step. Only the first of each kind counts. */
  mark(step: Mark): void {
    this.#marks[step] ??= this.clock.monotonic();
  }

  /** A frame of the agent's words was sent. Idempotent within a turn. */
  audible(): void {
    if (this.#beganAt !== null) return;
    const now = this.clock.monotonic();
    this.#beganAt = now;
    const utterance = this.#unanswered;
    this.#latencyMs = utterance ? since(utterance, now) : null;
    this.#measures = utterance ? this.#measure(utterance, now) : null;
    this.#unanswered = null;
  }

  end(spoken: Spoken, interrupted: boolean): void {
    if (this.#beganAt === null) return;
    this.transcript.agent({
      text: spoken.playedText,
      beganAt: this.#beganAt,
      endedAt: this.clock.monotonic(),
      interrupted,
      latencyMs: this.#latencyMs,
      measures: this.#measures,
    });
    this.#beganAt = null;
    this.#latencyMs = null;
    this.#measures = null;
    this.#marks = {};
  }

  #measure(utterance: AnsweredUtterance, firstPacketAt: number): TurnMeasures {
    const { endpointAt, sttFinalAt, early } = utterance;
    const { firstToken, firstAudio } = this.#marks;
    const step = (at: number | null | undefined) =>
      at === null || at === undefined ? null : since(utterance, at);
    return {
      endpointMs: step(endpointAt),
      sttFinalMs: step(sttFinalAt),
      firstTokenMs: step(firstToken),
      firstAudioMs: step(firstAudio),
      firstPacketMs: since(utterance, firstPacketAt),
      early,
    };
  }
}

const since = ({ lastSpeechAt }: AnsweredUtterance, at: number): number =>
  Math.max(0, Math.round(at - lastSpeechAt));
