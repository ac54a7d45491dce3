/** Tools: rows of `tools`. Secrets are written, never returned. */
import { and, asc, eq } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import type { ToolRecords } from "../../domain/tool/tools.ts";
import { agents, tools } from "./schema/index.ts";

const COLUMNS = {
  id: tools.id,
  name: tools.name,
  description: tools.description,
  url: tools.url,
  secretHeader: tools.secretHeader,
  agentId: tools.agentId,
  parameters: tools.parameters,
  enabled: tools.enabled,
  callerLevel: tools.callerLevel,
  createdAt: tools.createdAt,
  updatedAt: tools.updatedAt,
};

export function toolStore(queries: Queries): ToolRecords {
  const own = (tenantId: number, id: number) => and(eq(tools.id, id), eq(tools.tenantId, tenantId));

  return {
    async list(tenantId) {
      return await queries
        .select(COLUMNS)
        .from(tools)
        .where(eq(tools.tenantId, tenantId))
        .orderBy(asc(tools.id));
    },

    async find(tenantId, id) {
      return await queries.select(COLUMNS).from(tools).where(own(tenantId, id)).get();
    },

    async idOf(tenantId, name) {
      const row = await queries
        .select({ id: tools.id })
        .from(tools)
        .where(and(eq(tools.tenantId, tenantId), eq(tools.name, name)))
        .get();
      return row?.id ?? null;
    },

    async hasAgent(tenantId, agentId) {
      const row = await queries
        .select({ id: agents.id })
        .from(agents)
        .where(and(eq(agents.id, agentId), eq(agents.tenantId, tenantId)))
        .get();
      return row !== undefined;
    },

    async insert(tenantId, tool) {
      const [row] = await queries
        .insert(tools)
        .values({ ...tool, tenantId, secretSealed: "" })
        .returning(COLUMNS);
      if (!row) throw new Error("insert answered no row");
      return row;
    },

    async setSecret(tenantId, id, sealed) {
      await queries.update(tools).set({ secretSealed: sealed }).where(own(tenantId, id));
    },

    async update(tenantId, id, changes) {
      const [row] = await queries
        .update(tools)
        .set(changes)
        .where(own(tenantId, id))
        .returning(COLUMNS);
      return row;
    },

    async remove(tenantId, id) {
      const rows = await queries.delete(tools).where(own(tenantId, id)).returning({ id: tools.id });
      return rows.length > 0;
    },
  };
}
