/**
 * The state of one call.
 *
 *   queued ──fire──▶ dialing ──ring──▶ ringing ──answer──▶ in_progress ──end──▶ ended
 *      │                │  └──────────────answer───────────────▲                 ▲
 *      └──────end───────┴──────────────────end (no answer, busy, failed, …)──────┘
 *
 * In progress, a transfer may be under way or stand as a bridge, and the caller may be asked for the PIN.
 * Inbound calls begin at ringing. `ended` is final and always carries why. Waiting states and their
 * timers: queued – the scheduler's grace window; dialing/ringing – the leg's ring timeout;
 * in_progress – the agent's max_duration_sec in the call worker.
 */

import type { CallStatus, EndedReason } from "../../core/ended-reason.ts";
import { type MachineOptions, StateMachine, type Table } from "../../core/state-machine.ts";
import type { CallerLevel } from "../contact/ports.ts";
import type { ReferOutcome } from "./sip-port.ts";

export interface CallEnding {
  readonly status: Extract<CallStatus, "completed" | "no_answer" | "busy" | "failed" | "cancelled">;
  readonly reason: EndedReason;
  /** One sentence for a person: what happened and what to do. */
  readonly explanation: string;
  readonly sipCode: number | null;
  readonly fault: "caller" | "callee" | "carrier" | "engine" | "us" | null;
}

/** Two legs of a call that is handed to a person. */
export interface CallTransfer {
  /** Caller and person hear each other. */
  readonly isBridged: boolean;
  /** How the carrier gets on with it; null: it is not asked. */
  readonly referral: Promise<ReferOutcome> | null;
  /** The call is over: nobody waits for the person any more. */
  callEnded(): void;
}

/** What is known of the far end from the beginning. */
interface FarEnd {
  /** Our 2xx and its ACK have both been exchanged: the far end is where its address says. */
  readonly confirmed: boolean;
  /** How sure it is who is on the other side. */
  readonly level: CallerLevel;
}

export type CallState =
  | { readonly name: "queued" }
  | ({ readonly name: "dialing" } & FarEnd)
  | ({ readonly name: "ringing" } & FarEnd)
  | ({
      readonly name: "in_progress";
      readonly answeredAtMs: number;
      readonly answeredMonotonicMs: number;
      /** Who answered is reported once: when it is known, or at the end. */
      readonly answerReported: boolean;
      /** The caller is asked for the PIN; null: not now. */
      readonly asking: Promise<CallerLevel> | null;
      /** The transfer that is under way or has joined two legs. */
      readonly transfer: CallTransfer | null;
    } & FarEnd)
  | {
      readonly name: "ended";
      readonly ending: CallEnding;
      /** Talk time. 0 when our 2xx was never acknowledged: nobody talked. */
      readonly answeredMs: number;
      /** From the answer, acknowledged or not, by the monotonic clock; 0: there was none. */
      readonly sinceAnswerMs: number;
      readonly level: CallerLevel;
      /** Resolves when the call is settled and stored. */
      readonly settled: Promise<void>;
    };

export type CallEvent =
  | { readonly type: "fire" }
  | { readonly type: "ring" }
  | { readonly type: "answer"; readonly atMs: number; readonly monotonicMs: number }
  | { readonly type: "confirm" }
  | { readonly type: "report_answer" }
  | { readonly type: "ask"; readonly asking: Promise<CallerLevel> }
  | { readonly type: "asked"; readonly level: CallerLevel }
  | { readonly type: "transfer"; readonly transfer: CallTransfer }
  | { readonly type: "return" }
  | {
      readonly type: "end";
      readonly ending: CallEnding;
      readonly monotonicMs: number;
      /** Missing: there is nothing to settle. */
      readonly settled?: Promise<void>;
    };

type EventOf<Type extends CallEvent["type"]> = Extract<CallEvent, { type: Type }>;

const NOTHING_TO_SETTLE = Promise.resolve();
const UNKNOWN: FarEnd = { confirmed: false, level: 0 };

const ended = (
  event: EventOf<"end">,
  level: CallerLevel = 0,
  sinceAnswerMs = 0,
  confirmed = false,
): Extract<CallState, { name: "ended" }> => ({
  name: "ended",
  ending: event.ending,
  answeredMs: confirmed ? sinceAnswerMs : 0,
  sinceAnswerMs,
  level,
  settled: event.settled ?? NOTHING_TO_SETTLE,
});

const answered = ({ confirmed, level }: FarEnd, event: EventOf<"answer">): CallState => ({
  name: "in_progress",
  answeredAtMs: event.atMs,
  answeredMonotonicMs: event.monotonicMs,
  answerReported: false,
  asking: null,
  transfer: null,
  confirmed,
  level,
});

const table: Table<CallState, CallEvent> = {
  queued: {
    fire: () => ({ name: "dialing", ...UNKNOWN }),
    end: (_, event) => ended(event),
  },
  dialing: {
    ring: ({ confirmed, level }) => ({ name: "ringing", confirmed, level }),
    answer: answered,
    confirm: (state) => ({ ...state, confirmed: true }),
    end: (state, event) => ended(event, state.level),
  },
  ringing: {
    ring: (state) => state,
    answer: answered,
    confirm: (state) => ({ ...state, confirmed: true }),
    end: (state, event) => ended(event, state.level),
  },
  in_progress: {
    confirm: (state) => ({ ...state, confirmed: true }),
    report_answer: (state) => ({ ...state, answerReported: true }),
    ask: (state, { asking }) => ({ ...state, asking }),
    asked: (state, { level }) => ({ ...state, level, asking: null }),
    transfer: (state, { transfer }) => ({ ...state, transfer }),
    return: (state) => ({ ...state, transfer: null }),
    // A 2xx of ours that was never acknowledged is not billed (decisions 12).
    end: (state, event) =>
      ended(event, state.level, event.monotonicMs - state.answeredMonotonicMs, state.confirmed),
  },
  ended: {},
};

export type CallMachine = StateMachine<CallState, CallEvent>;

export function createCallMachine(
  initial: "queued" | "dialing" | "ringing",
  options: MachineOptions<CallState, CallEvent> = {},
  level: CallerLevel = 0,
): CallMachine {
  const state: CallState =
    initial === "queued" ? { name: initial } : { name: initial, confirmed: false, level };
  return new StateMachine<CallState, CallEvent>("call", table, state, options);
}

/** What the API shows for a state. */
export function statusOf(state: CallState): CallStatus {
  return state.name === "ended" ? state.ending.status : state.name;
}
