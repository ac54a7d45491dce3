/** A queued call that will never be dialled: cancelled, missed, or refused when it was due. */

import type { Clock } from "../../core/clock.ts";
import type { Queries } from "../../core/database.ts";
import type { EndedReason } from "../../core/ended-reason.ts";
import { AppError } from "../../core/errors.ts";
import type { ScheduleEntry } from "../../features/schedule/scheduler.ts";
import { callFailed } from "../../features/webhook/catalogue.ts";
import type { EventSink } from "../../features/webhook/ports.ts";
import { endingByUs } from "../ending.ts";
import type { CallEnding } from "../state.ts";
import type { CallStorage } from "../stores.ts";

interface AbandonPorts extends CallStorage {
  readonly events: EventSink;
  readonly clock: Clock;
}

/** Runs in the transaction that changes the schedule entry. */
export async function endAbandonedSchedule(
  context: Omit<AbandonPorts, "database">,
  queries: Queries,
  tenantId: number,
  callUuid: string,
  ending: CallEnding,
): Promise<void> {
  const calls = context.stores.calls(queries);
  const call = await calls.find(tenantId, callUuid);
  if (call?.status !== "queued") return;
  await calls.finish(tenantId, callUuid, { ending, endedAt: context.clock.now() });
  await context.events.emit(queries, tenantId, callFailed(call, ending));
}

/** The carrier is unreachable now. */
export class TrunkUnreachable extends AppError {
  /** `why`: a sentence for a person. `mayWait`: the entry may be retried. */
  constructor(why: string, mayWait: boolean) {
    const publicMessage = `The trunk is not registered; see \`linevoice trunk list\`. ${why}`;
    super({ code: "unavailable", publicMessage, retryable: mayWait });
  }
}

/** Other codes mean `cancelled`: the campaign was paused or cancelled. */
const REJECTION_REASONS: Partial<Record<string, EndedReason>> = {
  insufficient_balance: "balance_exhausted",
  destination_not_allowed: "declined",
  // Same reason as an inbound call to a number without an agent.
  valid_agent_id_required: "declined",
  plan_limit_reached: "declined",
  rate_limited: "declined",
  unavailable: "interrupted",
};

function endingFor(error: AppError | null): CallEnding {
  if (!error)
    return endingByUs("failed", "interrupted", "The appliance was down when the call was due.");
  const reason =
    error instanceof TrunkUnreachable ? "trunk_unavailable" : REJECTION_REASONS[error.code];
  const explanation = error.retryable
    ? `The call could not start within 15 minutes of its planned time. ${error.publicMessage}`
    : error.publicMessage;
  return endingByUs("failed", reason ?? "cancelled", explanation);
}

/** Closes a due entry without dialling. The scheduler chooses `missed` or `failed`. */
export async function abandonSchedule(
  context: AbandonPorts,
  entry: ScheduleEntry,
  status: "missed" | "failed",
  error: AppError | null,
): Promise<void> {
  const ending = endingFor(error);
  await context.database.tx(async (queries) => {
    const reason = error?.code ?? "missed";
    const { tenantId, id, leaseToken } = entry;
    if (
      await context.stores
        .schedules(queries)
        .leavePending(tenantId, id, status, { reason }, leaseToken)
    )
      await endAbandonedSchedule(context, queries, entry.tenantId, entry.callUuid, ending);
  });
  context.events.wake();
}
