/** The endpoint of a tool. */
import { and, eq } from "drizzle-orm";
import type { ToolTargets } from "../../domain/tool/stores.ts";
import { tools } from "./schema/agents.ts";

const TARGET = {
  id: tools.id,
  url: tools.url,
  secretHeader: tools.secretHeader,
  secretSealed: tools.secretSealed,
  parameters: tools.parameters,
  callerLevel: tools.callerLevel,
};

export const toolTargetStore: ToolTargets = (queries) => ({
  async find(tenantId, name) {
    const found = await queries
      .select(TARGET)
      .from(tools)
      .where(and(eq(tools.tenantId, tenantId), eq(tools.name, name), eq(tools.enabled, true)));
    return found[0] ?? null;
  },

  async byId(tenantId, id) {
    const found = await queries
      .select({ ...TARGET, name: tools.name })
      .from(tools)
      .where(and(eq(tools.tenantId, tenantId), eq(tools.id, id)));
    return found[0] ?? null;
  },
});
