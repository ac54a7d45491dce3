/** Versions and drafts of agents, as shown by REST and `linevoice agent`. */
import { z } from "zod";
import { type Author, authorOf, OPERATOR } from "../../core/author.ts";
import { shownFields } from "../../core/schema.ts";
import { camelName, type RecordOf, recordOf, wireOf } from "../../core/wire-names.ts";
import { id, operation } from "../../http/contracts/operation.ts";
import { shown, timeOut } from "../../http/contracts/schema.ts";
import { toolShape } from "../tool/tool-schema.ts";
import { AGENT_VOICES } from "./agent.ts";
import type { AgentContent } from "./agent-content.ts";
import { pushAgent } from "./agent-push.ts";
import { agentShape, withTexts } from "./agent-schema.ts";
import type {
  AgentDraft,
  VersionComparison as Compared,
  Published,
  VersionSummary,
} from "./agent-versions.ts";
import type { PartDifference } from "./version-comparison.ts";

const author = shown(
  z.strictObject({
    kind: shown(z.enum(["key", "member", "operator", "upgrade"]), "Type of the author.", "member"),
    id: shown(z.int().nullable(), "Id of the key or member. `null` for other authors.", 1),
    name: shown(
      z.string().nullable(),
      "Label of the key, or email address of the member. `null` if it was deleted.",
      "owner@example.com",
    ),
  }),
  "Author of the version: an API key, a member, the operator's command line, or the upgrade that introduced versions.",
  { kind: "member", id: 1, name: "owner@example.com" },
);

const number = shown(z.int(), "Number of the version, from 1 for each agent.", 3);

const versionShape = {
  number,
  created_at: timeOut("Time when the version was stored."),
  author,
  changes: shown(
    z.array(z.string()),
    "Names of the changed fields, `files` or `tools`, compared to the previous version.",
    ["prompt"],
  ),
  published: shown(z.boolean(), "Whether this version is published.", true),
  restored_from: shown(
    z.int().nullable(),
    "Number of the older version that this one restores. `null` if it restores none.",
    null,
  ),
};

export const AgentVersion = z.strictObject(versionShape).meta({ id: "AgentVersion" });

const { agent_id, enabled, ...toolFields } = toolShape;

const { name, description, url, secret_header, parameters, caller_level } = toolShape;
/** In the order in which versions store them. */
const pushedTool = { name, description, url, secret_header, parameters, caller_level };

const { voice, ...fields } = shownFields(agentShape(AGENT_VOICES));

const contentShape = {
  ...fields,
  voice: shown(z.string(), "Voice of the agent.", "Sari"),
  files: shown(
    z.array(
      z.strictObject({
        filename: shown(z.string(), "File name with extension.", "prices.md"),
        size_bytes: shown(z.int(), "Size of the text in bytes of UTF-8.", 2048),
        sha256: shown(
          z.string().nullable(),
          "SHA-256 of the text. Currently never `null`.",
          "0".repeat(64),
        ),
      }),
    ),
    "Knowledge files of the agent, with the SHA-256 of each text.",
    [{ filename: "prices.md", size_bytes: 2048, sha256: "0".repeat(64) }],
  ),
  tools: shown(
    z.array(
      z.strictObject({
        ...shownFields(toolFields),
        shared: shown(z.boolean(), "Whether all agents of the tenant share the tool.", false),
      }),
    ),
    "Tools of the agent, without their secrets.",
    [],
  ),
};

export const AgentVersionContent = z
  .strictObject({ ...versionShape, ...contentShape })
  .meta({ id: "AgentVersionContent" });

export const AgentDraftContent = z
  .strictObject({
    base_version: shown(z.int(), "Number of the version from which the draft was created.", 3),
    updated_at: timeOut("Time of the last change."),
    author,
    ...contentShape,
  })
  .meta({ id: "AgentVersionDraft" });

const VersionDifference = z
  .strictObject({
    part: shown(z.string(), "Changed part: name of the field, `files` or `tools`.", "prompt"),
    name: shown(z.string().nullable(), "Name of the file or tool. `null` for a field.", null),
    segments: shown(
      z.array(
        z.strictObject({
          op: shown(z.enum(["same", "removed", "added"]), "Kind of change.", "added"),
          text: shown(z.string(), "Text of the segment.", "garage."),
        }),
      ),
      "Segments of the text, in order. Long unchanged segments are shortened.",
      [
        { op: "same", text: "You answer for a " },
        { op: "removed", text: "dentist." },
        { op: "added", text: "garage." },
      ],
    ),
  })
  .meta({ id: "VersionDifference" });

