/** Finds tools saved before a rule excluded their schema. Calls continue without them. */
import { existsSync } from "node:fs";
import { isObject, parseJson } from "../../core/json.ts";
import { storedSchemaProblem } from "../../features/tool/tool-rules.ts";
import { openReadOnly } from "../../store/sqlite/read-only.ts";
import { type Check, ok, skipped, warning } from "./check.ts";

const TOOLS_MAX = 10_000;
const NAMED_MAX = 5;

interface StoredTool {
  readonly tenant: number;
  readonly name: string;
  readonly parameters: string;
}

export const storedTools: Check = {
  name: "tools",
  run({ databasePath }) {
    if (!existsSync(databasePath)) return skipped("There is no database file on this machine.");
    const unusable = toolsOf(databasePath).flatMap(({ tenant, name, parameters }) => {
      const schema = parseJson(parameters);
      const problem = isObject(schema)
        ? storedSchemaProblem(schema)
        : "its schema is not an object";
      return problem === null ? [] : [`${name} of tenant ${tenant}: ${problem}.`];
    });
    if (unusable.length === 0) return ok("Agents can use every tool.");
    const others = unusable.length - NAMED_MAX;
    return warning(
      `Agents cannot use ${unusable.length} tools. ${unusable.slice(0, NAMED_MAX).join(" ")}${others > 0 ? ` And ${others} more.` : ""}`,
      "Correct their arguments on the Tools page of the dashboard.",
    );
  },
};

function toolsOf(databasePath: string): StoredTool[] {
  const stored = openReadOnly(databasePath);
  try {
    return stored.sqlite
      .query<StoredTool, []>(
        `SELECT tenant_id AS tenant, name, parameters FROM tools WHERE enabled = 1 ORDER BY id LIMIT ${TOOLS_MAX}`,
      )
      .all();
  } finally {
    stored.close();
  }
}
