/** GET /tools: they are made in the dashboard. */

import { presentTool } from "../../contracts/tools.ts";
import { route } from "../contract.ts";
import { listTools } from "../contracts/tools.ts";
import type { RouteContext } from "./context.ts";

export const toolRoutes = ({ dependencies: { services } }: RouteContext) => [
  route(listTools)(async ({ tenantId }) => ({
    ok: true,
    tools: (await services.tools.list(tenantId)).map(presentTool),
  })),
];
