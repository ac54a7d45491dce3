/**
 * The state of one call.
 *
 *   queued ──fire──▶ dialing ──ring──▶ ringing ──answer──▶ in_progress ──end──▶ ended
 *      │                │  └──────────────answer───────────────▲                 ▲
 *      └──────end───────┴──────────────────end (no answer, busy, failed, …)──────┘
 *
 * Inbound calls begin at ringing. `ended` is final and always carries why. Waiting states and their
 * timers: queued – the scheduler's grace window; dialing/ringing – the leg's ring timeout;
 * in_progress – the agent's max_duration_sec in the call worker.
 */

import type { CallStatus, EndedReason } from "../../core/ended-reason.ts";
import { type MachineOptions, StateMachine, type Table } from "../../core/state-machine.ts";

export interface CallEnding {
  readonly status: Extract<CallStatus, "completed" | "no_answer" | "busy" | "failed" | "cancelled">;
  readonly reason: EndedReason;
  /** One sentence for a person: what happened and what to do. */
  readonly explanation: string;
  readonly sipCode: number | null;
  readonly fault: "caller" | "callee" | "carrier" | "engine" | "us" | null;
}

export type CallState =
  | { readonly name: "queued" }
  | { readonly name: "dialing" }
  | { readonly name: "ringing" }
  | {
      readonly name: "in_progress";
      readonly answeredAtMs: number;
      readonly answeredMonotonicMs: number;
    }
  | { readonly name: "ended"; readonly ending: CallEnding; readonly answeredMs: number };

export type CallEvent =
  | { readonly type: "fire" }
  | { readonly type: "ring" }
  | { readonly type: "answer"; readonly atMs: number; readonly monotonicMs: number }
  | {
      readonly type: "end";
      readonly ending: CallEnding;
      readonly monotonicMs: number;
      /** Our 2xx was never acknowledged: nobody talked, and nothing is billed (decisions.md 12). */
      readonly unconfirmed?: boolean;
    };

const ended = (ending: CallEnding, answeredMs = 0): CallState => ({
  name: "ended",
  ending,
  answeredMs,
});
const answered = (event: Extract<CallEvent, { type: "answer" }>): CallState => ({
  name: "in_progress",
  answeredAtMs: event.atMs,
  answeredMonotonicMs: event.monotonicMs,
});

const table: Table<CallState, CallEvent> = {
  queued: {
    fire: () => ({ name: "dialing" }),
    end: (_, event) => ended(event.ending),
  },
  dialing: {
    ring: () => ({ name: "ringing" }),
    answer: (_, event) => answered(event),
    end: (_, event) => ended(event.ending),
  },
  ringing: {
    ring: (state) => state,
    answer: (_, event) => answered(event),
    end: (_, event) => ended(event.ending),
  },
  in_progress: {
    end: (state, event) =>
      ended(event.ending, event.unconfirmed ? 0 : event.monotonicMs - state.answeredMonotonicMs),
  },
  ended: {},
};

export type CallMachine = StateMachine<CallState, CallEvent>;

export function createCallMachine(
  initial: "queued" | "dialing" | "ringing",
  options: MachineOptions<CallState, CallEvent> = {},
): CallMachine {
  return new StateMachine<CallState, CallEvent>("call", table, { name: initial }, options);
}

/** What the API shows for a state. */
export function statusOf(state: CallState): CallStatus {
  return state.name === "ended" ? state.ending.status : state.name;
}
