/** Places calls for the operator's console and follows them live. */

import type { CallService } from "../../call/ports.ts";
import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../core/database.ts";
import { e164 } from "../../core/e164.ts";
import { notFound } from "../../core/errors.ts";
import { serverNeeded } from "../appliance/server-needed.ts";
import { tenantAdminStore } from "../tenant/tenant-admin-store.ts";
import { createCallRecords } from "./call-records.ts";
import { type CallProgress, followCall } from "./follow-call.ts";
import type { TurnEvents } from "./turn-events.ts";

export type OperatorCalls = ReturnType<typeof createOperatorCalls>;

/** `running` null: no server runs on this data directory. */
export function createOperatorCalls(deps: {
  readonly database: Database;
  readonly clock: Clock;
  readonly running: {
    readonly calls: Pick<CallService, "request">;
    readonly turns: TurnEvents;
  } | null;
}) {
  const { database, clock, running } = deps;
  return {
    /** Places a call now. The call belongs to the agent's tenant. */
    async place(agentId: number, to: string): Promise<{ tenantId: number; callUuid: string }> {
      if (!running) throw serverNeeded();
      const tenantId = await tenantAdminStore(database.read).ownerOfAgent(agentId);
      if (tenantId === null) throw notFound("agent");
      const input = { toNumber: e164(to), fromNumber: null, agentId, scheduleAtMs: null };
      const { callUuid } = await running.calls.request(tenantId, input);
      return { tenantId, callUuid };
    },

    /** Converts a call into an anonymised scenario. Throws not_found (call). */
    async scenario(callUuid: string): Promise<string> {
      const tenantId = await tenantAdminStore(database.read).ownerOfCall(callUuid);
      if (tenantId === null) throw notFound("call");
      return await createCallRecords(database).scenario(tenantId, callUuid);
    },

    /** Ends when the call has ended or the signal aborts. Throws not_found (call). */
    follow(tenantId: number, callUuid: string, signal: AbortSignal): AsyncIterable<CallProgress> {
      if (!running) throw serverNeeded();
      const { turns } = running;
      return followCall({ database, clock, turns }, tenantId, callUuid, signal);
    },
  };
}
