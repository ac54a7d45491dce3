/** Split tests between two versions of an agent, and the calls to compare them. */
import { and, desc, eq, getTableColumns, gte, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { parsedJson } from "../../store/query/prepared.ts";
import { agentSplits, agents, calls } from "../../store/schema/index.ts";
import type { AgentSplit } from "./agent-split.ts";
import type { SplitCall } from "./split-comparison.ts";

/** The open split of the row's agent, read in the same query. */
export const openSplit = () =>
  parsedJson<AgentSplit | null>(sql`(
    SELECT json_object('version', v.number, 'percent', s.percent_b, 'content', json(v.content))
    FROM agent_splits s JOIN agent_versions v ON v.agent_id = s.agent_id AND v.number = s.version_b
    WHERE s.agent_id = ${agents.id} AND s.version_a = ${agents.version} AND s.ended_at IS NULL)`);

const TOOK_MESSAGE = sql<number>`EXISTS (
  SELECT 1 FROM call_notes n WHERE n.call_id = ${calls.id} AND n.kind = 'message')`;

type SplitRow = typeof agentSplits.$inferSelect;

const ofAgent = (tenantId: number, agentId: number) =>
  and(eq(agentSplits.agentId, agentId), eq(agentSplits.tenantId, tenantId));

export function agentSplitStore(queries: Queries) {
  return {
    /** Open or closed. */
    async newest(tenantId: number, agentId: number) {
      return await queries
        .select(getTableColumns(agentSplits))
        .from(agentSplits)
        .where(ofAgent(tenantId, agentId))
        .orderBy(desc(agentSplits.startedAt), desc(agentSplits.id))
        .limit(1)
        .get();
    },

    async open(split: Omit<SplitRow, "id" | "endedAt">): Promise<void> {
      await queries.insert(agentSplits).values(split);
    },

    async close(tenantId: number, agentId: number, endedAt: number): Promise<void> {
      await queries
        .update(agentSplits)
        .set({ endedAt })
        .where(and(ofAgent(tenantId, agentId), isNull(agentSplits.endedAt)));
    },

    /** The newest finished calls of both versions. */
    async calls(split: SplitRow, limit: number): Promise<SplitCall[]> {
      const { tenantId, agentId, versionA, versionB, startedAt } = split;
      const rows = await queries
        .select({
          version: calls.agentVersion,
          status: calls.status,
          endedReason: calls.endedReason,
          answeredAt: calls.answeredAt,
          endedAt: calls.endedAt,
          cost: calls.cost,
          latencyP50Ms: calls.latencyP50Ms,
          latencyP95Ms: calls.latencyP95Ms,
          tookMessage: TOOK_MESSAGE,
        })
        .from(calls)
        .where(
          and(
            eq(calls.tenantId, tenantId),
            eq(calls.agentId, agentId),
            gte(calls.createdAt, startedAt),
            isNotNull(calls.endedAt),
            inArray(calls.agentVersion, [versionA, versionB]),
          ),
        )
        .orderBy(desc(calls.createdAt), desc(calls.id))
        .limit(limit);
      return rows.map(({ version, answeredAt, endedAt, tookMessage, ...call }) => ({
        ...call,
        version: version ?? 0,
        answeredMs: answeredAt === null || endedAt === null ? null : endedAt - answeredAt,
        tookMessage: Boolean(tookMessage),
      }));
    },
  };
}
