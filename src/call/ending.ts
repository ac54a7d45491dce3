/** Maps the end of a leg or conversation to the end of the call (decisions 6). */

import type { EndedReason } from "../core/ended-reason.ts";
import { CallWorkerDied } from "./media-port.ts";
import type { LegEnd } from "./sip-port.ts";
import type { CallEnding } from "./state.ts";

const WHILE_UNANSWERED: Readonly<
  Record<LegEnd["kind"], readonly [CallEnding["status"], EndedReason]>
> = {
  bye: ["cancelled", "cancelled"],
  cancelled: ["cancelled", "cancelled"],
  busy: ["busy", "busy"],
  declined: ["failed", "declined"],
  no_answer: ["no_answer", "no_answer"],
  invalid_number: ["failed", "invalid_number"],
  unavailable: ["failed", "trunk_unavailable"],
  forbidden: ["failed", "trunk_unavailable"],
  no_common_codec: ["failed", "declined"],
  ack_missing: ["failed", "trunk_unavailable"],
  session_expired: ["failed", "trunk_unavailable"],
  transport_failed: ["failed", "trunk_unavailable"],
  rejected: ["failed", "trunk_unavailable"],
};

/** 480 is about the callee (RFC 3261 21.4.18): switched off, out of reach, unavailable now. */
const isCalleeUnavailable = ({ kind, sipCode }: LegEnd): boolean =>
  sipCode === 480 && kind === "unavailable";

/** The callee accepted, but with unusable media. Nobody declined. */
const isOfNoUse = ({ kind, sipCode }: LegEnd): boolean =>
  kind === "no_common_codec" && sipCode === 200;

/**
 * The leg ended before the answer, or before its confirmation. Never `media_lost`, which is for calls that had
 * media.
 */
export function endingUnanswered(end: LegEnd): CallEnding {
  const [status, reason] = isCalleeUnavailable(end)
    ? WHILE_UNANSWERED.no_answer
    : WHILE_UNANSWERED[isOfNoUse(end) ? "unavailable" : end.kind];
  return { status, reason, explanation: end.explanation, sipCode: end.sipCode, fault: end.fault };
}

/** The far end, or the network, ended an answered call. */
export function endingAnswered(end: LegEnd): CallEnding {
  const lost = end.kind === "session_expired" || end.kind === "transport_failed";
  return {
    status: "completed",
    reason: lost ? "media_lost" : "caller_hangup",
    explanation: end.explanation,
    sipCode: end.sipCode,
    fault: lost ? end.fault : null,
  };
}

/** One side of a bridged call hung up. The reason is the transfer, no matter who hung up. */
export function endingBridged(end: LegEnd): CallEnding {
  const ending = endingAnswered(end);
  return ending.reason === "media_lost" ? ending : { ...ending, reason: "transferred" };
}

const SENTENCES: Readonly<Record<EndedReason, string>> = {
  caller_hangup: "The other side hung up.",
  agent_hangup: "The agent said goodbye and hung up.",
  transferred: "The call was transferred to another number.",
  max_duration:
    "The agent's maximum call length was reached; raise max_duration_sec for longer calls.",
  silence_timeout: "Nobody spoke for too long, so the agent said goodbye.",
  hold_timeout: "The call was on hold for too long; see `[rtp] hold_timeout_sec`.",
  voicemail_left: "A message was left on the voicemail.",
  voicemail_hangup: "A voicemail answered and the agent hung up, as configured.",
  balance_exhausted: "The plan minutes and the wallet are used up; top up the wallet.",
  no_answer: "Nobody answered in time.",
  busy: "The number was busy.",
  declined: "The call was declined.",
  plan_limit_reached: "All lines of the plan were busy; change the plan for more concurrent calls.",
  invalid_number: "The carrier does not know this number.",
  trunk_unavailable: "The trunk could not carry the call; see `linevoice trunk list`.",
  media_lost: "The audio stopped arriving; check NAT and firewall for the RTP ports.",
  engine_failure: "The speech engine failed; see the log of this call.",
  cancelled: "The call was cancelled before it was answered.",
  interrupted: "The appliance, or the thread that handled the call, stopped during the call.",
  operator_hangup: "The call was ended through the API or the command line.",
};

const FAULTS: Partial<Readonly<Record<EndedReason, CallEnding["fault"]>>> = {
  engine_failure: "engine",
  interrupted: "us",
  media_lost: "carrier",
  trunk_unavailable: "carrier",
};

/** We ended an answered call, or an internal reason ended it. */
export function endingByUs(
  status: CallEnding["status"],
  reason: EndedReason,
  explanation?: string,
  sipCode: number | null = null,
): CallEnding {
  return {
    status,
    reason,
    explanation: explanation ?? SENTENCES[reason],
    sipCode,
    fault: FAULTS[reason] ?? null,
  };
}

/** The call could not be opened, or its leg could not be placed or answered. */
export const endingUnopened = (error: unknown, sipCode: number | null = null): CallEnding =>
  endingByUs(
    "failed",
    error instanceof CallWorkerDied ? "interrupted" : "engine_failure",
    undefined,
    sipCode,
  );
