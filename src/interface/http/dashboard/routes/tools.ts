/** Tools over HTTP: fields renamed, rules in tool/. */

import { uuidV7 } from "../../../../core/ids.ts";
import type { JsonObject } from "../../../../core/json.ts";
import { recordOf } from "../../../../core/wire-names.ts";
import { presentTool } from "../../../contracts/tools.ts";
import { route } from "../../contract.ts";
import * as contracts from "../contracts/tools.ts";
import type { ProductContext } from "./context.ts";

export const toolRoutes = ({ dependencies, parts }: ProductContext) => {
  const { services, clock, random } = dependencies;
  const { tools } = services;
  const { toolRunner } = parts;
  return [
    route(contracts.listTools)(async ({ tenantId }) => ({
      ok: true,
      tools: (await tools.list(tenantId)).map(presentTool),
    })),
    route(contracts.createTool)(async ({ tenantId, body }) => {
      return { ok: true, tool: presentTool(await tools.create(tenantId, recordOf(body))) };
    }),
    route(contracts.getTool)(async ({ tenantId, params }) => ({
      ok: true,
      tool: presentTool(await tools.get(tenantId, params.id)),
    })),
    route(contracts.updateTool)(async ({ tenantId, params, body }) => ({
      ok: true,
      tool: presentTool(await tools.update(tenantId, params.id, recordOf(body))),
    })),
    route(contracts.deleteTool)(async ({ tenantId, params }) => {
      await tools.remove(tenantId, params.id);
      return { ok: true, id: params.id, deleted: true };
    }),
    route(contracts.tryTool)(async ({ tenantId, params, body }) => {
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
