/** Agents: rows of `agents`, and the rows that refer to them. */
import { and, eq, getTableColumns } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import type { AgentRecords } from "../../domain/agent/agents.ts";
import { resetLegacyUrl } from "./endpoint-health-store.ts";
import { ownedBy, ownedRows } from "./owned-rows.ts";
import { arg, statement } from "./prepared.ts";
import { agents, schedules } from "./schema/index.ts";

const COLUMNS = getTableColumns(agents);

export async function hasAgent(
  queries: Queries,
  tenantId: number,
  agentId: number,
): Promise<boolean> {
  const row = await queries
    .select({ id: agents.id })
    .from(agents)
    .where(ownedBy(agents, tenantId, agentId))
    .get();
  return row !== undefined;
}

const findAgent = statement((queries) =>
  queries
    .select()
    .from(agents)
    .where(and(eq(agents.id, arg("id")), eq(agents.tenantId, arg("tenantId"))))
    .prepare(),
);

export function agentStore(queries: Queries): AgentRecords {
  const rows = ownedRows(queries, agents, COLUMNS);
  return {
    list: rows.list,
    count: rows.count,

    async find(tenantId, id) {
      return await findAgent(queries).get({ tenantId, id });
    },

    async insert(tenantId, agent) {
      if (agent.webhookUrl) await resetLegacyUrl(queries, tenantId, agent.webhookUrl);
      return rows.insert({ ...agent, tenantId });
    },

    async update(tenantId, id, changes) {
      if (changes.webhookUrl) await resetLegacyUrl(queries, tenantId, changes.webhookUrl);
      return rows.update(tenantId, id, changes);
    },

    async remove(tenantId, id) {
      if (!(await rows.remove(tenantId, id))) return false;
      // Foreign keys detach files and numbers; past entries keep the id as history.
      await queries
        .update(schedules)
        .set({ agentId: null })
        .where(
          and(
            eq(schedules.tenantId, tenantId),
            eq(schedules.agentId, id),
            eq(schedules.status, "pending"),
          ),
        );
      return true;
    },
  };
}
