/** Scenarios stored with an agent. */
import { and, asc, eq } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { agentScenarios, calls } from "../../store/schema/index.ts";

export function agentScenarioStore(queries: Queries) {
  const ofAgent = (tenantId: number, agentId: number) =>
    and(eq(agentScenarios.agentId, agentId), eq(agentScenarios.tenantId, tenantId));
  const shown = {
    id: agentScenarios.id,
    name: agentScenarios.name,
    yaml: agentScenarios.yaml,
    updatedAt: agentScenarios.updatedAt,
  };
  return {
    /** By name. */
    list: async (tenantId: number, agentId: number) =>
      await queries
        .select(shown)
        .from(agentScenarios)
        .where(ofAgent(tenantId, agentId))
        .orderBy(asc(agentScenarios.name)),

    async count(tenantId: number, agentId: number): Promise<number> {
      return await queries.$count(agentScenarios, ofAgent(tenantId, agentId));
    },

    /** Replaces the agent's scenario of the same name. */
    put: async (scenario: Omit<typeof agentScenarios.$inferInsert, "id">) =>
      await queries
        .insert(agentScenarios)
        .values(scenario)
        .onConflictDoUpdate({
          target: [agentScenarios.agentId, agentScenarios.name],
          set: {
            yaml: scenario.yaml,
            callUuid: scenario.callUuid ?? null,
            updatedAt: scenario.updatedAt,
          },
        })
        .returning(shown)
        .get(),

    /** True if the call has lost its transcript. False if it still has one, or the call is unknown. */
    async isCallExpired(tenantId: number, callUuid: string): Promise<boolean> {
      const row = await queries
        .select({ expiredAt: calls.transcriptExpiredAt })
        .from(calls)
        .where(and(eq(calls.tenantId, tenantId), eq(calls.callUuid, callUuid)))
        .get();
      return (row?.expiredAt ?? null) !== null;
    },

    /** Returns false if the scenario does not exist. */
    async remove(tenantId: number, agentId: number, id: number): Promise<boolean> {
      const removed = await queries
        .delete(agentScenarios)
        .where(and(ofAgent(tenantId, agentId), eq(agentScenarios.id, id)))
        .returning({ id: agentScenarios.id });
      return removed.length > 0;
    },
  };
}
