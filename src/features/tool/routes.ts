/** Tools (specification 4): read-only here, created in the dashboard. */

import { z } from "zod";
import { contract, route } from "../../http/contract.ts";
import { okReply } from "../../http/contracts/schema.ts";
import type { RouteContext } from "../../http/route-context.ts";
import { presentTool, Tool } from "./contract.ts";

export const listTools = contract({
  operationId: "listTools",
  at: "GET /tools",
  tag: "Tools",
  summary: "List tools",
  description: "Tools are created in the dashboard. Their secrets are never returned.",
  reply: okReply({ tools: z.array(Tool) }),
});

export const toolRoutes = ({ dependencies: { services } }: RouteContext) => [
  route(listTools)(async ({ tenantId }) => ({
    ok: true,
    tools: (await services.tools.list(tenantId)).map(presentTool),
  })),
];
