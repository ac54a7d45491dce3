/** Reads a scenario from YAML. A wrong file is explained with its line, the path of the field and what it must be. */
import type { z } from "zod";
import { describeError } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import { Scenario } from "./scenario.ts";

export class ScenarioInvalid extends Error {
  override readonly name = "ScenarioInvalid";

  /** A line each, with the file's name. */
  constructor(readonly problems: readonly string[]) {
    super(problems.join("\n"));
  }
}

const PROBLEMS_MAX = 20;
const BYTES_MAX = 256 * 1024;

/** Throws ScenarioInvalid. */
export function readScenario(file: string, source: string): Scenario {
  return readYaml(file, source, Scenario);
}

/** Throws ScenarioInvalid. For every file of a rehearsal. */
export function readYaml<Schema extends z.ZodType>(
  file: string,
  source: string,
  schema: Schema,
): z.output<Schema> {
  if (source.length > BYTES_MAX)
    throw new ScenarioInvalid([`${file}: is longer than ${BYTES_MAX / 1024} KB`]);
  const read = schema.safeParse(parsed(file, source));
  if (read.success) return read.data;
  const problems = read.error.issues.slice(0, PROBLEMS_MAX).flatMap((issue) => {
    const names = issue.code === "unrecognized_keys" ? issue.keys : [null];
    return names.map((name) => {
      const path = [...issue.path, ...(name === null ? [] : [name])];
      const line = lineOf(source, path);
      const what = name === null ? inWords(issue) : unknownField(name);
      return `${file}:${line}: ${pathText(path)}: ${what}`;
    });
  });
  throw new ScenarioInvalid(problems);
}

function parsed(file: string, source: string): unknown {
  try {
    return Bun.YAML.parse(source);
  } catch (error) {
    const line = brokenLine(source);
    throw new ScenarioInvalid([`${file}:${line}: is no YAML: ${describeError(error)}`]);
  }
}

/** The parser does not tell it: the line after the longest beginning that can be read. */
function brokenLine(source: string): number {
  const lines = source.split("\n");
  for (let count = lines.length - 1; count > 0; count--) {
    try {
      Bun.YAML.parse(lines.slice(0, count).join("\n"));
      return count + 1;
    } catch {
      // A shorter beginning may do.
    }
  }
  return 1;
}

function inWords(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.message.endsWith("received undefined")
        ? "is missing"
        : `must be ${NAMES[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be ${issue.values.length > 1 ? "one of: " : ""}${issue.values.join(", ")}`;
    case "too_small":
      return `must be at least ${issue.minimum}${issue.origin === "string" ? " characters" : ""}`;
    case "too_big":
      return `must be at most ${issue.maximum}${issue.origin === "string" ? " characters" : ""}`;
    default:
      return /^(?:must|belongs)/.test(issue.message) ? issue.message : `must fit: ${issue.message}`;
  }
}

const NAMES: Readonly<Record<string, string>> = {
  string: "text (in quotes, where it looks like a number)",
  int: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "a mapping of fields",
  record: "a mapping of names",
};

function unknownField(name: string): string {
  const near = nearest(name, FIELDS);
  return `is not known here${near === null || near === name ? "" : `; did you mean ${near}?`}`;
}

const FIELDS = (
  "name description agent direction caller number language voice line codec noise_db loss_percent jitter_ms at " +
  "tools answer fails live delay_ms transfers variables can_opt_out script say interrupt mumble after_ms " +
  "silent_ms press hold_ms hang_up must never says words regex money date tool with transferred_to message " +
  "ended persona goal character knows turns_max limits turns latency_p95_ms dead_air_ms " +
  "silent_after_interruption_ms never_interrupts judge prompt first_message company time_zone knowledge"
).split(" ");

const pathText = (path: readonly PropertyKey[]): string =>
  path.length === 0
    ? "the file"
    : path
        .map((part) => (typeof part === "number" ? `[${part + 1}]` : `.${String(part)}`))
        .join("")
        .replace(/^\./, "");

/** The line of a field, or of the nearest field around it that the file has. */
function lineOf(source: string, path: readonly PropertyKey[]): number {
  const lines = source.split("\n");
  let from = 0;
  let indent = -1;
  let found = 1;
  for (const part of path) {
    const next = placeOf(lines, { from, indent }, part);
    if (next === null) break;
    found = next.line + 1;
    ({ indent } = next);
    from = typeof part === "number" ? next.line : next.line + 1;
  }
  return found;
}

interface Place {
  readonly from: number;
  /** Of the field around; deeper lines belong to it. */
  readonly indent: number;
}

function placeOf(lines: readonly string[], { from, indent }: Place, part: PropertyKey) {
  let child: number | null = null;
  let item = -1;
  for (let line = from; line < lines.length; line++) {
    const text = lines[line] ?? "";
    if (/^\s*(?:#|$)/.test(text)) continue;
    // The first field of a list's item stands behind its dash.
    const shown = typeof part === "number" ? text : text.replace(/^(\s*)-(\s)/, "$1 $2");
    const depth = shown.search(/\S/);
    if (depth < indent || (depth === indent && typeof part !== "number")) return null;
    child ??= depth;
    if (depth !== child) continue;
    const isPlace =
      typeof part === "number"
        ? text.trimStart().startsWith("-") && ++item === part
        : shown.trimStart().startsWith(`${String(part)}:`);
    if (isPlace) return { line, indent: depth };
  }
  return null;
}
