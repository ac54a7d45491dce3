/** Agents: rows of `agents`, and the rows that refer to them. */
import { and, asc, count, eq, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import type { AgentRecords } from "../../domain/agent/agents.ts";
import { resetLegacyUrl } from "./endpoint-health-store.ts";
import { prepared } from "./prepared.ts";
import { agents, schedules } from "./schema/index.ts";

export function agentStore(queries: Queries): AgentRecords {
  const own = (tenantId: number, id: number) =>
    and(eq(agents.id, id), eq(agents.tenantId, tenantId));

  return {
    async list(tenantId) {
      return await queries
        .select()
        .from(agents)
        .where(eq(agents.tenantId, tenantId))
        .orderBy(asc(agents.id));
    },

    async find(tenantId, id) {
      const statement = prepared(queries, "agents.find", () =>
        queries
          .select()
          .from(agents)
          .where(
            and(
              eq(agents.id, sql.placeholder("id")),
              eq(agents.tenantId, sql.placeholder("tenantId")),
            ),
          )
          .prepare(),
      );
      return await statement.get({ tenantId, id });
    },

    async count(tenantId) {
      const row = await queries
        .select({ n: count() })
        .from(agents)
        .where(eq(agents.tenantId, tenantId))
        .get();
      return row?.n ?? 0;
    },

    async insert(tenantId, agent) {
      if (agent.webhookUrl) await resetLegacyUrl(queries, tenantId, agent.webhookUrl);
      const [row] = await queries
        .insert(agents)
        .values({ ...agent, tenantId })
        .returning();
      if (!row) throw new Error("insert answered no row");
      return row;
    },

    async update(tenantId, id, changes) {
      if (changes.webhookUrl) await resetLegacyUrl(queries, tenantId, changes.webhookUrl);
      const [row] = await queries.update(agents).set(changes).where(own(tenantId, id)).returning();
      return row;
    },

    async remove(tenantId, id) {
      const [row] = await queries
        .delete(agents)
        .where(own(tenantId, id))
        .returning({ id: agents.id });
      if (!row) return false;
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
