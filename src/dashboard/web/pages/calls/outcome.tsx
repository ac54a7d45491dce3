/** How a call's status is displayed, and the other party's name. */
import { MISSED_STATUSES } from "../../../../core/ended-reason.ts";
import type { Own, Rest } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { Badge, type Tone } from "../../ui/page.tsx";

type CallStatus = Rest["CallItem"]["status"];
export type FoundCall = Own["FoundCall"];

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

/** Unanswered inbound calls are shown as missed. The call page shows the reason. */
export function StatusBadge({ call }: { call: Pick<FoundCall, "direction" | "status"> }) {
  const { t } = useText();
  const { status } = call;
  const missed = isMissed(call);
  return (
    <Badge tone={missed ? "warn" : TONES[status]}>
      {t(`status.${missed ? "missed" : status}`)}
    </Badge>
  );
}

/** Text key of the reason for a call's end. An inbound "busy" means our lines, never a person's. */
export const endedText = ({
  direction,
  ended_reason,
}: Pick<FoundCall, "direction" | "ended_reason">) =>
  direction === "inbound" && ended_reason === "busy"
    ? "call.lines_busy"
    : (`ended.${ended_reason ?? "cancelled"}` as const);

export const isMissed = ({ direction, status }: Pick<FoundCall, "direction" | "status">): boolean =>
  direction === "inbound" && MISSED_STATUSES.some((one) => one === status);

/** Shows only notable outcomes: nothing for an ordinary call without a message. */
export function Outcome({ call }: { call: FoundCall }) {
  const { t } = useText();
  return (
    <>
      {call.planned_at ? (
        <Badge tone={statusTone(call.status)}>{t("schedules.status.pending")}</Badge>
      ) : (
        call.status !== "completed" && <StatusBadge call={call} />
      )}
      {call.has_message && <Badge tone="info">{t("call.message")}</Badge>}
    </>
  );
}

/** The contact's name, else the number; null if the caller ID is withheld. */
export const callerOf = (call: FoundCall): string | null => call.contact_name ?? numberOf(call);

export const numberOf = (
  call: Pick<FoundCall, "direction" | "from_number" | "to_number">,
): string | null => (call.direction === "inbound" ? call.from_number : call.to_number) || null;

const LIVE: readonly CallStatus[] = ["dialing", "ringing", "in_progress"];

export const isLive = ({ status }: Pick<FoundCall, "status">): boolean => LIVE.includes(status);
