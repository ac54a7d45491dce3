/** Reads a scenario from YAML. Errors contain the line, the path of the field and its rule. */
import type { z } from "zod";
import { nearest } from "../../core/did-you-mean.ts";
import { describeError } from "../../core/errors.ts";
import type { MessageName } from "../../core/message-reasons.ts";
import { Scenario } from "./scenario.ts";
import { ScenarioInvalid, type ScenarioProblem } from "./scenario-invalid.ts";

const PROBLEMS_MAX = 20;
const BYTES_MAX = 256 * 1024;
/** Maximum size of a file with its aliases expanded: characters plus values. */
const WRITTEN_OUT_MAX = 4 * BYTES_MAX;
/** Maximum characters to parse again when searching the broken line exactly. */
const EXACT_CHARACTERS_MAX = 200_000;
/** The parser copies a text for each of its aliases. */
const ALIASES_MAX = 100;
/** Each is compiled, which takes up to a millisecond. */
const PATTERNS_MAX = 50;

/** Throws ScenarioInvalid. `linesBefore`: lines of the whole text before this document. */
export function readScenario(file: string, source: string, linesBefore = 0): Scenario {
  try {
    return readYaml(file, source, Scenario);
  } catch (error) {
    if (error instanceof ScenarioInvalid && linesBefore > 0) throw error.movedBy(linesBefore);
    throw error;
  }
}

/** Reads any file of a rehearsal. Throws ScenarioInvalid. */
export function readYaml<Schema extends z.ZodType>(
  file: string,
  source: string,
  schema: Schema,
): z.output<Schema> {
  if (source.length > BYTES_MAX) throw new ScenarioInvalid([tooLong(file)]);
  if (hasTooManyAliases(source)) throw new ScenarioInvalid([tooManyAliases(file)]);
  const read = schema.safeParse(parsed(file, source));
  if (read.success) return read.data;
  const found = read.error.issues.flatMap((issue) => {
    const names = issue.code === "unrecognized_keys" ? issue.keys : [null];
    return names.map((name) => ({ issue, name }));
  });
  const lines = source.split("\n");
  const problems = found.slice(0, PROBLEMS_MAX).map(({ issue, name }) => {
    const path = [...issue.path, ...(name === null ? [] : [name])];
    const line = lineOf(lines, path);
    const { what, ...message } = name === null ? inWords(issue) : unknownField(name);
    const text = `${pathText(path)}: ${what}`;
    return { file, line, text, messageName: named(message, line, path) };
  });
  throw new ScenarioInvalid(problems);
}

function parsed(file: string, source: string): unknown {
  try {
    const value = Bun.YAML.parse(source);
    const size = new WrittenOut().add(value);
    if (size.patterns > PATTERNS_MAX) throw new ScenarioInvalid([tooManyPatterns(file)]);
    if (!size.isTooLarge) return value;
  } catch (error) {
    if (error instanceof ScenarioInvalid) throw error;
    const line = brokenLine(source);
    const why = describeError(error).replace(/^YAML Parse error: /, "");
    const text = `cannot be read: look at indentation, colons and quotes (${why})`;
    const messageName = { reason: "scenario_broken", params: { line } } as const;
    throw new ScenarioInvalid([{ file, line, text, messageName }]);
  }
  throw new ScenarioInvalid([tooLong(file)]);
}

/**
 * Measures a parsed file with its aliases expanded, and stops at the limit. Aliases can make a small file very
 * large.
 */
class WrittenOut {
  patterns = 0;
  #size = 0;
  readonly #around: object[] = [];

  get isTooLarge(): boolean {
    return this.#size > WRITTEN_OUT_MAX;
  }

