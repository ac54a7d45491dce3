/** Tool rules beyond the field schema: reserved headers, and the JSON Schema of the arguments. */
import { z } from "zod";
import { BoundedMap } from "../../core/bounded-map.ts";
import { invalidField } from "../../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { MessageName } from "../../core/message-reasons.ts";
import { boundsProblem } from "./schema-bounds.ts";
import type { ToolChanges } from "./tool-schema.ts";

const SCHEMA_BYTES_MAX = 16 * 1024;

/** HTTP headers, and those that the runner sets. A secret in one of them would break the request. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "cookie",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
]);

type SchemaDocument = Parameters<typeof z.fromJSONSchema>[0];

/** Checks rules beyond the field schema. Throws valid_<field>_required for the first invalid field. */
export function checkToolFields({ secretHeader, parameters }: ToolChanges): void {
  if (secretHeader !== undefined && RESERVED_HEADERS.has(secretHeader.toLowerCase()))
    throw invalidField(
      "secret_header",
      `\`secret_header\` must not be ${secretHeader}, because HTTP uses it. Choose another name, such as X-Tool-Secret.`,
    );
  const problem = parameters === undefined ? null : problemOf(parameters);
  if (problem === null) return;
  const { clause, ...name } = typeof problem === "string" ? { clause: problem } : problem;
  throw invalidField("parameters", `\`parameters\`: ${clause}.`, name);
}

/** One sentence without its full stop; null if the schema can check arguments. */
export function schemaProblem(schema: unknown): string | null {
  const problem = problemOf(schema);
  return typeof problem === "object" ? (problem?.clause ?? null) : problem;
}

/** A sentence, with the dashboard's message for it if one exists. */
type SchemaProblem = string | (MessageName & { readonly clause: string });

function problemOf(schema: unknown): SchemaProblem | null {
  if (typeof schema !== "object" || schema === null || !("type" in schema))
    return 'the JSON Schema must say {"type":"object", …}';
  if (schema.type !== "object") return 'the JSON Schema\'s type must be "object"';
  const unbounded = boundsProblem(schema as JsonObject);
  if (unbounded !== null) return unbounded;
  if (Buffer.byteLength(JSON.stringify(schema)) > SCHEMA_BYTES_MAX)
    return `the JSON Schema must be at most ${SCHEMA_BYTES_MAX} bytes`;
  const atTop = NOT_AT_TOP.find((word) => word in schema);
  if (atTop !== undefined)
    return {
      clause: `"${atTop}" is not allowed at the top level of the JSON Schema, because language models reject it there: move it into a property, or create a tool for each case`,
      reason: "at_top",
      params: { word: atTop },
    };
  const misshapen = shapeProblem(schema as JsonObject, "");
  if (misshapen !== null) return misshapen;
  try {
    z.fromJSONSchema(schema as unknown as SchemaDocument).safeParse({});
    return null;
  } catch (error) {
    return `this is not a JSON Schema that can be read (${firstLine(error)})`;
  }
}

const PROBLEMS_MAX = 1_000;
const problems = new BoundedMap<string, string | null>(PROBLEMS_MAX);

/** Problem of a stored schema, which may be older than a rule. Computed once per schema. */
export function storedSchemaProblem(schema: JsonObject): string | null {
  const text = JSON.stringify(schema);
  const known = problems.get(text);
  if (known !== undefined) return known;
  const problem = schemaProblem(schema);
  problems.set(text, problem);
  return problem;
}

const TYPES = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);
/** Keywords that language models reject at the top level of a tool's schema. */
const NOT_AT_TOP = ["oneOf", "anyOf", "allOf", "enum", "not"] as const;

/**
 * Finds constructs that JSON Schema permits but language models reject or misunderstand. `at`: a path such as
 * `.day`.
 */
function shapeProblem(schema: JsonObject, at: string): SchemaProblem | null {
  const { type, properties, required, enum: values, items } = schema;
  const where = at === "" ? "the schema" : at.slice(1);
  const types = Array.isArray(type) ? type : type === undefined ? [] : [type];
  if (!types.every((name) => typeof name === "string" && TYPES.has(name)))
    return `the type of ${where} must be one of ${[...TYPES].join(", ")}`;
  if (required !== undefined && !(Array.isArray(required) && required.every(isText)))
    return `"required" of ${where} must be a list of names`;
  if (values !== undefined && !(Array.isArray(values) && values.length > 0))
    return `"enum" of ${where} must be a list of values`;
  if (properties !== undefined && !isObject(properties))
    return `"properties" of ${where} must be an object`;
  if (Array.isArray(items) || (types.includes("array") && items === undefined))
    return {
      clause: `${where} is an array without "items", which language models reject: describe its items, such as "items": {"type":"string"}`,
      reason: "array_items",
      params: { at: where },
    };
  for (const [path, value] of innerSchemas(schema, at)) {
    if (typeof value === "boolean") continue;
    if (!isObject(value)) return `${path.slice(1)} must be a schema`;
    const problem = shapeProblem(value, path);
    if (problem !== null) return problem;
  }
  return null;
}

/** Nested schemas with their paths. */
function innerSchemas(schema: JsonObject, at: string): [path: string, schema: JsonValue][] {
  const named = (word: "properties" | "$defs" | "definitions", prefix: string) =>
    Object.entries(isObject(schema[word]) ? schema[word] : {}).map(
      ([name, value]): [string, JsonValue] => [`${at}${prefix}.${name}`, value],
    );
  const variants = (["anyOf", "oneOf", "allOf"] as const).flatMap((word) => {
    const list = schema[word];
    return (Array.isArray(list) ? list : []).map((value, index): [string, JsonValue] => [
      `${at}.${word}[${index}]`,
      value,
    ]);
  });
  const { items, additionalProperties } = schema;
  return [
    ...named("properties", ""),
    ...(isObject(items) ? [[`${at}[]`, items] as [string, JsonValue]] : []),
    ...(isObject(additionalProperties)
      ? [[`${at}.*`, additionalProperties] as [string, JsonValue]]
      : []),
    ...variants,
    ...named("$defs", ".$defs"),
    ...named("definitions", ".definitions"),
  ];
}

const isText = (value: JsonValue): boolean => typeof value === "string";

const firstLine = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).split("\n")[0]?.slice(0, 160) ?? "";
