/** Tools: the shape shared by REST, dashboard and `linevoice tool`, and the operator's operations. */
import { z } from "zod";
import { shownFields } from "../../core/schema.ts";
import { recordOf, wireOf } from "../../core/wire-names.ts";
import { id, ofTenant, operation } from "../../http/contracts/operation.ts";
import { idOut, shown, timeOut } from "../../http/contracts/schema.ts";
import { storedSchemaProblem } from "./tool-rules.ts";
import { newToolShape, toolShape } from "./tool-schema.ts";
import type { ToolRecord } from "./tools.ts";

export const Tool = z
  .strictObject({
    id: idOut("tool"),
    ...shownFields(toolShape),
    problem: shown(
      z.string().nullable(),
      "Reason why agents can't use the tool: it breaks a newer rule. `null` if there is no problem.",
      null,
    ),
    created_at: timeOut("Time of creation."),
    updated_at: timeOut("Time of the last change."),
  })
  .meta({ id: "Tool" });

export const presentTool = (tool: ToolRecord) =>
  wireOf(Tool, { ...tool, problem: storedSchemaProblem(tool.parameters) });

export const toolOperations = {
  "tool.create": operation({
    input: z.strictObject({ tenant: id, ...newToolShape }),
    output: Tool,
    role: "member",
    run: async ({ tenants, tools }, { tenant, ...draft }) => {
      await tenants.require(tenant);
      return presentTool(await tools.create(tenant, recordOf(draft)));
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
