/** Tools: rows of `tools`. Secrets are written, never returned. */
import { and, eq, getTableColumns } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { ownedBy, ownedRows } from "../../store/query/owned-rows.ts";
import { tools } from "../../store/schema/index.ts";
import { hasAgent } from "../agent/agent-store.ts";
import { recordVersions } from "../agent/agent-version-store.ts";
import type { ToolRecords } from "./tools.ts";

const { tenantId, secretSealed, ...COLUMNS } = getTableColumns(tools);

export function toolStore(queries: Queries): ToolRecords {
  const rows = ownedRows(queries, tools, COLUMNS);
  return {
    ...rows,
    recordVersions: (tenantId, note) => recordVersions(queries, tenantId, null, note),
    insert: (tenantId, tool) => rows.insert({ ...tool, tenantId, secretSealed: "" }),
    hasAgent: (tenantId, agentId) => hasAgent(queries, tenantId, agentId),

    async idOf(tenantId, name) {
      const row = await queries
        .select({ id: tools.id })
        .from(tools)
        .where(and(eq(tools.tenantId, tenantId), eq(tools.name, name)))
        .get();
      return row?.id ?? null;
    },

    async setSecret(tenantId, id, sealed) {
      await queries
        .update(tools)
        .set({ secretSealed: sealed })
        .where(ownedBy(tools, tenantId, id));
    },
  };
}
