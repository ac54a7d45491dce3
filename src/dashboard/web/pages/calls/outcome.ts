/** How a call's status looks. */
import type { Rest } from "../../api/client.ts";
import type { Tone } from "../../ui/page.tsx";

export type CallStatus = Rest["CallItem"]["status"];

export const CALL_STATUSES: readonly CallStatus[] = [
  "queued",
  "dialing",
  "ringing",
  "in_progress",
  "completed",
  "no_answer",
  "busy",
  "failed",
  "cancelled",
];

const TONES: Readonly<Record<CallStatus, Tone>> = {
  queued: "info",
  dialing: "info",
  ringing: "info",
  in_progress: "good",
  completed: "plain",
  no_answer: "warn",
  busy: "warn",
  failed: "bad",
  cancelled: "plain",
};

export const statusTone = (status: CallStatus): Tone => TONES[status];
