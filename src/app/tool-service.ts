/** The operator's commands about tools, on src/domain/tool. */

import { toolStore } from "../adapter/store/tool-store.ts";
import { isoUtc } from "../core/clock.ts";
import { createTools, type ToolRecord, type ToolsDependencies } from "../domain/tool/tools.ts";
import type { ToolPort, ToolSummary } from "../interface/control/tool-port.ts";

const summaryOf = (tool: ToolRecord): ToolSummary => ({
  id: tool.id,
  name: tool.name,
  description: tool.description,
  url: tool.url,
  secret_header: tool.secretHeader,
  agent_id: tool.agentId,
  parameters: tool.parameters,
  enabled: tool.enabled,
  caller_level: tool.callerLevel,
  created_at: isoUtc(tool.createdAt),
  updated_at: isoUtc(tool.updatedAt),
});

/** `requireTenant` throws not_found. */
export function createToolService(
  deps: Omit<ToolsDependencies, "records">,
  requireTenant: (tenantId: number) => Promise<unknown>,
): ToolPort {
  const tools = createTools({ ...deps, records: toolStore });
  return {
    async create({
      tenant,
      agent,
      secret_header: secretHeader,
      caller_level: callerLevel,
      ...draft
    }) {
      await requireTenant(tenant);
      return summaryOf(
        await tools.create(tenant, { ...draft, secretHeader, callerLevel, agentId: agent }),
      );
    },
    async list(tenant) {
      await requireTenant(tenant);
      return (await tools.list(tenant)).map(summaryOf);
    },
    async remove(tenant, id) {
      await tools.remove(tenant, id);
      return { id, deleted: true };
    },
  };
}
