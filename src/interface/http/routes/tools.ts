/** GET /tools: they are made in the dashboard. */

import { toolStore } from "../../../adapter/store/tool-store.ts";
import { wireOf } from "../../../core/wire-names.ts";
import { route } from "../contract.ts";
import { listTools, Tool } from "../contracts/tools.ts";
import type { RouteContext } from "./context.ts";

export const toolRoutes = ({ dependencies: { database } }: RouteContext) => [
  route(listTools)(async ({ tenantId }) => {
    const tools = await toolStore(database.read).list(tenantId);
    return {
      ok: true,
      tools: tools.map((tool) => wireOf(Tool, tool)),
    };
  }),
];
