/** Versions and drafts of agents as REST and `linevoice agent` show them. */
import { z } from "zod";
import { type Author, authorOf, OPERATOR } from "../../core/author.ts";
import { shownFields } from "../../core/schema.ts";
import { camelName, type RecordOf, recordOf, wireOf } from "../../core/wire-names.ts";
import { AGENT_VOICES } from "../../domain/agent/agent.ts";
import type { AgentContent } from "../../domain/agent/agent-content.ts";
import { agentShape, withTexts } from "../../domain/agent/agent-schema.ts";
import type { PartDifference } from "../../domain/agent/version-comparison.ts";
import { toolShape } from "../../domain/tool/tool-schema.ts";
import { pushAgent } from "../../operations/admin/agent-push.ts";
import type {
  AgentDraft,
  VersionComparison as Compared,
  Published,
  VersionSummary,
} from "../../operations/admin/agent-versions.ts";
import { id, operation } from "./operation.ts";
import { shown, timeOut } from "./schema.ts";

const author = shown(
  z.strictObject({
    kind: shown(z.enum(["key", "member", "operator", "upgrade"]), "What it was.", "member"),
    id: shown(z.int().nullable(), "Of the key or the member.", 1),
    name: shown(z.string().nullable(), "Null: it is gone.", "owner@example.com"),
  }),
  "Who made it: an API key (`name`: its label), a member (address), the operator's command line, or the upgrade that began to keep versions.",
  { kind: "member", id: 1, name: "owner@example.com" },
);

const number = shown(z.int(), "Number, from 1 for each agent.", 3);

const versionShape = {
  number,
  created_at: timeOut("When it was stored."),
  author,
  changes: shown(
    z.array(z.string()),
    "What differs from the version before: fields, `files`, `tools`.",
    ["prompt"],
  ),
  published: shown(z.boolean(), "Whether calls run it.", true),
  restored_from: shown(
    z.int().nullable(),
    "The version that was published again; null: none.",
    null,
  ),
};

export const AgentVersion = z.strictObject(versionShape).meta({ id: "AgentVersion" });

const { agent_id, enabled, ...toolFields } = toolShape;

const { name, description, url, secret_header, parameters, caller_level } = toolShape;
/** In the order in which a version keeps them. */
const pushedTool = { name, description, url, secret_header, parameters, caller_level };

const { voice, ...fields } = shownFields(agentShape(AGENT_VOICES));

const contentShape = {
  ...fields,
  voice: shown(z.string(), "Voice.", "Sari"),
  files: shown(
    z.array(
      z.strictObject({
        filename: shown(z.string(), "Name with extension.", "prices.md"),
        size_bytes: shown(z.int(), "Size of the text in UTF-8.", 2048),
        sha256: shown(z.string().nullable(), "SHA-256 of the text.", "0".repeat(64)),
      }),
    ),
    "Files it knows, each with the SHA-256 of its text.",
    [{ filename: "prices.md", size_bytes: 2048, sha256: "0".repeat(64) }],
  ),
  tools: shown(
    z.array(
      z.strictObject({
        ...shownFields(toolFields),
        shared: shown(z.boolean(), "Every agent of the tenant has it.", false),
      }),
    ),
    "Tools it may use, without their secrets.",
    [],
  ),
};

export const AgentVersionContent = z
  .strictObject({ ...versionShape, ...contentShape })
  .meta({ id: "AgentVersionContent" });

export const AgentDraftContent = z
  .strictObject({
    base_version: shown(z.int(), "The version it was copied from.", 3),
    updated_at: timeOut("When it was last changed."),
    author,
    ...contentShape,
  })
  .meta({ id: "AgentVersionDraft" });

const VersionDifference = z
  .strictObject({
    part: shown(z.string(), "The field, `files` or `tools`.", "prompt"),
    name: shown(z.string().nullable(), "Of the file or tool; null: a field.", null),
    segments: shown(
      z.array(
        z.strictObject({
          op: shown(z.enum(["same", "removed", "added"]), "What happened to it.", "added"),
          text: shown(z.string(), "The words.", "garage."),
        }),
      ),
      "The words in order. What is the same is shortened where it is long.",
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
    "The version it starts from; null: that is not kept any more, and all counts as added.",
    1,
  ),
  differences: z.array(VersionDifference),
});

export const publishedShape = {
  version: shown(z.int(), "Number of the version that calls run now.", 4),
  notes: shown(
    z.array(
      z.strictObject({
        kind: shown(
          z.enum(["file_copied", "tool_needs_secret", "tool_of_others"]),
          "Why.",
          "file_copied",
        ),
        name: shown(z.string(), "Of the file or tool.", "prices.md"),
      }),
    ),
    "What is not as it was: `file_copied` other agents use the file, so this one has a copy; `tool_needs_secret` the tool is switched off until its secret is entered; `tool_of_others` the tool belongs to all agents or another one and stays as it is.",
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

/** Its content is as it is stored: only our own command line reads it. */
const AgentSourceContent = z.strictObject({
  tenant: id,
  agent: id,
  version: z.union([id, z.literal("draft")]),
  company: z.string(),
  time_zone: z.string(),
  content: z.custom<AgentContent>(),
  /** The agent's own, by their names in the API. */
  fields: z.record(z.string(), z.unknown()),
  /** Kept with the agent, in no version. */
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
  /** All of a stored agent but the texts of its files. `agent`: id or exact name. */
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
  /** Publishes what was edited as files, or only compares it (`dry`). */
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