export const VersionComparison = z.strictObject({
  from: shown(
    z.int().nullable(),
    "Number of the older version. `null` if it was deleted; all content then counts as added.",
    1,
  ),
  differences: z.array(VersionDifference),
});

export const publishedShape = {
  version: shown(z.int(), "Number of the version that new calls use.", 4),
  notes: shown(
    z.array(
      z.strictObject({
        kind: shown(
          z.enum(["file_copied", "tool_needs_secret", "tool_of_others"]),
          "Kind of the difference.",
          "file_copied",
        ),
        name: shown(z.string(), "Name of the file or tool.", "prices.md"),
      }),
    ),
    "Differences from the stored version. `file_copied`: other agents use the file, so this agent has a copy. `tool_needs_secret`: the tool is switched off until its secret is entered. `tool_of_others`: the tool belongs to all agents or to another one and is unchanged.",
    [],
  ),
};

const presentAuthor = (text: string, name: string | null) => {
  const { kind, id }: Author = authorOf(text);
  return { kind, id, name };
};

const wireName = (name: string): string =>
  Object.keys(contentShape).find((wire) => camelName(wire) === name) ?? name;

const summaryOf = ({ author: by, authorName, changes, ...version }: VersionSummary) => ({
  ...version,
  changes: changes.map(wireName),
  author: presentAuthor(by, authorName),
});

export const presentVersion = (version: VersionSummary) => wireOf(AgentVersion, summaryOf(version));

const presentContent = ({ files, tools, ...agent }: AgentContent) => ({
  ...agent,
  files: files.map(({ filename, sizeBytes, sha256 }) => ({
    filename,
    size_bytes: sizeBytes,
    sha256,
  })),
  tools: tools.map(({ secretHeader, callerLevel, ...tool }) => ({
    ...tool,
    secret_header: secretHeader,
    caller_level: callerLevel,
  })),
});

export const presentVersionContent = ({
  content,
  ...version
}: VersionSummary & { readonly content: AgentContent }) =>
  wireOf(AgentVersionContent, { ...presentContent(content), ...summaryOf(version) });

export const presentDraft = ({ content, author: by, authorName, ...draft }: AgentDraft) =>
  wireOf(AgentDraftContent, {
    ...presentContent(content),
    ...draft,
    author: presentAuthor(by, authorName),
  });

const presentDifferences = (differences: readonly PartDifference[]) =>
  differences.map(({ part, ...rest }) => ({
    ...rest,
    part: wireName(part),
    segments: [...rest.segments],
  }));

export const presentComparison = ({ from, differences }: Compared) => ({
  from,
  differences: presentDifferences(differences),
});

export const presentPublished = ({ agent, notes }: Published) => ({
  version: agent.version,
  notes: [...notes],
});

const AgentFields = z.strictObject(agentShape(AGENT_VOICES));

/** The content is in the stored format: only the appliance's command line reads it. */
const AgentSourceContent = z.strictObject({
  tenant: id,
  agent: id,
  version: z.union([id, z.literal("draft")]),
  company: z.string(),
  time_zone: z.string(),
  content: z.custom<AgentContent>(),
  /** Fields of the agent itself, under their API names. */
  fields: z.record(z.string(), z.unknown()),
  /** Stored with the agent, not versioned. */
  scenarios: z.array(z.strictObject({ name: z.string(), yaml: z.string() })),
});

const ofAgent = { tenant: id, agent: id };

