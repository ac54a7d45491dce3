/** A queued call that will never be dialled: cancelled, missed, or refused when it came due. */
import { callStore, NO_FIGURES } from "../store/call-store.ts";
import type { Queries } from "../store/database.ts";
import { callFailed } from "../webhook/catalogue.ts";
import type { CallContext } from "./context.ts";
import type { CallEnding } from "./state.ts";

/** Runs inside the transaction that moves the schedule entry on. */
export async function endUnfired(
  context: Pick<CallContext, "clock" | "events">,
  queries: Queries,
  tenantId: number,
  callUuid: string,
  ending: CallEnding,
): Promise<void> {
  const calls = callStore(queries);
  const call = await calls.find(tenantId, callUuid);
  if (call?.status !== "queued") return;
  await calls.finish(tenantId, callUuid, ending, context.clock.now(), null, NO_FIGURES);
  await context.events.emit(queries, tenantId, callFailed(call, ending));
}
