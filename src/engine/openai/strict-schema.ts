/**
 * Converts a tool's schema to `strict`, so that a model's arguments always fit. Only for schemas
 * whose meaning stays the same. Every property must be required, further properties must not be
 * allowed or described, and every keyword must exist in the strict subset. If the schema does not
 * mention further properties, they are forbidden.
 */
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";

/** Keywords of the strict subset with a plain value. */
const PLAIN = new Set([
  "type",
  "description",
  "title",
  "enum",
  "const",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minItems",
  "maxItems",
  "required",
]);

/** Null if a strict schema would have another meaning. */
export function strictSchema(schema: JsonObject): JsonObject | null {
  const strict: Record<string, JsonValue> = {};
  for (const [word, value] of Object.entries(schema)) {
    const taken = strictWord(word, value);
    if (taken === null) return null;
    strict[word] = taken;
  }
  const isObjectSchema = schema.type === "object";
  if (!isObjectSchema && schema.type === undefined && schema.anyOf === undefined) return null;
  if (!isObjectSchema) return schema.properties === undefined ? strict : null;
  const names = Object.keys(isObject(schema.properties) ? schema.properties : {});
  const required = Array.isArray(schema.required) ? schema.required : [];
  if (names.length === 0 || names.some((name) => !required.includes(name))) return null;
  return { ...strict, additionalProperties: false };
}

/** The keyword's value in the strict schema; null if it is not supported there. */
function strictWord(word: string, value: JsonValue): JsonValue | null {
  if (PLAIN.has(word)) return value;
  if (word === "additionalProperties") return value === false ? false : null;
  if (word === "items") return isObject(value) ? strictSchema(value) : null;
  if (word === "anyOf") return Array.isArray(value) ? all(value.map(inner)) : null;
  if (word !== "properties" || !isObject(value)) return null;
  const entries = Object.entries(value).map(([name, one]) => [name, inner(one)] as const);
  return entries.some(([, one]) => one === null) ? null : Object.fromEntries(entries);
}

const inner = (value: JsonValue): JsonObject | null =>
  isObject(value) ? strictSchema(value) : null;

const all = (values: readonly (JsonObject | null)[]): JsonObject[] | null => {
  const found = values.filter((value) => value !== null);
  return found.length === values.length ? found : null;
};
