/**
 * The registration's state machine (RFC 3261 10.2), pure.
 *
 *   idle ──start──► registering ──accepted──► registered ──due──► registering (refresh) …
 *                     │   ▲  └──rejected/no_answer──► failed ──due──► registering
 *                     │   └──due──┘
 *   any ──stop──► unregistering ──gone──► unregistered      (idle, failed ──stop──► unregistered)
 *   registering, failed ──expired──► the same, without a binding
 *
 * `registering` waits for the transaction (at most 64·T1), `registered` and `failed` for the
 * client's one timer, `unregistering` for its answer or 2 s. `expired` comes when the earlier
 * binding ends.
 */

import type { RegistrationProblem } from "../call/sip-port.ts";
import type { Table } from "../core/state-machine.ts";

export type RegistrationState =
  | { readonly name: "idle" }
  /** `validUntilMs`: when the previous, still valid binding ends; null if there is none. */
  | {
      readonly name: "registering";
      readonly failures: number;
      readonly validUntilMs: number | null;
    }
  | { readonly name: "registered"; readonly expiresAtMs: number; readonly refreshAtMs: number }
  | {
      readonly name: "failed";
      readonly failures: number;
      readonly lastCode: number | null;
      readonly reason?: RegistrationProblem | null;
      readonly explanation: string;
      readonly nextAttemptAtMs: number;
      readonly validUntilMs: number | null;
      /**
       * The attempt was not rejected, only unanswered: calls continue to use the previous binding.
       */
      readonly bindingServes: boolean;
    }
  | { readonly name: "unregistering" }
  | { readonly name: "unregistered" };

export type RegistrationEvent =
  | { readonly type: "start" }
  | { readonly type: "accepted"; readonly expiresAtMs: number; readonly refreshAtMs: number }
  | {
      readonly type: "rejected";
      readonly lastCode: number | null;
      readonly reason?: RegistrationProblem | null;
      readonly explanation: string;
      readonly nextAttemptAtMs: number;
      readonly bindingServes: boolean;
    }
  /** The previous binding has ended. */
  | { readonly type: "expired" }
  /** The timer of `registered` or `failed` fired, or the public address changed. */
  | { readonly type: "due" }
  | { readonly type: "stop" }
  | { readonly type: "gone" };

const failed = (
  state: Extract<RegistrationState, { name: "registering" }>,
  event: Extract<RegistrationEvent, { type: "rejected" }>,
): RegistrationState => ({
  name: "failed",
  failures: state.failures + 1,
  lastCode: event.lastCode,
  reason: event.reason,
  explanation: event.explanation,
  nextAttemptAtMs: event.nextAttemptAtMs,
  validUntilMs: state.validUntilMs,
  bindingServes: event.bindingServes,
});

const UNREGISTERED: RegistrationState = { name: "unregistered" };
const UNREGISTERING: RegistrationState = { name: "unregistering" };

export const REGISTRATION_TABLE: Table<RegistrationState, RegistrationEvent> = {
  idle: {
    start: () => ({ name: "registering", failures: 0, validUntilMs: null }),
    stop: () => UNREGISTERED,
  },
  registering: {
    accepted: (_, event) => ({
      name: "registered",
      expiresAtMs: event.expiresAtMs,
      refreshAtMs: event.refreshAtMs,
    }),
    rejected: failed,
    expired: (state) => ({ ...state, validUntilMs: null }),
    stop: () => UNREGISTERING,
  },
  registered: {
    due: (state) => ({ name: "registering", failures: 0, validUntilMs: state.expiresAtMs }),
    stop: () => UNREGISTERING,
  },
  failed: {
    due: (state) => ({
      name: "registering",
      failures: state.failures,
      validUntilMs: state.validUntilMs,
    }),
    expired: (state) => ({ ...state, validUntilMs: null }),
    stop: (state) => (state.validUntilMs === null ? UNREGISTERED : UNREGISTERING),
  },
  unregistering: { gone: () => UNREGISTERED, stop: () => UNREGISTERING },
  unregistered: { stop: () => UNREGISTERED },
};
