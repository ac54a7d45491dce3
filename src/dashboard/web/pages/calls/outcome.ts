/** How a call's status looks, and whom it was with. */
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

/** What is no news is not said: a call that went as calls go. */
export const isException = (status: CallStatus): boolean => status !== "completed";

/** The contact, else the number; null: withheld. */
export function callerOf(call: {
  readonly direction: "inbound" | "outbound";
  readonly from_number: string | null;
  readonly to_number: string;
  readonly contact_name: string | null;
}): string | null {
  const number = call.direction === "inbound" ? call.from_number : call.to_number;
  return call.contact_name ?? (number || null);
}
