/**
 * Compares two versions of an agent: the different parts, word by word. Long equal passages are shortened to
 * the text next to a change.
 */
import { type ChangeObject, diffLines, diffWordsWithSpace } from "diff";
import type { JsonValue } from "../../core/json.ts";
import type { AgentContent, VersionTool } from "./agent-content.ts";

interface Segment {
  readonly op: "same" | "removed" | "added";
  readonly text: string;
}

export interface PartDifference {
  /** A field of the agent by its record name, `files`, `tools` or `rehearsals`. */
  readonly part: string;
  /** Name of the file, tool or scenario; null for a field. */
  readonly name: string | null;
  readonly segments: readonly Segment[];
}

/** The text of a file by its hash. */
type TextOf = (sha256: string) => string | undefined;

/** Longer texts are compared by lines instead of words. */
const WORDS_LENGTH_MAX = 100_000;
/**
 * Timeout of a comparison. After it, lines are compared instead of words; then the whole text counts as
 * replaced.
 */
const DIFF_MS_MAX = 500;
const CONTEXT_LENGTH = 160;

function shortened({ op, text }: Segment): Segment {
  if (op !== "same" || text.length <= 3 * CONTEXT_LENGTH) return { op, text };
  return { op, text: `${text.slice(0, CONTEXT_LENGTH)}\n…\n${text.slice(-CONTEXT_LENGTH)}` };
}

type Changes = ChangeObject<string>[] | undefined;
type Diff = (
  before: string,
  after: string,
  options: { readonly timeout: number; readonly callback: (changes: Changes) => void },
) => void;

/**
 * Runs in steps and yields to the event loop: the time grows with the square of the difference. Undefined
 * after a timeout.
 */
const changesBy = (diff: Diff, before: string, after: string): Promise<Changes> =>
  new Promise((callback) => diff(before, after, { timeout: DIFF_MS_MAX, callback }));

/** Empty if both are equal. */
async function segmentsOf(before: string, after: string): Promise<Segment[]> {
  if (before === after) return [];
  const isLong = before.length + after.length > WORDS_LENGTH_MAX;
  const changes =
    (isLong ? undefined : await changesBy(diffWordsWithSpace, before, after)) ??
    (await changesBy(diffLines, before, after));
  const segments: readonly Segment[] = changes?.map(({ value, added, removed }) => ({
    op: added ? "added" : removed ? "removed" : "same",
    text: value,
  })) ?? [
    { op: "removed", text: before },
    { op: "added", text: after },
  ];
  return segments.filter(({ text }) => text !== "").map(shortened);
}

interface ComparedPart extends Omit<PartDifference, "segments"> {
  readonly before: string;
  readonly after: string;
}

/** Compares part after part, so that others wait for one step at most. */
async function compared(parts: readonly ComparedPart[]): Promise<PartDifference[]> {
  const differences: PartDifference[] = [];
  for (const { part, name, before, after } of parts) {
    const segments = await segmentsOf(before, after);
    if (segments.length > 0) differences.push({ part, name, segments });
  }
  return differences;
}

const { stringify } = Bun.YAML;
const toolText = ({ name, ...tool }: VersionTool) => stringify(tool, null, 2);

type Fields = Readonly<Record<string, JsonValue>>;

const shownValue = (value: JsonValue | undefined) =>
  value === null || value === undefined ? "" : String(value);

const namesOf = (...lists: readonly (readonly string[])[]) => [...new Set(lists.flat())].sort();

/** The differences of `after` from `before` (null: nothing), part by part: fields, then files, then tools. */
export function compareContents(
  before: AgentContent | null,
  after: AgentContent,
  textOf: TextOf,
): Promise<PartDifference[]> {
  const { files: filesBefore = [], tools: toolsBefore = [], ...fieldsBefore } = before ?? {};
  const { files: filesAfter, tools: toolsAfter, ...fieldsAfter } = after;
  const [from, to]: Fields[] = [fieldsBefore as Fields, fieldsAfter as Fields];
  const fields = namesOf(Object.keys(from ?? {}), Object.keys(to ?? {})).map((part) => ({
    part,
    name: null,
    before: shownValue(from?.[part]),
    after: shownValue(to?.[part]),
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
    before: fileText(filesBefore, name),
    after: fileText(filesAfter, name),
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
    before: toolOf(toolsBefore, name),
    after: toolOf(toolsAfter, name),
  }));
  return compared([...fields, ...files, ...tools]);
}

/** Compares texts by name, such as scenarios, word by word. */
export const compareTexts = (
  part: string,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): Promise<PartDifference[]> =>
  compared(
    namesOf([...before.keys()], [...after.keys()]).map((name) => ({
      part,
      name,
      before: before.get(name) ?? "",
      after: after.get(name) ?? "",
    })),
  );

/** Names of the different parts of two versions, without the words. */
export function changedParts(before: AgentContent, after: AgentContent): string[] {
  const [from, to] = [before, after].map((content) => ({ ...content }) as unknown as Fields);
  return Object.keys(to ?? {}).filter(
    (part) => JSON.stringify(from?.[part]) !== JSON.stringify(to?.[part]),
  );
}
