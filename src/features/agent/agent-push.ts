/** Publishes an agent from edited files: compares it with the published version, then uses a draft. */
import { OPERATOR } from "../../core/author.ts";
import { conflict } from "../../core/errors.ts";
import { scenariosHash } from "../rehearsal/stored-agent.ts";
import type { VersionTool } from "./agent-content.ts";
import type { AgentScenarios } from "./agent-scenarios.ts";
import type { AgentFields } from "./agent-schema.ts";
import { type AgentVersions, draftContent, type Published } from "./agent-versions.ts";
import { compareContents, compareTexts, type PartDifference } from "./version-comparison.ts";

interface PushedAgent {
  /** Version from which the files were pulled. */
  readonly baseVersion: number;
  readonly fields: AgentFields;
  /** Content may be missing if the published version has the same text. */
  readonly files: readonly {
    readonly filename: string;
    readonly sha256: string;
    readonly content?: string | undefined;
  }[];
  readonly tools: readonly Omit<VersionTool, "shared">[];
  /** Missing: the stored scenarios stay. */
  readonly scenarios?:
    | {
        /** Hash of the pulled scenarios (`scenariosHash`); null: none were pulled. */
        readonly base: string | null;
        readonly yamls: readonly string[];
      }
    | undefined;
}

interface Pushed extends Pick<Published, "notes"> {
  /** Version used by calls now; unchanged if there are no differences. */
  readonly version: number;
  /** True if the pushed content is now the agent's draft. */
  readonly draft: boolean;
  readonly differences: readonly PartDifference[];
}

interface PushedHow {
  /** Only compares. */
  readonly dry: boolean;
  readonly force: boolean;
  /** Creates a draft and does not publish it. */
  readonly draft: boolean;
}

/** Throws not_found, conflict, valid_…_required, plan_limit_reached. */
export async function pushAgent(
  { agentVersions: versions, agentScenarios }: PushServices,
  [tenantId, agentId]: readonly [number, number],
  { baseVersion, fields, files, tools, scenarios }: PushedAgent,
  { dry, force, draft: staysDraft }: PushedHow,
): Promise<Pushed> {
  const { content: before, version } = await versions.source(tenantId, agentId, false);
  if (version === "draft") throw new Error("the published version was asked for");
  if (version !== baseVersion && !force && !dry) throw movedOn(version, baseVersion);
  const stored = await versions.texts(tenantId, before);
  const texts = new Map(stored);
  for (const { sha256, content } of files) if (content !== undefined) texts.set(sha256, content);
  const changes = {
    ...fields,
    tools,
    files: files.map(({ filename, sha256 }) => ({
      filename,
      content: texts.get(sha256) ?? gone(),
    })),
  };
  const after = draftContent(before, changes);
  const changed = await compareContents(before, after, (sha256) => texts.get(sha256));
  const kept = await agentScenarios.list(tenantId, agentId);
  const rehearsals = scenarios
    ? await scenarioDifferences(kept, await agentScenarios.byName(tenantId, scenarios.yamls))
    : [];
  const differences = [...changed, ...rehearsals];
  if (dry || differences.length === 0) return { version, differences, notes: [], draft: false };
  const known = scenariosHash(kept.map(({ yaml }) => yaml));
  if (rehearsals.length > 0 && kept.length > 0 && scenarios?.base !== known && !force)
    throw othersScenarios();
  const draft = changed.length > 0 ? await versions.draft(tenantId, agentId) : null;
  if (draft && draft.author !== OPERATOR.kind && !force) throw draftInTheWay(draft.authorName);
  if (scenarios && rehearsals.length > 0)
    await agentScenarios.replace(tenantId, agentId, scenarios.yamls);
  if (changed.length === 0) return { version, differences, notes: [], draft: false };
  if (draft) await versions.discardDraft(tenantId, agentId);
  const made = await versions.changeDraft(tenantId, agentId, changes, OPERATOR);
  if (made.baseVersion !== version) throw movedOn(made.baseVersion, version);
  if (staysDraft) return { version, differences, notes: [], draft: true };
  const { agent, notes } = await versions.publishDraft(tenantId, agentId, false, OPERATOR);
  return { version: agent.version, differences, notes, draft: false };
}

interface PushServices {
  readonly agentVersions: AgentVersions;
  readonly agentScenarios: Pick<AgentScenarios, "list" | "byName" | "replace">;
}

const scenarioDifferences = (
  kept: readonly { readonly name: string; readonly yaml: string }[],
  pushed: ReadonlyMap<string, { readonly yaml: string }>,
): Promise<PartDifference[]> =>
  compareTexts(
    "rehearsals",
    new Map(kept.map(({ name, yaml }) => [name, yaml])),
    new Map([...pushed].map(([name, { yaml }]) => [name, yaml])),
  );

function gone(): never {
  throw conflict("The files on the server changed during the push. Push again.");
}

const movedOn = (version: number, base: number) =>
  conflict(
    `The server has version ${version}, but these files come from version ${base}. Pull version ${version} into another folder and compare, or push with --force.`,
  );

const othersScenarios = () =>
  conflict(
    "The agent's rehearsals on the server have changed since these files were pulled. Pull into another folder and compare, or push with --force to replace them.",
  );

const draftInTheWay = (author: string | null) =>
  conflict(
    `The agent has a draft${author === null ? "" : ` by ${author}`}. Publish or discard it, or push with --force, which discards it.`,
  );
