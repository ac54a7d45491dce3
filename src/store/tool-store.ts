/** Tools as GET /tools shows them: without their secrets. */
import { asc, eq } from "drizzle-orm";
import type { Queries } from "./database.ts";
import { tools } from "./schema/index.ts";

export function toolStore(queries: Queries) {
  return {
    async list(tenantId: number) {
      return await queries
        .select({
          id: tools.id,
          name: tools.name,
          description: tools.description,
          url: tools.url,
          secretHeader: tools.secretHeader,
          agentId: tools.agentId,
          parameters: tools.parameters,
          enabled: tools.enabled,
          createdAt: tools.createdAt,
          updatedAt: tools.updatedAt,
        })
        .from(tools)
        .where(eq(tools.tenantId, tenantId))
        .orderBy(asc(tools.id));
    },
  };
}
