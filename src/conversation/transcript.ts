/**
 * Turns of a call in milliseconds since the answer. An agent's turn begins with its first audible frame and
 * contains the heard text. A caller's turn begins with the first voiced frame. Each turn is reported once,
 * when it is final.
 */
import type { TurnMeasures, TurnRecord } from "./call-report.ts";

interface FinishedTurn {
  readonly text: string;
  /** Monotonic. */
  readonly beganAt: number;
  readonly endedAt: number;
}

interface FinishedAgentTurn extends FinishedTurn {
  readonly interrupted: boolean;
  readonly latencyMs: number | null;
  readonly measures: TurnMeasures | null;
}

export class Transcript {
  readonly #turns: TurnRecord[] = [];
  #answeredAt = 0;

  constructor(private readonly onTurn: (turn: TurnRecord) => void) {}

  get turns(): readonly TurnRecord[] {
    return this.#turns;
  }

  answered(at: number): void {
    this.#answeredAt = at;
  }

  /** Whole milliseconds from the answer to `at` (monotonic), at least 0. */
  sinceAnswer(at: number): number {
    return Math.max(0, Math.round(at - this.#answeredAt));
  }

  caller(turn: FinishedTurn): void {
    this.#add({ ...this.#times(turn), speaker: "customer", interrupted: false, latencyMs: null });
  }

  agent(turn: FinishedAgentTurn): void {
    if (turn.text === "") return;
    const { interrupted, latencyMs, measures } = turn;
    this.#add({
      ...this.#times(turn),
      speaker: "agent",
      interrupted,
      latencyMs,
      ...(measures ? { measures } : {}),
    });
  }

  #times({ text, beganAt, endedAt }: FinishedTurn) {
    const startMs = this.sinceAnswer(beganAt);
    return { text, startMs, endMs: Math.max(startMs, this.sinceAnswer(endedAt)) };
  }

  #add(turn: Omit<TurnRecord, "index">): void {
    const record: TurnRecord = { index: this.#turns.length, ...turn };
    this.#turns.push(record);
    this.onTurn(record);
  }
}
