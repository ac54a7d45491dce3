/** Tools of the tenant's agents (specification 1), created here or by `linevoice tool`. */

import { z } from "zod";
import { uuidV7 } from "../../core/ids.ts";
import type { JsonObject } from "../../core/json.ts";
import { changesOf } from "../../core/schema.ts";
import { recordOf } from "../../core/wire-names.ts";
import { authorOf, contract, route } from "../../http/contract.ts";
import { deletedReply, field, okReply, shown } from "../../http/contracts/schema.ts";
import type { ProductContext } from "../../http/dashboard-context.ts";
import { presentTool, Tool } from "./contract.ts";
import { newToolShape } from "./tool-schema.ts";

export const ToolResult = z
  .strictObject({
    ok: shown(z.boolean(), "Whether the tool call succeeded.", true),
    http_status: shown(
      z.int().nullable(),
      "HTTP status of the endpoint's response. `null` if there was none.",
      200,
    ),
    duration_ms: shown(z.int(), "Duration in ms.", 120),
    output: shown(
      z.unknown(),
      "Result as the agent gets it: the response, or the reason of the failure.",
      {
        free: true,
      },
    ),
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
  recordsChanges: true,
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
  recordsChanges: true,
  at: "PATCH /tools/{id}",
  noun: "tool",
  tag: "Tools",
  summary: "Change a tool",
  description: "Live calls continue to use the tool as it was at their start.",
  body: z.strictObject(changesOf(newToolShape)).meta({ id: "ToolChanges" }),
  reply: okReply({ tool: Tool }),
  errors: ["conflict"],
});

export const deleteTool = contract({
  operationId: "deleteTool",
  recordsChanges: true,
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
  summary: "Try a tool",
  description:
    "Sends the request of a real call. Also works for a disabled tool. `call_id` is a new UUID, `caller.number` is empty and `caller.test` is true. If the tool fails, the response is still 200 and contains the reason.",
  body: z
    .strictObject({
      arguments: field(z.record(z.string(), z.unknown()), {
        description: "Arguments that the agent would send.",
        example: { day: "Monday" },
        must: "be a JSON object",
      }),
    })
    .meta({ id: "ToolTrial" }),
  reply: okReply({ result: ToolResult }),
});

export const toolRoutes = ({ dependencies, parts }: ProductContext) => {
  const { services, clock, random } = dependencies;
  const { tools } = services;
  const { toolRunner } = parts;
  return [
    route(listTools)(async ({ tenantId }) => ({
      ok: true,
      tools: (await tools.list(tenantId)).map(presentTool),
    })),
    route(createTool)(async ({ tenantId, body, ...request }) => {
      const tool = await tools.create(tenantId, recordOf(body), authorOf(request));
      return { ok: true, tool: presentTool(tool) };
    }),
    route(getTool)(async ({ tenantId, params }) => ({
      ok: true,
      tool: presentTool(await tools.get(tenantId, params.id)),
    })),
    route(updateTool)(async ({ tenantId, params, body, ...request }) => {
      const author = authorOf(request);
      const tool = await tools.update(tenantId, params.id, recordOf(body), author);
      return { ok: true, tool: presentTool(tool) };
    }),
    route(deleteTool)(async ({ tenantId, params, ...request }) => {
      await tools.remove(tenantId, params.id, authorOf(request));
      return { ok: true, id: params.id, deleted: true };
    }),
    route(tryTool)(async ({ tenantId, params, body }) => {
      const result = await toolRunner.trial(tenantId, params.id, {
        callUuid: uuidV7(clock, random),
        arguments: body.arguments as JsonObject,
      });
      return {
        ok: true,
        result: {
          ok: result.ok,
          http_status: result.httpStatus,
          duration_ms: Math.round(result.durationMs),
          output: result.output,
        },
      };
    }),
  ];
};
