/** Tools (specification 4): read-only here, created in the dashboard. */

import { z } from "zod";
import { okReply } from "../../contracts/schema.ts";
import { presentTool, Tool } from "../../contracts/tools.ts";
import { contract, route } from "../contract.ts";
import type { RouteContext } from "./context.ts";

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
