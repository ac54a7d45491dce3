/**
 * Field names and times in the API and in our records. `max_duration_sec` in the API is
 * `maxDurationSeconds` in a record. A field ending in `_at` is ISO 8601 in the API and milliseconds
 * in a record. One rule applies to every resource, so that no field has two names.
 */
import type { z } from "zod";
import { isoUtc } from "./clock.ts";

export type CamelName<Name extends string> = Name extends `${infer Head}_sec`
  ? `${CamelName<Head>}Seconds`
  : Name extends `${infer Head}_${infer Rest}`
    ? `${Head}${Capitalize<CamelName<Rest>>}`
    : Name;

type Kept<Name, Value> = Name extends `${string}_at`
  ? Value extends string
    ? number
    : Value
  : Value extends readonly (infer Item)[]
    ? readonly Item[]
    : Value;

/** A record with the fields of an API object. */
export type RecordOf<Wire> = {
  readonly [Name in keyof Wire & string as CamelName<Name>]: Kept<Name, Wire[Name]>;
};

export function camelName(name: string): string {
  const [first = "", ...others] = name.replace(/_sec$/, "_seconds").split("_");
  return first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

/** The sent fields, with our names; omitted fields stay omitted. Times are never sent. */
export function recordOf<Body extends object>(body: Body): RecordOf<Body> {
  const sent = Object.entries(body).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    sent.map(([name, value]) => [camelName(name), value]),
  ) as RecordOf<Body>;
}

/**
 * Converts a record to `schema`, with the fields in the schema's order. `others`: fields that the
 * record lacks or stores in another form.
 */
export function wireOf<
  Schema extends z.ZodObject,
  Others extends Partial<z.input<Schema>> = object,
>(
  schema: Schema,
  record: RecordOf<Omit<z.input<Schema>, keyof Others>>,
  others?: Others,
): z.input<Schema> {
  const given: Readonly<Record<string, unknown>> = others ?? {};
  const kept: Readonly<Record<string, unknown>> = record;
  const wire: Record<string, unknown> = {};
  for (const { name, ours, isTime } of fieldsOf(schema)) {
    if (name in given) wire[name] = given[name];
    else {
      const value = kept[ours];
      wire[name] = isTime && typeof value === "number" ? isoUtc(value) : value;
    }
  }
  return wire as z.input<Schema>;
}

interface Field {
  readonly name: string;
  /** Name in a record. */
  readonly ours: string;
  readonly isTime: boolean;
}

const fieldsBySchema = new WeakMap<z.ZodObject, readonly Field[]>();

/** Lists convert the same schema for every row, and the names are the expensive part. */
function fieldsOf(schema: z.ZodObject): readonly Field[] {
  const known = fieldsBySchema.get(schema);
  if (known) return known;
  const fields = Object.keys(schema.shape).map((name) => ({
    name,
    ours: camelName(name),
    isTime: name.endsWith("_at"),
  }));
  fieldsBySchema.set(schema, fields);
  return fields;
}
