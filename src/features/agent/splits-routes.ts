/** Splits of an agent's callers between two versions (decisions 3): open, compare, close. */
import { z } from "zod";
import { authorOf, contract, route } from "../../http/contract.ts";
import { field, integer, okReply, shown } from "../../http/contracts/schema.ts";
import type { RouteContext } from "../../http/route-context.ts";
import { AgentSplitOut, presentSplit } from "./splits-contract.ts";
import { presentPublished, publishedShape } from "./versions-contract.ts";

const tag = "Agents";
const noun = "agent";

const reply = okReply({
  split: shown(AgentSplitOut.nullable(), "The newest split. `null` if there was none."),
});

export const getSplit = contract({
  operationId: "getAgentSplit",
  at: "GET /agents/{id}/split",
  tag,
  noun,
  summary: "Compare the versions that share an agent's callers",
  description:
    "The newest split, open or closed. Intervals are 95 % confidence intervals: Wilson for shares, Student for means, order statistics for percentiles. `noise` shows whether the difference may be chance.",
  reply,
});

export const openSplit = contract({
  operationId: "openAgentSplit",
  at: "POST /agents/{id}/split",
  tag,
  noun,
  summary: "Share an agent's callers between two versions",
  description:
    "The same caller always gets the same version. For outbound calls, the called number decides. Calls without caller ID get a random version. Publishing a version closes the split. Returns 409 while a split is open.",
  body: z
    .strictObject({
      version: field(z.union([z.int().positive(), z.literal("draft")]), {
        description:
          "Version under test: a number, or `draft`. The draft is then stored as a version.",
        example: 2,
        must: "be a version's number, or draft",
      }),
      percent: integer(1, 99, "Percentage of callers that get the version under test.", 20),
    })
    .meta({ id: "NewAgentSplit" }),
  reply,
  errors: ["conflict"],
});

export const closeSplit = contract({
  operationId: "closeAgentSplit",
  at: "POST /agents/{id}/split/close",
  tag,
  noun,
  summary: "Close the split and choose a version",
  description: "If you choose the version under test, it is published.",
  body: z
    .strictObject({
      keep: field(z.int().positive(), {
        description: "Number of the version for all callers: one of the two versions.",
        example: 3,
        must: "be the number of one of the two versions",
      }),
    })
    .meta({ id: "AgentSplitEnd" }),
  reply: okReply(publishedShape),
  errors: ["plan_limit_reached", "conflict"],
});

export const agentSplitRoutes = ({ dependencies: { services } }: RouteContext) => {
  const { agentSplits: splits } = services;
  return [
    route(getSplit)(async ({ tenantId, params }) => {
      const split = await splits.get(tenantId, params.id);
      return { ok: true, split: split && presentSplit(split) };
    }),
    route(openSplit)(async ({ tenantId, params, body, ...request }) => {
      const split = await splits.open(tenantId, params.id, body, authorOf(request));
      return { ok: true, split: split && presentSplit(split) };
    }),
    route(closeSplit)(async ({ tenantId, params, body, ...request }) => {
      const author = authorOf(request);
      const published = await splits.close(tenantId, params.id, body.keep, author);
      return { ok: true, ...presentPublished(published) };
    }),
  ];
};
