/**
 * Handing a live call to a person: REFER (RFC 3515) through the trunk. The target is checked by
 * the dialling rules first. A refusal leaves the caller with the agent.
 */
import { AppError } from "../core/errors.ts";
import { callSetupStore } from "../store/call-setup-store.ts";
import { rulesOf } from "./admission.ts";
import type { CallContext } from "./context.ts";
import { checkTransferTarget } from "./dialing-rules.ts";
import { endingByUs } from "./ending.ts";
import type { LiveCall } from "./live-call.ts";

/** Resolves when the REFER is under way; the rest happens in the background. */
export async function transferCall(
  context: CallContext,
  call: LiveCall,
  to: string,
): Promise<void> {
  const { tenantId, callUuid } = call.identity;
  const setup = callSetupStore(context.database.read);
  const tenant = await setup.tenant(tenantId);
  if (tenant) checkTransferTarget(to, rulesOf(tenant, await setup.trunk(tenantId)));
  const leg = call.leg;
  if (call.state.name !== "in_progress" || !leg)
    throw new AppError({
      code: "conflict",
      publicMessage: "Only an answered call can be transferred.",
    });
  const log = context.log.with({ call_id: callUuid });
  log.info("call.transfer_started");
  void leg.refer(to).then(({ transferred, sipCode }) => {
    log.info("call.transfer_finished", { transferred, sip_code: sipCode });
    if (transferred) call.end(endingByUs("completed", "transferred"));
  });
}
