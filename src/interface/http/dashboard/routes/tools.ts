/** Tools over HTTP: fields renamed, rules in tool/. */

import { quotaStore } from "../../../../adapter/store/quota-store.ts";
import { toolStore } from "../../../../adapter/store/tool-store.ts";
import { isoUtc } from "../../../../core/clock.ts";
import { uuidV7 } from "../../../../core/ids.ts";
import type { JsonObject } from "../../../../core/json.ts";
import { createQuotas } from "../../../../domain/billing/quotas.ts";
import { createTools, type ToolChanges, type ToolRecord } from "../../../../domain/tool/tools.ts";
import { route } from "../../contract.ts";
import { renamed } from "../../routes/present.ts";
import * as contracts from "../contracts/tools.ts";
import type { ProductContext } from "./context.ts";

const FIELDS = {
  name: "name",
  description: "description",
  url: "url",
  secret_header: "secretHeader",
  secret: "secret",
  agent_id: "agentId",
  parameters: "parameters",
  enabled: "enabled",
  caller_level: "callerLevel",
} as const;

const present = (tool: ToolRecord) => ({
  id: tool.id,
  name: tool.name,
  description: tool.description,
  url: tool.url,
  secret_header: tool.secretHeader,
  agent_id: tool.agentId,
  parameters: tool.parameters,
  enabled: tool.enabled,
  caller_level: tool.callerLevel,
  created_at: isoUtc(tool.createdAt),
  updated_at: isoUtc(tool.updatedAt),
});

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
      const { name, description, url, secret } = body;
      const tool = await tools.create(tenantId, {
        ...{ name, description, url, secret, secretHeader: body.secret_header },
        ...(body.agent_id === undefined ? {} : { agentId: body.agent_id }),
        ...(body.enabled === undefined ? {} : { enabled: body.enabled }),
        ...(body.caller_level === undefined ? {} : { callerLevel: body.caller_level }),
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
      tool: present(await tools.update(tenantId, params.id, renamed<ToolChanges>(body, FIELDS))),
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
