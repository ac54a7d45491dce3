/** Tools of the tenant's agents (specification 1): made here or by `linevoice tool`. */
import { z } from "zod";
import { changesOf } from "../../../../core/schema.ts";
import { newToolShape } from "../../../../domain/tool/tool-schema.ts";
import { deletedReply, field, okReply, shown } from "../../../contracts/schema.ts";
import { Tool } from "../../../contracts/tools.ts";
import { contract } from "../../contract.ts";

export const ToolResult = z
  .strictObject({
    ok: shown(z.boolean(), "Whether it answered well.", true),
    http_status: shown(z.int().nullable(), "Of the endpoint's answer; null: none came.", 200),
    duration_ms: shown(z.int(), "How long it took.", 120),
    output: shown(z.unknown(), "What the agent is told: the answer, or why it failed.", {
      free: true,
    }),
  })
  .meta({ id: "ToolResult" });

export const listTools = contract({
  operationId: "listTools",
  at: "GET /tools",
  tag: "Tools",
  summary: "List tools, without secrets",
  reply: okReply({ tools: z.array(Tool) }),
});

export const createTool = contract({
  operationId: "createTool",
  at: "POST /tools",
  tag: "Tools",
  summary: "Make a tool",
  body: z.strictObject(newToolShape).meta({ id: "NewTool" }),
  reply: okReply({ tool: Tool }),
  errors: ["conflict", "plan_limit_reached"],
});

export const getTool = contract({
  operationId: "getTool",
  at: "GET /tools/{id}",
  noun: "tool",
  tag: "Tools",
  summary: "One tool, without its secret",
  reply: okReply({ tool: Tool }),
});

export const updateTool = contract({
  operationId: "updateTool",
  at: "PATCH /tools/{id}",
  noun: "tool",
  tag: "Tools",
  summary: "Change a tool",
  description: "Live calls go on with the tool as it was when they began.",
  ignoredBodyFields: ["id", "created_at", "updated_at"],
  body: z.strictObject(changesOf(newToolShape)).meta({ id: "ToolChanges" }),
  reply: okReply({ tool: Tool }),
  errors: ["conflict"],
});

export const deleteTool = contract({
  operationId: "deleteTool",
  at: "DELETE /tools/{id}",
  noun: "tool",
  tag: "Tools",
  summary: "Delete a tool",
  reply: deletedReply(),
});

export const tryTool = contract({
  operationId: "tryTool",
  at: "POST /tools/{id}/try",
  weight: 5,
  noun: "tool",
  tag: "Tools",
  summary: "Run a tool now, as a call would",
  description:
    "Also a disabled one. `call_id` of the request is a fresh UUID, `caller.number` is empty and `caller.test` is true. A failure is a result, not an error.",
  body: z
    .strictObject({
      arguments: field(z.record(z.string(), z.unknown()), {
        description: "What the agent would send.",
        example: { day: "Monday" },
        must: "be a JSON object",
      }),
    })
    .meta({ id: "ToolTrial" }),
  reply: okReply({ result: ToolResult }),
});
