/** Live calls for the dashboard: changes, turns and registrations, by tenant. */

import type { CallIdentity } from "../call/call-identity.ts";
import type { LiveCall } from "../call/live/live-call.ts";
import type { CallRegistry } from "../call/live/registry.ts";
import type { RegistrationStatus } from "../call/sip-port.ts";
import { statusOf } from "../call/state.ts";
import type { TurnRecord } from "../conversation/call-report.ts";
import type { Clock } from "../core/clock.ts";
import { Emitter } from "../core/emitter.ts";
import type { LiveCalls, LiveCallView, LiveEvent } from "../http/dashboard/ports.ts";

/** Maximum number of turns shown per live call. The transcript has all of them. */
const TURNS_MAX = 500;

/** Receives events from other parts. */
export interface LiveCallsFeed extends LiveCalls {
  changed(call: LiveCall): void;
  spoke(call: CallIdentity, turn: TurnRecord): void;
  registered(tenantId: number, status: RegistrationStatus): void;
}

export function createLiveCalls(deps: {
  readonly registry: CallRegistry;
  readonly clock: Clock;
}): LiveCallsFeed {
  const { registry, clock } = deps;
  const events = new Emitter<{ readonly event: { tenantId: number; event: LiveEvent } }>();
  const startedAt = new WeakMap<LiveCall, number>();
  const spoken = createSpokenTurns();

  const emit = (tenantId: number, event: LiveEvent) => events.emit("event", { tenantId, event });

  const viewOf = (call: LiveCall) =>
    viewOfCall(
      call,
      startedAt.get(call) ?? clock.now(),
      spoken.of(call.identity.callUuid).at(-1) ?? null,
    );

  return {
    changed(call) {
      const { tenantId, callUuid } = call.identity;
      if (!startedAt.has(call)) startedAt.set(call, clock.now());
      const { state } = call;
      if (state.name !== "ended") {
        emit(tenantId, { type: "call", call: viewOf(call) });
        return;
      }
      spoken.forget(callUuid);
      const { status, reason } = state.ending;
      emit(tenantId, { type: "ended", callUuid, status, endedReason: reason });
    },
    spoke(call, turn) {
      // The last turn may be reported after the call's end.
      if (registry.find(call.tenantId, call.callUuid)?.isLive) spoken.remember(call.callUuid, turn);
      emit(call.tenantId, { type: "turn", callUuid: call.callUuid, turn });
    },
    registered: (tenantId, status) => emit(tenantId, { type: "registration", status }),

    list: (tenantId) =>
      registry.all.filter((call) => call.identity.tenantId === tenantId && call.isLive).map(viewOf),
    turns: (tenantId, callUuid) => (registry.find(tenantId, callUuid) ? spoken.of(callUuid) : []),
    get total() {
      return registry.size;
    },
    follow: (tenantId, listener) =>
      events.on("event", (told) => {
        if (told.tenantId === tenantId) listener(told.event);
      }),
    monitor: (tenantId, callUuid, listener) =>
      registry.find(tenantId, callUuid)?.monitor(listener) ?? null,
  };
}

function viewOfCall(
  { identity, state }: LiveCall,
  startedAtMs: number,
  lastTurn: TurnRecord | null,
): LiveCallView {
  return {
    callUuid: identity.callUuid,
    tenantId: identity.tenantId,
    direction: identity.direction,
    fromNumber: identity.fromNumber,
    toNumber: identity.toNumber,
    agentId: identity.agentId,
    status: statusOf(state),
    startedAtMs,
    answeredAtMs: state.name === "in_progress" ? state.answeredAtMs : null,
    lastTurn,
  };
}

/** The turns of live calls, in order of their start. */
function createSpokenTurns() {
  /** By call and turn index: a growing turn is reported repeatedly. */
  const turnsOf = new Map<string, Map<number, TurnRecord>>();
  return {
    remember(callUuid: string, turn: TurnRecord): void {
      const turns = turnsOf.get(callUuid) ?? new Map<number, TurnRecord>();
      turnsOf.set(callUuid, turns);
      if (turns.size < TURNS_MAX || turns.has(turn.index)) turns.set(turn.index, turn);
    },
    of: (callUuid: string): readonly TurnRecord[] => [...(turnsOf.get(callUuid)?.values() ?? [])],
    forget: (callUuid: string) => turnsOf.delete(callUuid),
  };
}
