/**
 * The turns of a call, in milliseconds since the answer. An agent's turn begins with its first
 * audible frame and holds what was heard; a caller's begins with the first voiced frame. Each is
 * reported once, when it is final.
 */
import type { TurnRecord } from "../worker/messages.ts";

export interface FinishedTurn {
  readonly text: string;
  /** Monotonic. */
  readonly beganAt: number;
  readonly endedAt: number;
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

  caller(turn: FinishedTurn): void {
    this.#add({ ...this.#times(turn), speaker: "customer", interrupted: false, latencyMs: null });
  }

  agent(turn: FinishedTurn & { interrupted: boolean; latencyMs: number | null }): void {
    if (turn.text === "") return;
    const { interrupted, latencyMs } = turn;
    this.#add({ ...this.#times(turn), speaker: "agent", interrupted, latencyMs });
  }

  #times({ text, beganAt, endedAt }: FinishedTurn) {
    const since = (at: number) => Math.max(0, Math.round(at - this.#answeredAt));
    return { text, startMs: since(beganAt), endMs: Math.max(since(beganAt), since(endedAt)) };
  }

  #add(turn: Omit<TurnRecord, "index">): void {
    const record: TurnRecord = { index: this.#turns.length, ...turn };
    this.#turns.push(record);
    this.onTurn(record);
  }
}
