/** Versions of agents (decisions 3): list, show, compare, republish; and the draft. */
import { z } from "zod";
import { changesOf } from "../../core/schema.ts";
import { recordOf } from "../../core/wire-names.ts";
import { authorOf, contract, route } from "../../http/contract.ts";
import { deletedReply, field, flag, okReply, page, shown } from "../../http/contracts/schema.ts";
import type { RouteContext } from "../../http/route-context.ts";
import { content, filename } from "../knowledge/routes.ts";
import { toolShape } from "../tool/tool-schema.ts";
import { AGENT_VOICES } from "./agent.ts";
import { agentShape } from "./agent-schema.ts";
import type { AgentVersions } from "./agent-versions.ts";
import {
  AgentDraftContent,
  AgentVersion,
  AgentVersionContent,
  presentComparison,
  presentDraft,
  presentPublished,
  presentVersion,
  presentVersionContent,
  publishedShape,
  VersionComparison,
} from "./versions-contract.ts";

const tag = "Agents";
const noun = "agent";

export const listVersions = contract({
  operationId: "listAgentVersions",
  at: "GET /agents/{id}/versions",
  tag,
  noun,
  summary: "List an agent's versions",
  description: "Versions, newest first. Only the 50 newest are stored.",
  query: z.strictObject({ limit: page.limit(25, 50), offset: page.offset() }),
  reply: okReply({ versions: z.array(AgentVersion) }),
});

export const getVersion = contract({
  operationId: "getAgentVersion",
  at: "GET /agents/{id}/versions/{number}",
  tag,
  noun,
  summary: "One version with its content",
  reply: okReply({ version: AgentVersionContent }),
});

export const publishVersion = contract({
  operationId: "publishAgentVersion",
  at: "POST /agents/{id}/versions/{number}/publish",
  tag,
  noun,
  summary: "Roll back: publish a version again",
  description:
    "Stores the old content as a new version and publishes it. Restores the agent's files and tools. Files and tools that other agents use stay unchanged for those agents.",
  reply: okReply(publishedShape),
  errors: ["plan_limit_reached", "conflict"],
});

const numberOrDraft = field(z.string().regex(/^(?:[1-9]\d{0,8}|draft)$/), {
  description: "Number of the newer version, or `draft`.",
  example: "1",
  must: "be a version's number, or draft",
});

export const compareVersions = contract({
  operationId: "compareAgentVersions",
  at: "GET /agents/{id}/comparison",
  weight: 10,
  tag,
  noun,
  summary: "Compare two versions word by word",
  query: z.strictObject({
    from: field(z.int().positive(), {
      description:
        "Number of the older version. Default: the published version. A deleted version counts as empty.",
      example: 1,
      must: "be a version's number",
    }).optional(),
    to: numberOrDraft.default("draft"),
  }),
  reply: okReply(VersionComparison.shape),
});

const publishesRehearsed = shown(
  z.boolean(),
  "Whether a draft can be published only after its last rehearsal passed.",
  false,
);

export const getDraft = contract({
  operationId: "getAgentDraft",
  at: "GET /agents/{id}/draft",
  tag,
  noun,
  summary: "The draft of an agent",
  reply: okReply({
    draft: shown(AgentDraftContent.nullable(), "The draft. `null` if there is none.", null),
    publishes_rehearsed: publishesRehearsed,
  }),
});

const { agent_id, enabled, ...toolFields } = toolShape;

export const changeDraft = contract({
  operationId: "updateAgentDraft",
  at: "PATCH /agents/{id}/draft",
  tag,
  noun,
  summary: "Change the draft, or create one",
  description:
    "Accepts any subset of the agent's fields. `files` and `tools` replace all files and tools of the draft, except tools shared by all agents. If there is no draft, one is copied from the published version. Calls continue to use the published version.",
  body: z
    .strictObject({
      ...changesOf(agentShape(AGENT_VOICES)),
      files: field(z.array(z.strictObject({ filename, content })).max(1000), {
        description: "Complete list of the agent's knowledge files, with their texts.",
        example: [{ filename: "prices.md", content: "# Prices\n" }],
        must: "be a list of files with `filename` and `content`",
      }).optional(),
      tools: field(z.array(z.strictObject(toolFields)).max(1000), {
        description: "Complete list of the agent's tools, without secrets and shared tools.",
        example: [],
        must: "be a list of tools",
      }).optional(),
    })
    .meta({ id: "AgentDraftChanges" }),
  reply: okReply({ draft: AgentDraftContent }),
  errors: ["unknown_field", "invalid_json", "valid_content_required"],
});

