/**
 * The state of one call.
 *
 *   queued ──fire──▶ dialing ──ring──▶ ringing ──answer──▶ in_progress ──end──▶ ended
 *      │                │  └──────────────answer───────────────▲                 ▲
 *      └──────end───────┴──────────────────end (no answer, busy, failed, …)──────┘
 *
 * While in progress, a transfer may be running or bridged, and the caller may be asked for the PIN.
 * Inbound calls begin at ringing. `ended` is final and always has a reason. Waiting states and their
 * timers: queued – the scheduler's grace window; dialing/ringing – the leg's ring timeout;
 * in_progress – the agent's max_duration_sec in the call worker.
 */

import type { CallStatus, EndedReason } from "../core/ended-reason.ts";
import { type MachineOptions, StateMachine, type Table } from "../core/state-machine.ts";
import type { CallerLevel } from "../features/contact/ports.ts";
import type { ReferOutcome } from "./sip-port.ts";

export interface CallEnding {
  readonly status: Extract<CallStatus, "completed" | "no_answer" | "busy" | "failed" | "cancelled">;
  readonly reason: EndedReason;
  /** One sentence for a person: what happened and what to do. */
  readonly explanation: string;
  readonly sipCode: number | null;
  readonly fault: "caller" | "callee" | "carrier" | "engine" | "us" | null;
}

/** The two legs of a transfer to a person. */
export interface CallTransfer {
  /** Caller and person hear each other. */
  readonly isBridged: boolean;
  /** The carrier's progress with the REFER; null if no REFER is pending. */
  readonly referral: Promise<ReferOutcome> | null;
  callEnded(): void;
}

/** State of the far end, known from the beginning. */
interface FarEnd {
  /** True if our 2xx was ACKed: the far end is really at its address. */
  readonly confirmed: boolean;
  /** How certain the other party's identity is. */
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
      /** Whether `call.answered` was reported: as soon as it is known who answered, or at the end. */
      readonly answerReported: boolean;
      /** The PIN check in progress; null if none. */
      readonly asking: Promise<CallerLevel> | null;
      /** The transfer in progress, also while it has joined two legs. */
      readonly transfer: CallTransfer | null;
    } & FarEnd)
  | {
      readonly name: "ended";
      readonly ending: CallEnding;
      /** Talk time, ms. 0 if our 2xx was never acknowledged: nobody talked. */
      readonly answeredMs: number;
      /** Milliseconds since the answer, acknowledged or not, by the monotonic clock; 0 without an answer. */
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
    // If our 2xx was never acknowledged, the call is not billed (decisions 12).
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

/** Status that the API shows for a state. */
export function statusOf(state: CallState): CallStatus {
  return state.name === "ended" ? state.ending.status : state.name;
}
