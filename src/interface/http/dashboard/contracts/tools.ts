/** Tools of the tenant's agents (specification 1): made here or by `linevoice tool`. */
import { z } from "zod";
import { deletedReply, field, httpsUrl, idIn, okReply, shown } from "../../../contracts/schema.ts";
import { Tool } from "../../../contracts/tools.ts";
import { contract } from "../../contract.ts";

const toolFields = {
  name: field(z.string().regex(/^[a-z][a-z0-9_]{0,63}$/), {
    description: "Name the agent calls it by; one of its kind in the tenant.",
    example: "find_booking",
    must: "be 1 to 64 characters: lower-case letters, digits and underscores, beginning with a letter",
  }),
  description: field(z.string().min(1).max(1024).regex(/\S/), {
    description: "What it does and when to use it, told to the agent.",
    example: "Finds a booking by name and day.",
    must: "be text of 1 to 1024 characters",
  }),
  url: httpsUrl("Where it is POSTed to."),
  secret_header: field(z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/), {
    description: "Name of the header that carries your secret.",
    example: "X-Tool-Secret",
    must: "be an HTTP header's name of at most 64 characters that is not one of HTTP's own",
  }),
  secret: field(
    z
      .string()
      .min(1)
      .max(512)
      .regex(/^[\x21-\x7e]+$/),
    {
      description: "Sent in that header. Never returned.",
      example: "a-long-random-text",
      must: "be 1 to 512 visible ASCII characters without spaces",
    },
  ),
  agent_id: idIn("agents").nullable(),
  parameters: field(z.record(z.string(), z.unknown()), {
    description: "JSON Schema of an object: the arguments.",
    example: { type: "object", properties: { day: { type: "string" } }, required: ["day"] },
    must: "be a JSON Schema of an object, at most 16 KiB",
  }),
  enabled: field(z.boolean(), {
    description: "Whether agents may use it.",
    example: true,
    must: "be true or false",
  }),
  caller_level: field(z.literal([0, 1, 2]), {
    description:
      "How sure it must be who the caller is: 0 anybody, 1 the number is a contact's, 2 and its PIN was keyed.",
    example: 0,
    must: "be 0, 1 or 2",
  }),
};

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
  method: "GET",
  path: "/tools",
  tag: "Tools",
  summary: "List tools, without secrets",
  reply: okReply({ tools: z.array(Tool) }),
  errors: [],
});

export const createTool = contract({
  operationId: "createTool",
  method: "POST",
  path: "/tools",
  tag: "Tools",
  summary: "Make a tool",
  body: z
    .strictObject({
      ...toolFields,
      agent_id: toolFields.agent_id.optional(),
      enabled: toolFields.enabled.optional(),
      caller_level: toolFields.caller_level.optional(),
    })
    .meta({ id: "NewTool" }),
  reply: okReply({ tool: Tool }),
  errors: ["conflict", "plan_limit_reached"],
});

export const getTool = contract({
  operationId: "getTool",
  method: "GET",
  path: "/tools/{id}",
  noun: "tool",
  tag: "Tools",
  summary: "One tool, without its secret",
  reply: okReply({ tool: Tool }),
  errors: [],
});

export const updateTool = contract({
  operationId: "updateTool",
  method: "PATCH",
  path: "/tools/{id}",
  noun: "tool",
  tag: "Tools",
  summary: "Change a tool",
  description: "Live calls go on with the tool as it was when they began.",
  ignoredBodyFields: ["id", "created_at", "updated_at"],
  body: z.strictObject(toolFields).partial().meta({ id: "ToolChanges" }),
  reply: okReply({ tool: Tool }),
  errors: ["conflict"],
});

export const deleteTool = contract({
  operationId: "deleteTool",
  method: "DELETE",
  path: "/tools/{id}",
  noun: "tool",
  tag: "Tools",
  summary: "Delete a tool",
  reply: deletedReply(),
  errors: [],
});

export const tryTool = contract({
  operationId: "tryTool",
  weight: 5,
  method: "POST",
  path: "/tools/{id}/try",
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
  errors: [],
});