export const agentOperations = {
  "agent.versions": operation({
    input: z.strictObject(ofAgent),
    output: z.array(AgentVersion),
    role: "viewer",
    run: async ({ agentVersions }, { tenant, agent }) =>
      (await agentVersions.list(tenant, agent, { limit: 50, offset: 0 })).map(presentVersion),
  }),
  /** A stored agent without the texts of its files. `agent`: id or exact name. */
  "agent.source": operation({
    input: z.strictObject({
      tenant: id.optional(),
      agent: z.union([id, z.string().min(1)]),
      draft: z.boolean().default(false),
    }),
    output: AgentSourceContent,
    role: "operator",
    async run({ agentVersions, agentScenarios }, asked) {
      const source = await agentVersions.source(asked.tenant ?? null, asked.agent, asked.draft);
      const { tenantId: tenant, agentId: agent, timeZone: time_zone, ...rest } = source;
      const shown = presentContent(source.content) as RecordOf<z.input<typeof AgentFields>>;
      const scenarios = (await agentScenarios.list(tenant, agent)).map(({ name, yaml }) => ({
        name,
        yaml,
      }));
      return { ...rest, tenant, agent, time_zone, scenarios, fields: wireOf(AgentFields, shown) };
    },
  }),
  /** Publishes an agent from edited files; with `dry`, only compares it. */
  "agent.push": operation({
    input: z.strictObject({
      ...ofAgent,
      version: id,
      dry: z.boolean(),
      force: z.boolean(),
      draft: z.boolean(),
      fields: z.strictObject({ ...agentShape(AGENT_VOICES), voice: z.string() }),
      files: z.array(
        z.strictObject({
          filename: z.string().regex(/^[^/\\\u0000-\u001f]+\.(txt|md|csv|json)$/i),
          sha256: z.string(),
          content: z.string().optional(),
        }),
      ),
      tools: z.array(z.strictObject(pushedTool)),
      scenarios: z
        .strictObject({ base: z.string().nullable(), yamls: z.array(z.string()) })
        .optional(),
    }),
    output: z.strictObject({
      ...publishedShape,
      draft: z.boolean(),
      differences: z.array(VersionDifference),
    }),
    role: "operator",
    async run(services, { tenant, agent, version: baseVersion, dry, force, draft, ...given }) {
      const { files, scenarios } = given;
      const pushed = await pushAgent(
        services,
        [tenant, agent],
        {
          baseVersion,
          files,
          scenarios,
          fields: withTexts(recordOf(given.fields)),
          tools: given.tools.map((tool) => recordOf(tool)),
        },
        { dry, force, draft },
      );
      const { notes, differences, ...rest } = pushed;
      return { ...rest, notes: [...notes], differences: presentDifferences(differences) };
    },
  }),
  "agent.text": operation({
    input: z.strictObject({ tenant: id, sha256: z.string() }),
    output: z.strictObject({ text: z.string() }),
    role: "operator",
    run: async ({ agentVersions }, { tenant, sha256 }) => ({
      text: await agentVersions.sourceText(tenant, sha256),
    }),
  }),
  /** `from` missing: the published version; `to` missing: the draft. */
  "agent.diff": operation({
    input: z.strictObject({ ...ofAgent, from: id.optional(), to: id.optional() }),
    output: VersionComparison,
    role: "viewer",
    run: async ({ agentVersions }, { tenant, agent, from = null, to }) =>
      presentComparison(await agentVersions.compare(tenant, agent, { from, to: to ?? "draft" })),
  }),
  "agent.rollback": operation({
    input: z.strictObject({ ...ofAgent, to: id }),
    output: z.strictObject(publishedShape),
    role: "member",
    run: async ({ agentVersions }, { tenant, agent, to }) =>
      presentPublished(await agentVersions.publishVersion(tenant, agent, to, OPERATOR)),
  }),
  "agent.rule": operation({
    input: z.strictObject({ ...ofAgent, rehearsed: z.enum(["on", "off"]) }),
    output: z.strictObject({ publishes_rehearsed: z.boolean() }),
    role: "member",
    async run({ agentVersions }, { tenant, agent, rehearsed }) {
      await agentVersions.setPublishesRehearsed(tenant, agent, rehearsed === "on");
      return { publishes_rehearsed: rehearsed === "on" };
    },
  }),
  "agent.discard": operation({
    input: z.strictObject(ofAgent),
    output: z.strictObject({ discarded: z.literal(true) }),
    role: "member",
    async run({ agentVersions }, { tenant, agent }) {
      await agentVersions.discardDraft(tenant, agent);
      return { discarded: true as const };
    },
  }),
  "agent.publish": operation({
    input: z.strictObject({ ...ofAgent, force: z.boolean().default(false) }),
    output: z.strictObject(publishedShape),
    role: "member",
    run: async ({ agentVersions }, { tenant, agent, force }) =>
      presentPublished(await agentVersions.publishDraft(tenant, agent, force, OPERATOR)),
  }),
} as const;
