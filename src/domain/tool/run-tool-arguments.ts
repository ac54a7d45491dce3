/**
 * Checks a tool call's arguments against the tool's JSON Schema before the request is sent, since a
 * language model may invent fields and types. The schema is the tenant's; an unreadable schema is
 * reported as an error.
 */
import { z } from "zod";
import type { JsonObject } from "../../core/json.ts";

const PROBLEMS_MAX = 5;

type SchemaDocument = Parameters<typeof z.fromJSONSchema>[0];

/** One sentence that a language model can act on; null when the arguments are valid. */
export function argumentProblem(schema: JsonObject, values: JsonObject): string | null {
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
