/**
 * Compares two versions of an agent: which parts differ, and word by word how. Long stretches that are the
 * same are shortened to what stands next to a change.
 */
import { diffLines, diffWordsWithSpace } from "diff";
import type { JsonValue } from "../../core/json.ts";
import type { AgentContent, VersionTool } from "./agent-content.ts";

interface Segment {
  readonly op: "same" | "removed" | "added";
  readonly text: string;
}

export interface PartDifference {
  /** A field of the agent by its record name, `files`, `tools` or `rehearsals`. */
  readonly part: string;
  /** Of the file, tool or scenario; null: a field. */
  readonly name: string | null;
  readonly segments: readonly Segment[];
}

/** The text of a file by its hash. */
type TextOf = (sha256: string) => string | undefined;

/** Above that, lines are compared instead of words. */
const WORDS_LENGTH_MAX = 100_000;
const DIFF_MS_MAX = 500;
const CONTEXT_LENGTH = 160;

function shortened({ op, text }: Segment): Segment {
  if (op !== "same" || text.length <= 3 * CONTEXT_LENGTH) return { op, text };
  return { op, text: `${text.slice(0, CONTEXT_LENGTH)}\n…\n${text.slice(-CONTEXT_LENGTH)}` };
}

/** Empty: both are the same. */
function segmentsOf(before: string, after: string): Segment[] {
  if (before === after) return [];
  const isLong = before.length + after.length > WORDS_LENGTH_MAX;
  const options = { timeout: DIFF_MS_MAX };
  const changes = isLong
    ? diffLines(before, after, options)
    : diffWordsWithSpace(before, after, options);
  const segments: readonly Segment[] = changes?.map(({ value, added, removed }) => ({
    op: added ? "added" : removed ? "removed" : "same",
    text: value,
  })) ?? [
    { op: "removed", text: before },
    { op: "added", text: after },
  ];
  return segments.filter(({ text }) => text !== "").map(shortened);
}

const { stringify } = Bun.YAML;
const toolText = ({ name, ...tool }: VersionTool) => stringify(tool, null, 2);

type Fields = Readonly<Record<string, JsonValue>>;

const shownValue = (value: JsonValue | undefined) =>
  value === null || value === undefined ? "" : String(value);

const namesOf = (...lists: readonly (readonly string[])[]) => [...new Set(lists.flat())].sort();

/** What a version has and another (null: nothing) has not, part by part: fields, then files, then tools. */
export function compareContents(
  before: AgentContent | null,
  after: AgentContent,
  textOf: TextOf,
): PartDifference[] {
  const { files: filesBefore = [], tools: toolsBefore = [], ...fieldsBefore } = before ?? {};
  const { files: filesAfter, tools: toolsAfter, ...fieldsAfter } = after;
  const [from, to]: Fields[] = [fieldsBefore as Fields, fieldsAfter as Fields];
  const fields = namesOf(Object.keys(from ?? {}), Object.keys(to ?? {})).map((part) => ({
    part,
    name: null,
    segments: segmentsOf(shownValue(from?.[part]), shownValue(to?.[part])),
  }));
  const fileText = (files: AgentContent["files"], name: string) =>
    files
      .filter(({ filename }) => filename === name)
      .map(({ sha256 }) => textOf(sha256) ?? `(${sha256})`)
      .join("\n");
  const files = namesOf(
    filesBefore.map(({ filename }) => filename),
    filesAfter.map(({ filename }) => filename),
  ).map((name) => ({
    part: "files",
    name,
    segments: segmentsOf(fileText(filesBefore, name), fileText(filesAfter, name)),
  }));
  const toolOf = (tools: AgentContent["tools"], name: string) => {
    const found = tools.find((tool) => tool.name === name);
    return found ? toolText(found) : "";
  };
  const tools = namesOf(
    toolsBefore.map(({ name }) => name),
    toolsAfter.map(({ name }) => name),
  ).map((name) => ({
    part: "tools",
    name,
    segments: segmentsOf(toolOf(toolsBefore, name), toolOf(toolsAfter, name)),
  }));
  return [...fields, ...files, ...tools].filter(({ segments }) => segments.length > 0);
}

/** Texts by their names, such as scenarios, word by word. */
export function compareTexts(
  part: string,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): PartDifference[] {
  return namesOf([...before.keys()], [...after.keys()])
    .map((name) => ({
      part,
      name,
      segments: segmentsOf(before.get(name) ?? "", after.get(name) ?? ""),
    }))
    .filter(({ segments }) => segments.length > 0);
}

/** The parts in which two versions differ, without the words. */
export function changedParts(before: AgentContent, after: AgentContent): string[] {
  const [from, to] = [before, after].map((content) => ({ ...content }) as unknown as Fields);
  return Object.keys(to ?? {}).filter(
    (part) => JSON.stringify(from?.[part]) !== JSON.stringify(to?.[part]),
  );
}
