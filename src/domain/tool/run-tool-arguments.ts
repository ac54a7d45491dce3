/**
 * Checks a tool call's arguments against the tool's JSON Schema before anything leaves the appliance:
 * a language model invents fields and types. The schema is the tenant's; one that cannot be read is
 * reported as such, not guessed around.
 */
import { z } from "zod";
import type { JsonObject } from "../../core/json.ts";

const PROBLEMS_MAX = 5;

type SchemaDocument = Parameters<typeof z.fromJSONSchema>[0];

/** One sentence that a language model can act on, or null when the arguments fit. */
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
