/**
 * Limits the size of a tenant's JSON Schema, so that checking arguments is fast: number of nodes, depth,
 * expanded `$ref`s, and patterns. For older schemas the deadline of the check applies (argument-check.ts).
 */

import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { LinearPattern, PatternRefused } from "./linear-pattern.ts";

const DEPTH_MAX = 12;
/** Maximum number of objects in the schema. */
const NODES_MAX = 300;
/** Maximum number of objects after replacing every `$ref` by its target. */
const EXPANDED_MAX = 1000;
const PATTERN_CHARACTERS_MAX = 200;

const REFERENCE = /^#\/(\$defs|definitions)\/([^/]+)$/;

/** One clause; null if the schema is within the limits. */
export function boundsProblem(schema: JsonObject): string | null {
  const nodes = nodesOf(schema);
  if (typeof nodes === "string") return nodes;
  for (const node of nodes) {
    const problem = referenceProblem(node, schema) ?? patternsProblem(node);
    if (problem !== null) return problem;
  }
  const size = expandedSize(schema);
  if (size === null) return "a $ref must not lead back to itself";
  return size > EXPANDED_MAX
    ? `the JSON Schema must have at most ${EXPANDED_MAX} objects when each $ref is replaced by what it points to`
    : null;
}

/** All objects, including those in data; an error clause if there are too many or they are nested too deeply. */
function nodesOf(schema: JsonObject): readonly JsonObject[] | string {
  const nodes: JsonObject[] = [];
  const open: { value: JsonValue; depth: number }[] = [{ value: schema, depth: 1 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value !== "object" || value === null) continue;
    if (depth > DEPTH_MAX) return `the JSON Schema must not be nested deeper than ${DEPTH_MAX}`;
    if (!Array.isArray(value)) nodes.push(value as JsonObject);
    if (nodes.length > NODES_MAX)
      return `the JSON Schema must have at most ${NODES_MAX} objects in it`;
    for (const inner of Object.values(value)) open.push({ value: inner, depth: depth + 1 });
  }
  return nodes;
}

function referenceProblem({ $ref: reference }: JsonObject, schema: JsonObject): string | null {
  if (typeof reference !== "string") return null;
  return definitionOf(reference, schema) === undefined
    ? "$ref may only point to a definition of the same schema, as #/$defs/NAME"
    : null;
}

function definitionOf(reference: string, schema: JsonObject): JsonValue | undefined {
  const [, list = "", name = ""] = REFERENCE.exec(reference) ?? [];
  const definitions = schema[list];
  const key = name.replaceAll("~1", "/").replaceAll("~0", "~");
  return isObject(definitions) && Object.hasOwn(definitions, key) ? definitions[key] : undefined;
}

function patternsProblem({ pattern, patternProperties }: JsonObject): string | null {
  const patterns = [
    ...(typeof pattern === "string" ? [pattern] : []),
    ...(isObject(patternProperties) ? Object.keys(patternProperties) : []),
  ];
  for (const each of patterns) {
    const problem = patternProblem(each);
    if (problem !== null) return problem;
  }
  return null;
}

/** Error clause; null if the pattern may be saved. */
export function patternProblem(pattern: string): string | null {
  if (pattern.length > PATTERN_CHARACTERS_MAX)
    return `a pattern must be at most ${PATTERN_CHARACTERS_MAX} characters`;
  try {
    new LinearPattern(pattern);
    return null;
  } catch (error) {
    if (error instanceof PatternRefused) return error.message;
    return `the pattern ${pattern} is not a regular expression`;
  }
}

/** Null if a `$ref` refers to itself. Each definition is computed only once. */
function expandedSize(schema: JsonObject): number | null {
  const sizes = new Map<string, number | "under way">();

  function ofReference(reference: string): number | null {
    const known = sizes.get(reference);
    if (known === "under way") return null;
    if (known !== undefined) return known;
    sizes.set(reference, "under way");
    const size = of(definitionOf(reference, schema) ?? null);
    if (size !== null) sizes.set(reference, size);
    return size;
  }

  function of(value: JsonValue): number | null {
    if (typeof value !== "object" || value === null) return 0;
    if (isObject(value) && typeof value.$ref === "string") return ofReference(value.$ref);
    let size = Array.isArray(value) ? 0 : 1;
    for (const inner of Object.values(value)) {
      const part = of(inner);
      if (part === null) return null;
      size += part;
    }
    return size;
  }

  const { $defs: _, definitions: __, ...rest } = schema;
  return of(rest);
}