export const discardDraft = contract({
  operationId: "deleteAgentDraft",
  at: "DELETE /agents/{id}/draft",
  tag,
  noun,
  summary: "Discard the draft",
  reply: deletedReply(),
});

export const changePublishing = contract({
  operationId: "updateAgentPublishing",
  at: "PATCH /agents/{id}/publishing",
  tag,
  noun,
  summary: "Require a passed rehearsal before publishing",
  description:
    "Applies to drafts only. `PATCH /agents/{id}` and rolling back still publish at once.",
  body: z
    .strictObject({
      publishes_rehearsed: flag(
        "Whether a draft can be published only after its last rehearsal passed.",
        true,
      ),
    })
    .meta({ id: "AgentPublishing" }),
  reply: okReply({ publishes_rehearsed: publishesRehearsed }),
  errors: ["unknown_field", "invalid_json"],
});

export const publishDraft = contract({
  operationId: "publishAgentDraft",
  at: "POST /agents/{id}/draft/publish",
  tag,
  noun,
  summary: "Publish the draft",
  description:
    "Returns 409 if another version was published after the draft was created, unless `force` is true. Also returns 409 if the agent requires a rehearsal, until the last rehearsal of the current draft has passed.",
  body: z
    .strictObject({
      force: flag(
        "Whether to publish even if another version was published after the draft was created.",
        false,
      ).default(false),
    })
    .meta({ id: "DraftPublication" }),
  reply: okReply(publishedShape),
  errors: ["plan_limit_reached", "conflict"],
});

export const agentVersionRoutes = ({ dependencies: { services } }: RouteContext) => {
  const { agentVersions: versions } = services;
  return [
    route(listVersions)(async ({ tenantId, params, query }) => ({
      ok: true,
      versions: (await versions.list(tenantId, params.id, query)).map(presentVersion),
    })),
    route(getVersion)(async ({ tenantId, params: { id, number } }) => ({
      ok: true,
      version: presentVersionContent(await versions.get(tenantId, id, number)),
    })),
    route(publishVersion)(async ({ tenantId, params: { id, number }, ...request }) => {
      const author = authorOf(request);
      const published = await versions.publishVersion(tenantId, id, number, author);
      return { ok: true, ...presentPublished(published) };
    }),
    route(compareVersions)(async ({ tenantId, params, query: { from, to } }) => {
      const asked = { from: from ?? null, to: to === "draft" ? to : Number(to) } as const;
      return { ok: true, ...presentComparison(await versions.compare(tenantId, params.id, asked)) };
    }),
    ...draftRoutes(versions),
  ];
};

const draftRoutes = (versions: AgentVersions) => [
  route(getDraft)(async ({ tenantId, params }) => {
    const draft = await versions.draft(tenantId, params.id);
    const publishes_rehearsed = await versions.publishesRehearsed(tenantId, params.id);
    return { ok: true, draft: draft && presentDraft(draft), publishes_rehearsed };
  }),
  route(changeDraft)(async ({ tenantId, params, body, ...request }) => {
    const { tools, ...fields } = body;
    const changes = {
      ...recordOf(fields),
      ...(tools ? { tools: tools.map((tool) => recordOf(tool)) } : {}),
    };
    const author = authorOf(request);
    const draft = await versions.changeDraft(tenantId, params.id, changes, author);
    return { ok: true, draft: presentDraft(draft) };
  }),
  route(discardDraft)(async ({ tenantId, params }) => {
    await versions.discardDraft(tenantId, params.id);
    return { ok: true, id: params.id, deleted: true };
  }),
  route(changePublishing)(async ({ tenantId, params, body: { publishes_rehearsed } }) => {
    await versions.setPublishesRehearsed(tenantId, params.id, publishes_rehearsed);
    return { ok: true, publishes_rehearsed };
  }),
  route(publishDraft)(async ({ tenantId, params, body, ...request }) => {
    const author = authorOf(request);
    const published = await versions.publishDraft(tenantId, params.id, body.force, author);
    return { ok: true, ...presentPublished(published) };
  }),
];
