/** Agents: rows of `agents`, and the rows that refer to them. */
import { and, desc, eq, getTableColumns } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { ownedBy, ownedRows } from "../../store/query/owned-rows.ts";
import { arg, statement } from "../../store/query/prepared.ts";
import { agents, schedules } from "../../store/schema/index.ts";
import { resetLegacyUrl } from "../webhook/endpoint-health-store.ts";
import { deleteUnusedTexts, recordVersions } from "./agent-version-store.ts";
import type { AgentRecords } from "./agents.ts";

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

    async insert(tenantId, agent, note) {
      if (agent.webhookUrl) await resetLegacyUrl(queries, tenantId, agent.webhookUrl);
      await queries.insert(agents).values({ ...agent, tenantId });
      await recordVersions(queries, tenantId, null, note);
      const newest = queries.select().from(agents).where(eq(agents.tenantId, tenantId));
      const row = await newest.orderBy(desc(agents.id)).limit(1).get();
      if (!row) throw new Error("insert left no row");
      return row;
    },

    async update(tenantId, id, changes, note) {
      if (changes.webhookUrl) await resetLegacyUrl(queries, tenantId, changes.webhookUrl);
      await queries
        .update(agents)
        .set(changes)
        .where(ownedBy(agents, tenantId, id));
      await recordVersions(queries, tenantId, id, note);
      return await findAgent(queries).get({ tenantId, id });
    },

    async remove(tenantId, id) {
      if (!(await rows.remove(tenantId, id))) return false;
      await deleteUnusedTexts(queries, tenantId);
      // Foreign keys detach files and numbers. Past schedule entries keep the id as history.
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
