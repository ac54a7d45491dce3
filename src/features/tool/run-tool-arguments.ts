/**
 * Checks a tool call's arguments against the tool's JSON Schema before the request is sent, since a
 * language model may invent fields and types. The schema is the tenant's; an unreadable schema is
 * reported as an error.
 */
import { z } from "zod";
import type { JsonObject } from "../../core/json.ts";
import { LinearPattern } from "./linear-pattern.ts";

const PROBLEMS_MAX = 5;

type SchemaDocument = Parameters<typeof z.fromJSONSchema>[0];

/** One sentence that a language model can act on; null if the arguments are valid. */
export const argumentProblem = (schema: JsonObject, values: JsonObject): string | null =>
  withLinearPatterns(schema, () => problemOf(schema, values));

/** Zod creates a schema's patterns with the global RegExp, some of them at their first use. */
function withLinearPatterns<Result>(schema: JsonObject, work: () => Result): Result {
  const { RegExp: own } = globalThis;
  const texts = textsOf(schema);
  globalThis.RegExp = new Proxy(own, {
    construct: (_, [source, ...flags]) =>
      texts.has(source) ? new LinearPattern(source) : new own(source, ...flags),
  });
  try {
    return work();
  } finally {
    globalThis.RegExp = own;
  }
}

/** All texts and names of the schema, which include its patterns. */
function textsOf(schema: JsonObject): ReadonlySet<unknown> {
  const texts = new Set<unknown>();
  JSON.stringify(schema, (name, value) => {
    texts.add(name).add(value);
    return value;
  });
  return texts;
}

function problemOf(schema: JsonObject, values: JsonObject): string | null {
  let check: z.ZodType;
  try {
    check = z.fromJSONSchema(schema as unknown as SchemaDocument);
  } catch {
    return "The tool's parameter schema cannot be read.";
  }
  const result = check.safeParse(values);
  if (result.success) return null;
  const problems = result.error.issues.slice(0, PROBLEMS_MAX).map((issue) => {
    const path = issue.path.join(".");
    return path === "" ? issue.message : `${path}: ${issue.message}`;
  });
  return `The arguments do not fit the tool: ${problems.join("; ")}`;
}
