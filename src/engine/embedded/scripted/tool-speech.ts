/** The result of a tool, as spoken text. */
import type { JsonValue } from "../../../core/json.ts";

const SPOKEN_FIELDS = ["speech", "message", "text", "answer", "result"];
const FACTS_MAX = 6;
const CHARACTERS_MAX = 800;

/** Empty if there is nothing to say. */
export function speechOfResult(output: JsonValue): string {
  return sayable(output).slice(0, CHARACTERS_MAX);
}

function sayable(output: JsonValue): string {
  if (output === null) return "";
  if (typeof output !== "object") return String(output);
  if (Array.isArray(output)) {
    return output.slice(0, FACTS_MAX).map(sayable).filter(Boolean).join(". ");
  }
  for (const field of SPOKEN_FIELDS) {
    const value = output[field];
    if (typeof value === "string" && value.trim() !== "") return value.trim();
  }
  const facts: string[] = [];
  for (const [key, value] of Object.entries(output)) {
    if (value === null || typeof value === "object" || typeof value === "boolean") continue;
    facts.push(`${key.replace(/[_-]+/g, " ")}: ${value}`);
  }
  if (facts.length === 0) {
    const inner = Object.values(output).find((value) => typeof value === "object");
    return inner === undefined ? "" : sayable(inner);
  }
  return `${facts.slice(0, FACTS_MAX).join(". ")}.`;
}
