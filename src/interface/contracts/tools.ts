/** Tools: the shape that REST, dashboard and `linevoice tool` share, and the operator's operations. */
import { z } from "zod";
import type { JsonObject } from "../../core/json.ts";
import { wireOf } from "../../core/wire-names.ts";
import type { ToolRecord } from "../../domain/tool/tools.ts";
import { id, ofTenant, operation } from "./operation.ts";
import { idOut, shown, timeOut } from "./schema.ts";

export const Tool = z
  .strictObject({
    id: idOut("tool"),
    name: shown(z.string(), "Name the agent calls it by.", "find_booking"),
    description: shown(z.string(), "What it does, told to the agent.", "Finds a booking."),
    url: shown(z.string(), "Where it is POSTed to.", "https://example.com/tools/find-booking"),
    secret_header: shown(z.string(), "Name of the header with your secret.", "X-Tool-Secret"),
    agent_id: shown(z.int().nullable(), "The only agent that may use it; null: every.", null),
    parameters: shown(z.record(z.string(), z.unknown()), "JSON Schema of its arguments.", {
      type: "object",
    }),
    enabled: shown(z.boolean(), "Whether agents may use it.", true),
    caller_level: shown(
      z.literal([0, 1, 2]),
      "How sure it must be who the caller is: 0 anybody, 1 the number is a contact's, 2 and its PIN was keyed.",
      0,
    ),
    created_at: timeOut("When it was made."),
    updated_at: timeOut("When it was last changed."),
  })
  .meta({ id: "Tool" });

export const presentTool = (tool: ToolRecord) => wireOf(Tool, tool);

export const toolOperations = {
  "tool.create": operation({
    input: z.strictObject({
      tenant: id,
      name: z.string().max(500),
      description: z.string().max(10_000),
      url: z.string().max(5000),
      secret_header: z.string().max(500),
      secret: z.string().max(5000),
      agent: shown(id.nullable(), "null: every agent of the tenant."),
      parameters: z.record(z.string(), z.json()),
      enabled: z.boolean(),
      caller_level: z.literal([0, 1, 2]).default(0),
    }),
    output: Tool,
    role: "member",
    run: async ({ tenants, tools }, { tenant, agent, ...draft }) => {
      await tenants.require(tenant);
      const { secret_header: secretHeader, caller_level: callerLevel, ...fields } = draft;
      const tool = await tools.create(tenant, {
        ...{ ...fields, secretHeader, callerLevel, agentId: agent },
        parameters: draft.parameters as JsonObject,
      });
      return presentTool(tool);
    },
  }),
  "tool.list": operation({
    input: ofTenant,
    output: z.array(Tool),
    role: "viewer",
    run: async ({ tenants, tools }, { tenant }) => {
      await tenants.require(tenant);
      return (await tools.list(tenant)).map(presentTool);
    },
  }),
  "tool.delete": operation({
    input: z.strictObject({ tenant: id, id }),
    output: z.strictObject({ id, deleted: z.literal(true) }),
    role: "member",
    run: async ({ tools }, { tenant, id: tool }) => {
      await tools.remove(tenant, tool);
      return { id: tool, deleted: true as const };
    },
  }),
} as const;
