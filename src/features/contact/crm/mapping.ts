/**
 * Converts between a CRM's fields and ours. A mapping contains the CRM's name of our field, with dots into
 * objects (`{"name": "contact.full_name"}`). Unmapped fields have equal names.
 *
 * The CRM's answer is untrusted: it becomes short texts, which the prompt marks as data.
 */

import type { CallContextItem } from "../../../conversation/call-context-item.ts";
import { invalidField } from "../../../core/errors.ts";
import type { JsonValue } from "../../../core/json.ts";
import { oneLine } from "../../../core/one-line.ts";

const CRM_FIELDS = ["name", "company", "status", "notes", "last_order", "balance"] as const;
/** Fields of a call's result for the CRM. */
const OUTCOME_FIELDS = [
  "call_id",
  "direction",
  "number",
  "agent",
  "started_at",
  "duration_sec",
  "status",
  "ended_reason",
  "summary",
  "transcript",
  "cost_eur",
] as const;
type CrmField = (typeof CRM_FIELDS)[number];
type OutcomeField = (typeof OUTCOME_FIELDS)[number];
export type CrmAnswer = Readonly<Partial<Record<CrmField, string>>>;

const VALUE_MAX = 500;
const PATH = /^(?!.*__proto__)[\w-]{1,64}(\.[\w-]{1,64}){0,5}$/;

/** Throws valid_crm_mapping_required. */
export function checkMapping(mapping: Readonly<Record<string, string>>): void {
  const ours = new Set<string>([...CRM_FIELDS, ...OUTCOME_FIELDS]);
  for (const [field, path] of Object.entries(mapping)) {
    if (!ours.has(field))
      throw invalidField(
        "crm_mapping",
        `\`crm_mapping\` has no field ${field}. Allowed fields: ${[...ours].join(", ")}.`,
      );
    if (!PATH.test(path))
      throw invalidField(
        "crm_mapping",
        `\`crm_mapping\`.${field} must be a name. Separate nested objects with dots, like contact.full_name.`,
      );
  }
}

/** Throws if the text is not a JSON object. */
export function crmAnswerFrom(text: string, mapping: Readonly<Record<string, string>>): CrmAnswer {
  const body: unknown = JSON.parse(text);
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new Error("the CRM did not return a JSON object");
  const answer: Partial<Record<CrmField, string>> = {};
  for (const field of CRM_FIELDS) {
    const value = valueAt(body, mapping[field] ?? field);
    if (value !== null) answer[field] = value;
  }
  return answer;
}

function valueAt(body: object, path: string): string | null {
  let value: unknown = body;
  for (const step of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return null;
    value = (value as Record<string, unknown>)[step];
  }
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string") return null;
  const clean = oneLine(value, VALUE_MAX);
  return clean === "" ? null : clean;
}

export const dataOf = (answer: CrmAnswer): CallContextItem[] =>
  CRM_FIELDS.flatMap((field) => {
    const text = answer[field];
    return text === undefined ? [] : [{ label: `crm_${field}`, text }];
  });

/** The result with the CRM's names; dots create objects. */
export function mappedOutcome(
  outcome: Readonly<Record<OutcomeField, JsonValue>>,
  mapping: Readonly<Record<string, string>>,
): Record<string, JsonValue> {
  const body: Record<string, JsonValue> = { type: "call_outcome" };
  for (const field of OUTCOME_FIELDS) put(body, mapping[field] ?? field, outcome[field]);
  return body;
}

function put(body: Record<string, JsonValue>, path: string, value: JsonValue): void {
  const steps = path.split(".");
  let at = body;
  for (const step of steps.slice(0, -1)) {
    const next = at[step];
    const inner: Record<string, JsonValue> =
      typeof next === "object" && next !== null && !Array.isArray(next) ? { ...next } : {};
    at[step] = inner;
    at = inner;
  }
  at[steps.at(-1) ?? path] = value;
}
