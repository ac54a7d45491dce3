/** Reason for the end of a call (decisions 6). Set exactly once, at the end. */
export const ENDED_REASONS = [
  "caller_hangup",
  "agent_hangup",
  "transferred",
  "max_duration",
  "silence_timeout",
  "hold_timeout",
  "voicemail_left",
  "voicemail_hangup",
  "balance_exhausted",
  "no_answer",
  "busy",
  "declined",
  "plan_limit_reached",
  "invalid_number",
  "trunk_unavailable",
  "media_lost",
  "engine_failure",
  "cancelled",
  "interrupted",
  "operator_hangup",
] as const;
export type EndedReason = (typeof ENDED_REASONS)[number];

/** Call status (decisions 6). The last five are final. */
export const CALL_STATUSES = [
  "queued",
  "dialing",
  "ringing",
  "in_progress",
  "completed",
  "no_answer",
  "busy",
  "failed",
  "cancelled",
] as const;
export type CallStatus = (typeof CALL_STATUSES)[number];

/** Statuses of a call in progress on its node. */
export const LIVE_STATUSES = ["dialing", "ringing", "in_progress"] as const;

/** Statuses of a call that has not ended. */
export const OPEN_STATUSES = ["queued", ...LIVE_STATUSES] as const;

/** Statuses of a missed incoming call: nobody talked with the caller. */
export const MISSED_STATUSES = ["no_answer", "busy", "failed", "cancelled"] as const;
