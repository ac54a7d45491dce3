/** Live calls of other nodes on the same store, known only from their rows. */
import { and, eq, inArray, isNotNull, ne } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { LIVE_STATUSES } from "../../core/ended-reason.ts";
import { calls } from "../../store/schema/index.ts";

const CALLS_MAX = 500;

export function liveCallStore(queries: Queries) {
  return {
    /** Live calls of other nodes. */
    async onRemoteNodes(tenantId: number, node: string) {
      return await queries
        .select({
          callUuid: calls.callUuid,
          direction: calls.direction,
          fromNumber: calls.fromNumber,
          toNumber: calls.toNumber,
          agentId: calls.agentId,
          status: calls.status,
          createdAt: calls.createdAt,
          answeredAt: calls.answeredAt,
        })
        .from(calls)
        .where(
          and(
            eq(calls.tenantId, tenantId),
            inArray(calls.status, LIVE_STATUSES),
            isNotNull(calls.node),
            ne(calls.node, node),
          ),
        )
        .limit(CALLS_MAX);
    },

    async ending(tenantId: number, callUuid: string) {
      return await queries
        .select({ status: calls.status, endedReason: calls.endedReason })
        .from(calls)
        .where(and(eq(calls.callUuid, callUuid), eq(calls.tenantId, tenantId)))
        .get();
    },
  };
}
