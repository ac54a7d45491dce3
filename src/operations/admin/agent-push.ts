/** Publishes an agent that was edited as files: compared with what is published, then through a draft. */
import { OPERATOR } from "../../core/author.ts";
import { AppError } from "../../core/errors.ts";
import type { VersionTool } from "../../domain/agent/agent-content.ts";
import type { AgentFields } from "../../domain/agent/agent-schema.ts";
import { compareContents, type PartDifference } from "../../domain/agent/version-comparison.ts";
import { type AgentVersions, draftContent, type Published } from "./agent-versions.ts";

interface PushedAgent {
  /** The version that the files were pulled from. */
  readonly baseVersion: number;
  readonly fields: AgentFields;
  /** Without content: a text that the published version has. */
  readonly files: readonly {
    readonly filename: string;
    readonly sha256: string;
    readonly content?: string | undefined;
  }[];
  readonly tools: readonly Omit<VersionTool, "shared">[];
}

interface Pushed extends Pick<Published, "notes"> {
  /** That calls run now; the same as before where nothing differs. */
  readonly version: number;
  readonly differences: readonly PartDifference[];
}

/** `dry`: only compares. Throws not_found, conflict, valid_…_required, plan_limit_reached. */
export async function pushAgent(
  versions: AgentVersions,
  [tenantId, agentId]: readonly [number, number],
  { baseVersion, fields, files, tools }: PushedAgent,
  { dry, force }: { readonly dry: boolean; readonly force: boolean },
): Promise<Pushed> {
  const { content: before, version } = await versions.source(tenantId, agentId, false);
  if (version === "draft") throw new Error("the published version was asked for");
  if (version !== baseVersion && !force && !dry) throw movedOn(version, baseVersion);
  const stored = await versions.texts(tenantId, before);
  const texts = new Map(stored);
  for (const { sha256, content } of files) if (content !== undefined) texts.set(sha256, content);
  const changes = {
    ...{ ...fields, tools },
    files: files.map(({ filename, sha256 }) => ({
      filename,
      content: texts.get(sha256) ?? gone(),
    })),
  };
  const after = draftContent(before, changes);
  const differences = compareContents(before, after, (sha256) => texts.get(sha256));
  if (dry || differences.length === 0) return { version, differences, notes: [] };
  const draft = await versions.draft(tenantId, agentId);
  if (draft && draft.author !== OPERATOR.kind && !force) throw draftInTheWay(draft.authorName);
  if (draft) await versions.discardDraft(tenantId, agentId);
  const made = await versions.changeDraft(tenantId, agentId, changes, OPERATOR);
  if (made.baseVersion !== version) throw movedOn(made.baseVersion, version);
  const published = await versions.publishDraft(tenantId, agentId, false, OPERATOR);
  return { version: published.agent.version, differences, notes: published.notes };
}

const conflict = (publicMessage: string) => new AppError({ code: "conflict", publicMessage });

function gone(): never {
  throw conflict("The files changed on the server meanwhile. Push again.");
}

const movedOn = (version: number, base: number) =>
  conflict(
    `The server has version ${version}, but these files are of version ${base}. Pull that into another folder and compare, or push with --force.`,
  );

const draftInTheWay = (author: string | null) =>
  conflict(
    `The agent has a draft${author === null ? "" : ` by ${author}`}. Publish or discard it, or push with --force, which discards it.`,
  );