  /** Throws for a value that contains itself. */
  add(value: unknown): this {
    this.#size += typeof value === "string" ? value.length + 1 : 1;
    if (typeof value !== "object" || value === null || this.isTooLarge) return this;
    if (this.#around.includes(value)) throw new Error("an alias leads back to itself");
    this.#around.push(value);
    for (const [name, part] of Object.entries(value)) {
      this.#size += name.length;
      if (name === "regex") this.patterns++;
      this.add(part);
      if (this.isTooLarge) break;
    }
    this.#around.pop();
    return this;
  }
}

/**
 * Finds the broken line, which the parser does not report: the line after the longest readable beginning.
 * For a long file it is approximate, because each beginning is parsed again.
 */
function brokenLine(source: string): number {
  const lines = source.split("\n");
  let exactFor = EXACT_CHARACTERS_MAX;
  for (let count = lines.length; ; count = exactFor > 0 ? count - 1 : Math.floor(count * 0.75)) {
    const beginning = lines.slice(0, count).join("\n");
    exactFor -= beginning.length;
    try {
      Bun.YAML.parse(beginning);
      return count + 1;
    } catch {
      // Retry with fewer lines. An empty text always parses.
    }
  }
}

const KILOBYTES_MAX = BYTES_MAX / 1024;

const tooLong = (file: string): ScenarioProblem => ({
  file,
  line: null,
  text: `is longer than ${KILOBYTES_MAX} KB`,
  messageName: { reason: "scenario_long", params: { most: KILOBYTES_MAX } },
});

/** Counts possible aliases before parsing, even in quotes. */
const hasTooManyAliases = (source: string): boolean =>
  (source.match(/(?<=^|[\s[{,:])\*(?=[^\s*])/g)?.length ?? 0) > ALIASES_MAX;

const tooManyAliases = (file: string): ScenarioProblem => ({
  file,
  line: null,
  text: `has more than ${ALIASES_MAX} aliases (*name); write the values out`,
  messageName: { reason: "scenario_aliases", params: { most: ALIASES_MAX } },
});

const tooManyPatterns = (file: string): ScenarioProblem => ({
  file,
  line: null,
  text: `has more than ${PATTERNS_MAX} regular expressions; say it in words, or make two scenarios of it`,
  messageName: { reason: "scenario_patterns", params: { most: PATTERNS_MAX } },
});

/** Rule of a field, in English, with the dashboard's message for it. */
interface Rule extends MessageName {
  readonly what: string;
}

function named(
  { reason, params }: MessageName,
  line: number,
  path: readonly PropertyKey[],
): MessageName {
  return reason ? { reason, params: { ...params, line, place: pathText(path) } } : {};
}

function inWords(issue: z.core.$ZodIssue): Rule {
  switch (issue.code) {
    case "invalid_type":
      return issue.message.endsWith("received undefined")
        ? { what: "is missing", reason: "scenario_missing" }
        : ofKind(issue.expected);
    case "invalid_value": {
      const choices = issue.values.join(", ");
      const what = `must be ${issue.values.length > 1 ? "one of: " : ""}${choices}`;
      return { what, reason: "scenario_choice", params: { choices } };
    }
    case "too_small": {
      const least = Number(issue.minimum);
      if (issue.origin !== "string")
        return { what: `must be at least ${least}`, reason: "scenario_least", params: { least } };
      return { what: `must be at least ${least} characters`, reason: "scenario_missing" };
    }
    case "too_big": {
      const most = Number(issue.maximum);
      if (issue.origin !== "string")
        return { what: `must be at most ${most}`, reason: "scenario_most", params: { most } };
      const what = `must be at most ${most} characters`;
      return { what, reason: "scenario_characters", params: { most } };
    }
    default:
      return byMessage(issue.message);
  }
}

/** Maps the messages of the rules in scenario.ts. */
function byMessage(message: string): Rule {
  const names = /^must have exactly one of: (.+)$/.exec(message)?.[1];
  if (names !== undefined)
    return { what: message, reason: "scenario_exactly_one", params: { choices: names } };
  const example = /^must be .+ such as (.+)$/.exec(message)?.[1];
  if (example !== undefined)
    return { what: message, reason: "scenario_example", params: { example } };
  if (/^belongs/.test(message)) return { what: message, reason: "scenario_with" };
  const what = /^must/.test(message) ? message : `must fit: ${message}`;
  return { what, reason: "scenario_other" };
}

const KINDS = {
  string: ["text (in quotes, where it looks like a number)", "scenario_text"],
  int: ["a whole number", "scenario_whole_number"],
  number: ["a number", "scenario_number"],
  boolean: ["true or false", "scenario_true_or_false"],
  array: ["a list", "scenario_list"],
  object: ["a mapping of fields", "scenario_fields"],
  record: ["a mapping of names", "scenario_fields"],
} as const;

const isKind = (expected: string): expected is keyof typeof KINDS => Object.hasOwn(KINDS, expected);

function ofKind(expected: string): Rule {
  if (!isKind(expected)) return { what: `must be ${expected}`, reason: "scenario_other" };
  const [words, reason] = KINDS[expected];
  return { what: `must be ${words}`, reason };
}

function unknownField(name: string): Rule {
  const near = nearest(name, FIELDS);
  const what = "is not known here";
  return near === null || near === name
    ? { what, reason: "scenario_unknown" }
    : { what: `${what}; did you mean ${near}?`, reason: "scenario_near", params: { near } };
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

/** The line of a field, or of the nearest enclosing field in the file. */
function lineOf(lines: readonly string[], path: readonly PropertyKey[]): number {
  let from = 0;
  let indent = -1;
  let found = Math.max(0, lines.findIndex(hasText)) + 1;
  for (const part of path) {
    const next = placeOf(lines, { from, indent }, part);
    if (next === null) break;
    found = next.line + 1;
    ({ indent } = next);
    from = typeof part === "number" ? next.line : next.line + 1;
  }
  return found;
}

const hasText = (line: string) => line.trim() !== "";

interface Place {
  readonly from: number;
  /** Indentation of the enclosing field; deeper lines belong to it. */
  readonly indent: number;
}

function placeOf(lines: readonly string[], { from, indent }: Place, part: PropertyKey) {
  let child: number | null = null;
  let item = -1;
  for (const [after, text] of lines.slice(from).entries()) {
    if (/^\s*(?:#|$)/.test(text)) continue;
    // The first field of a list item follows its dash.
    const shown = typeof part === "number" ? text : text.replace(/^(\s*)-(\s)/, "$1 $2");
    const depth = shown.search(/\S/);
    if (depth < indent || (depth === indent && typeof part !== "number")) return null;
    child ??= depth;
    if (depth !== child) continue;
    const isPlace =
      typeof part === "number"
        ? text.trimStart().startsWith("-") && ++item === part
        : shown.trimStart().startsWith(`${String(part)}:`);
    if (isPlace) return { line: from + after, indent: depth };
  }
  return null;
}
