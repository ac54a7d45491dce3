/** Questions without an answer: turns of the tenant's calls with this mark. */
import { and, desc, eq, inArray, isNotNull } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { agents, calls, turns } from "../../store/schema/index.ts";
import type { UnansweredRecords } from "./unanswered.ts";

export function unansweredStore(queries: Queries): UnansweredRecords {
  return {
    async list(tenantId, limit) {
      const rows = await queries
        .select({
          key: turns.unanswered,
          text: turns.text,
          callUuid: calls.callUuid,
          // Also null for a deleted agent.
          agentId: agents.id,
          askedAt: calls.createdAt,
        })
        .from(turns)
        .innerJoin(calls, eq(calls.id, turns.callId))
        .leftJoin(agents, and(eq(agents.id, calls.agentId), eq(agents.tenantId, tenantId)))
        .where(and(isNotNull(turns.unanswered), eq(calls.tenantId, tenantId)))
        .orderBy(desc(calls.createdAt), desc(turns.turnIndex))
        .limit(limit);
      return rows.map((row) => ({ ...row, key: row.key ?? "" }));
    },

    async settle(tenantId, key) {
      const own = queries.select({ id: calls.id }).from(calls).where(eq(calls.tenantId, tenantId));
      const settled = await queries
        .update(turns)
        .set({ unanswered: null })
        .where(and(eq(turns.unanswered, key), inArray(turns.callId, own)))
        .returning({ callId: turns.callId });
      return settled.length;
    },
  };
}
