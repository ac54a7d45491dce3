/** Tools over HTTP: fields renamed, rules in tool/. */

import { quotaStore } from "../../../../adapter/store/quota-store.ts";
import { toolStore } from "../../../../adapter/store/tool-store.ts";
import { uuidV7 } from "../../../../core/ids.ts";
import type { JsonObject } from "../../../../core/json.ts";
import { recordOf, wireOf } from "../../../../core/wire-names.ts";
import { createQuotas } from "../../../../domain/billing/quotas.ts";
import { createTools, type ToolChanges, type ToolRecord } from "../../../../domain/tool/tools.ts";
import { route } from "../../contract.ts";
import { Tool } from "../../contracts/tools.ts";
import * as contracts from "../contracts/tools.ts";
import type { ProductContext } from "./context.ts";

const present = (tool: ToolRecord) => wireOf(Tool, tool);

export const toolRoutes = ({ dependencies, parts }: ProductContext) => {
  const { database, vault, clock, random, urlProblem } = dependencies;
  const { toolRunner } = parts;
  const tools = createTools({
    ...{ database, records: toolStore, vault, clock, urlProblem },
    quotas: createQuotas(dependencies.billing, quotaStore),
  });
  return [
    route(contracts.listTools)(async ({ tenantId }) => ({
      ok: true,
      tools: (await tools.list(tenantId)).map(present),
    })),
    route(contracts.createTool)(async ({ tenantId, body }) => {
      const tool = await tools.create(tenantId, {
        ...recordOf(body),
        parameters: body.parameters as JsonObject,
      });
      return { ok: true, tool: present(tool) };
    }),
    route(contracts.getTool)(async ({ tenantId, params }) => ({
      ok: true,
      tool: present(await tools.get(tenantId, params.id)),
    })),
    route(contracts.updateTool)(async ({ tenantId, params, body }) => ({
      ok: true,
      tool: present(await tools.update(tenantId, params.id, recordOf(body) as ToolChanges)),
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
