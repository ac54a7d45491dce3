/** GET /tools: they are made in the dashboard. */

import { toolStore } from "../../../adapter/store/tool-store.ts";
import { isoUtc } from "../../../core/clock.ts";
import { route } from "../contract.ts";
import { listTools } from "../contracts/tools.ts";
import type { RouteContext } from "./context.ts";

export const toolRoutes = ({ dependencies: { database } }: RouteContext) => [
  route(listTools)(async ({ tenantId }) => {
    const tools = await toolStore(database.read).list(tenantId);
    return {
      ok: true,
      tools: tools.map((tool) => ({
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
      })),
    };
  }),
];
