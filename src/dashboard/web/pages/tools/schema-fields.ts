/** Converts a tool's JSON Schema to a list of plain fields, if it is simple enough. */

export type JsonSchema = Readonly<Record<string, unknown>>;

export const ARGUMENT_TYPES = ["string", "number", "integer", "boolean"] as const;
type ArgumentType = (typeof ARGUMENT_TYPES)[number];

export interface Argument {
  readonly name: string;
  readonly type: ArgumentType;
  readonly description: string;
  readonly required: boolean;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const KNOWN = new Set(["type", "properties", "required", "additionalProperties"]);

/** Returns null if fields cannot express the schema. */
export function argumentsOf(schema: JsonSchema): readonly Argument[] | null {
  if (schema.type !== "object" || Object.keys(schema).some((key) => !KNOWN.has(key))) return null;
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const found: Argument[] = [];
  for (const [name, property] of Object.entries(properties)) {
    if (!isRecord(property)) return null;
    const type = ARGUMENT_TYPES.find((known) => known === property.type);
    const plain = Object.keys(property).every((key) => key === "type" || key === "description");
    if (!type || !plain) return null;
    const description = typeof property.description === "string" ? property.description : "";
    found.push({ name, type, description, required: required.includes(name) });
  }
  return found;
}

export const schemaOf = (list: readonly Argument[]): JsonSchema => ({
  type: "object",
  properties: Object.fromEntries(
    list.map(({ name, type, description }) => [
      name,
      { type, ...(description ? { description } : {}) },
    ]),
  ),
  required: list.filter(({ required }) => required).map(({ name }) => name),
});

/** Initial arguments of a test run: an empty value of each type. */
export function exampleOf(schema: JsonSchema): Record<string, unknown> {
  const empty = { string: "", number: 0, integer: 0, boolean: false };
  return Object.fromEntries(
    (argumentsOf(schema) ?? []).map(({ name, type }) => [name, empty[type]]),
  );
}
