/** Tools (specification 4): read only here, made in the dashboard. */
import { z } from "zod";
import { okReply } from "../../contracts/schema.ts";
import { Tool } from "../../contracts/tools.ts";
import { contract } from "../contract.ts";

export const listTools = contract({
  operationId: "listTools",
  at: "GET /tools",
  tag: "Tools",
  summary: "List tools",
  description: "Tools are created in the dashboard only. Their secrets are never returned.",
  reply: okReply({ tools: z.array(Tool) }),
});
