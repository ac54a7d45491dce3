/**
 * Creates events from the appliance's data (event-types.ts defines the data of each type). The
 * caller passes the draft to `EventSink.emit` in the transaction of the change.
 */
import { isoUtc } from "../../core/clock.ts";
import { type MicroEur, microToEur } from "../../core/money.ts";
import type { EventData, EventType } from "./event-types.ts";
import type { EventDraft } from "./ports.ts";

/** The call fields of an event, independent of the record that they come from. */
interface CallFacts {
  readonly callUuid: string;
  readonly direction: "inbound" | "outbound";
  /** Empty if the number is withheld. */
  readonly fromNumber: string;
  readonly toNumber: string;
  readonly agentId: number | null;
}

interface EndingFacts {
  readonly status: string;
  readonly reason: string;
  readonly sipCode: number | null;
}

type CallReference = Pick<CallFacts, "callUuid" | "agentId">;

/** `call` is null if the event is not about a call. */
export function eventDraft<Type extends EventType>(
  type: Type,
  call: CallReference | null,
  data: EventData<Type>,
): EventDraft {
  return { type, callUuid: call?.callUuid ?? null, agentId: call?.agentId ?? null, data };
}

const parties = (call: CallFacts) => ({
  direction: call.direction,
  from_number: call.fromNumber || null,
  to_number: call.toNumber || null,
  agent_id: call.agentId,
});

/** Outbound: dialling began. Inbound: the call rings. */
export function callStarted(call: CallFacts, status: string): EventDraft {
  return eventDraft("call.started", call, { call_id: call.callUuid, ...parties(call), status });
}

/** `answeredBy` is `unknown` until the voicemail check has finished. */
export function callAnswered(
  call: CallFacts,
  answeredAtMs: number,
  answeredBy: "human" | "machine" | "unknown" = "unknown",
): EventDraft {
  return eventDraft("call.answered", call, {
    call_id: call.callUuid,
    ...parties(call),
    status: "in_progress",
    answered_at: isoUtc(answeredAtMs),
    answered_by: answeredBy,
  });
}

/** `answeredMs`: from answer to hang-up. `duration_sec` counts started seconds. */
export function callEnded(
  call: CallFacts,
  ending: EndingFacts,
  charge: { readonly billableSeconds: number; readonly cost: MicroEur },
  answeredMs: number,
): EventDraft {
  return eventDraft("call.ended", call, {
    call_id: call.callUuid,
    duration_sec: Math.ceil(Math.max(0, answeredMs) / 1000),
    status: ending.status,
    ...parties(call),
    ended_reason: ending.reason,
    billable_seconds: charge.billableSeconds,
    cost_eur: microToEur(charge.cost),
  });
}

export function callFailed(call: CallFacts, ending: EndingFacts): EventDraft {
  return eventDraft("call.failed", call, {
    call_id: call.callUuid,
    status: ending.status,
    ended_reason: ending.reason,
    sip_code: ending.sipCode,
    ...parties(call),
  });
}

/** Missing values and empty texts become null. */
export function transcriptCompleted(
  call: CallReference & { readonly language: string | null },
  transcript: string,
  summary: string,
): EventDraft {
  return eventDraft("transcript.completed", call, {
    call_id: call.callUuid,
    transcript: transcript || null,
    summary: summary || null,
    language: call.language,
  });
}

export function recordingReady(
  call: CallReference,
  recording: {
    readonly url: string;
    readonly durationMs: number;
    readonly format: string;
    readonly expiresAtMs: number;
  },
): EventDraft {
  return eventDraft("recording.ready", call, {
    call_id: call.callUuid,
    recording_url: recording.url,
    duration_sec: Math.round(recording.durationMs / 1000),
    format: recording.format,
    expires_at: isoUtc(recording.expiresAtMs),
  });
}

/** Contains neither arguments nor result: they may contain the caller's words. */
export function toolExecuted(
  call: CallReference,
  tool: string,
  result: {
    readonly ok: boolean;
    readonly httpStatus: number | null;
    readonly durationMs: number;
  },
): EventDraft {
  return eventDraft("tool.executed", call, {
    call_id: call.callUuid,
    tool,
    ok: result.ok,
    http_status: result.httpStatus,
    duration_ms: Math.round(result.durationMs),
  });
}

/**
 * Sent once per call, when plan and wallet cover about 60 s more. `secondsLeft`: whole seconds
 * until the agent says goodbye, as currently estimated.
 */
export function callBalanceLow(call: CallFacts, secondsLeft: number): EventDraft {
  return eventDraft("call.balance_low", call, {
    call_id: call.callUuid,
    ...parties(call),
    seconds_left: Math.max(0, Math.floor(secondsLeft)),
  });
}

/** Sent each time the balance crosses a threshold of `[payments] low_balance_eur`, together with the email. */
export function balanceLow(balance: MicroEur, threshold: MicroEur): EventDraft {
  return eventDraft("balance.low", null, {
    balance_eur: microToEur(balance),
    threshold_eur: microToEur(threshold),
  });
}

/** The data of a test call.ended: the structure of a real one, without customer data. */
export function testCallEnded(callUuid: string): EventData<"call.ended"> {
  return {
    call_id: callUuid,
    duration_sec: 42,
    status: "completed",
    direction: "inbound",
    from_number: null,
    to_number: null,
    agent_id: null,
    ended_reason: "caller_hangup",
    billable_seconds: 42,
    cost_eur: 0,
  };
}
