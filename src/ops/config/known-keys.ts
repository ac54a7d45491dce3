/** The schema as a list: every key with its path, environment variable and allowed values. */
import { z } from "zod";
import { type KeyMeta, keyMeta } from "../../platform/config/key.ts";
import { configSchema } from "./schema.ts";
import type { Path } from "./toml.ts";

export interface KnownKey {
  /** `["engine", "openai", "api_key"]` */
  readonly path: readonly string[];
  /** `engine.openai.api_key` */
  readonly name: string;
  /** `LINEVOICE_ENGINE__OPENAI__API_KEY` */
  readonly variable: string;
  readonly meta: KeyMeta;
}

export const VARIABLE_PREFIX = "LINEVOICE_";

/** The schema inside defaults, transforms and other wrappers. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodPrefault || schema instanceof z.ZodDefault)
    return unwrapped(schema.def.innerType);
  if (schema instanceof z.ZodPipe) return unwrapped(schema.def.in);
  return schema;
}

function collect(schema: z.core.$ZodType, path: readonly string[]): KnownKey[] {
  const meta = schema instanceof z.ZodType ? keyMeta(schema) : undefined;
  if (meta) {
    const variable = VARIABLE_PREFIX + path.join("__").toUpperCase();
    return [{ path, name: path.join("."), variable, meta }];
  }
  const inner = unwrapped(schema);
  if (!(inner instanceof z.ZodObject)) return [];
  return Object.entries(inner.shape).flatMap(([key, value]) =>
    collect(value as z.core.$ZodType, [...path, key]),
  );
}

export const knownKeys: readonly KnownKey[] = collect(configSchema, []);

/** The schema at a path of values (array indices included), or null. */
function schemaAt(path: Path): z.core.$ZodType | null {
  let schema: z.core.$ZodType = configSchema;
  for (const step of path) {
    const inner = unwrapped(schema);
    if (inner instanceof z.ZodObject && inner.shape[String(step)])
      schema = inner.shape[String(step)];
    else if (inner instanceof z.ZodArray) schema = inner.element;
    else return null;
  }
  return schema;
}

/** Names allowed in the table at this path. */
export function namesAt(path: Path): string[] {
  const schema = schemaAt(path);
  const inner = schema && unwrapped(schema);
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

/** Introduction of a section; empty if none is needed. */
export function sectionDescription(path: Path): string {
  const schema = schemaAt(path);
  return schema instanceof z.ZodType ? (schema.meta()?.description ?? "") : "";
}

/** The keys of one table in an array of tables (`[[plans]]`). */
export function itemKeys(path: readonly string[]): readonly KnownKey[] {
  const schema = schemaAt([...path, 0]);
  return schema === null ? [] : collect(schema, path);
}

/** The allowed values at a path, or at the key around it. */
export function allowedAt(path: Path): string | null {
  for (let length = path.length; length > 0; length--) {
    const schema = schemaAt(path.slice(0, length));
    const meta = schema instanceof z.ZodType ? keyMeta(schema) : undefined;
    if (meta) return meta.allowed;
  }
  return null;
}
