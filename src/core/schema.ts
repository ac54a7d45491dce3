/**
 * Building blocks of schemas. A field has a description and an example for the API document, and
 * one sentence that explains how to correct an invalid value.
 */
import { z } from "zod";
import { isCallersNumber, isE164 } from "./e164.ts";
import type { MessageName } from "./message-reasons.ts";
import { ONE_LINE } from "./one-line.ts";

/** The error message of an invalid value: "`name` must …". */
interface Requirement extends MessageName {
  readonly must: string;
}

const requirements = z.registry<Requirement>();

interface FieldNotes extends MessageName {
  readonly description: string;
  readonly example: unknown;
  /** Continues "`field` must …". */
  readonly must: string;
}

/** Pass a schema created for this field: it is modified, unless it already has a description. */
export function field<Schema extends z.ZodType>(schema: Schema, notes: FieldNotes): Schema {
  const described = noted(schema, { description: notes.description, examples: [notes.example] });
  const { must, reason, params } = notes;
  requirements.add(described, { must, reason, params });
  return described;
}

/** A field of a response: has only a description. Its schema is modified, too. */
export function shown<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  example?: unknown,
): Schema {
  return noted(schema, {
    description,
    ...(example === undefined ? {} : { examples: [example] }),
  });
}

/** `meta()` creates the schema again, which for a thousand fields delays the start noticeably. */
function noted<Schema extends z.ZodType>(schema: Schema, notes: z.GlobalMeta): Schema {
  if (z.globalRegistry.get(schema) !== undefined) return schema.meta(notes);
  z.globalRegistry.add(schema, notes);
  return schema;
}

type Check<Value> = z.core.$ZodCheck<Value>;

/**
 * Schemas created together with their checks. `.min()`, `.regex()` and `.refine()` each create the
 * schema again, which takes five times as long, and a start creates hundreds.
 */
export const stringWith = (...checks: Check<string>[]) =>
  new z.ZodString({ type: "string", checks });

/** Longer values are not checked further: a pattern over a whole body would block the thread. */
export const atMost = (max: number) => z.maxLength(max, { abort: true });

export const numberWith = (...checks: Check<number>[]) =>
  new z.ZodNumber({ type: "number", checks });

export const integerWith = (...checks: Check<number>[]) =>
  new z.ZodNumberFormat({
    type: "number",
    check: "number_format",
    format: "safeint",
    abort: false,
    checks,
  }) as z.ZodInt;

/** Requirement of a schema, also inside optional, nullable and default. */
export function requirementOf(schema: z.core.$ZodType): Requirement | null {
  const found = requirements.get(schema);
  if (found) return found;
  const inner = (schema._zod.def as { innerType?: z.core.$ZodType }).innerType;
  return inner ? requirementOf(inner) : null;
}

const listed = (words: readonly string[]) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

export const flag = (description: string, example = false) =>
  field(z.boolean(), { description, example, must: "be true or false" });

export const choice = <const Words extends readonly [string, ...string[]]>(
  words: Words,
  description: string,
  example: Words[number],
) => field(z.enum(words), { description, example, must: `be ${listed(words)}`, reason: "choice" });

export const integer = (min: number, max: number, description: string, example: number) =>
  field(integerWith(z.gte(min), z.lte(max)), {
    description,
    example,
    must: `be an integer from ${min} to ${max}`,
    reason: "range",
    params: { from: min, to: max },
  });

const ON_ONE_LINE = "on one line, without control or invisible characters";

/** Text that may be empty. */
export const text = (max: number, description: string, example: string) =>
  field(stringWith(z.maxLength(max)), {
    description,
    example,
    must: `be text of at most ${max} characters`,
    reason: "length_max",
    params: { to: max },
  });

/** Text with at least one visible character. */
export const filled = (max: number, description: string, example: string) =>
  field(stringWith(z.minLength(1), z.maxLength(max), z.regex(/\S/)), {
    description,
    example,
    must: `be text of 1 to ${max} characters`,
    reason: "length",
    params: { from: 1, to: max },
  });

/** A name on one line, with at least one visible character. Spaces around it are removed. */
export const nameIn = (max: number, description: string, example: string) =>
  field(stringWith(z.trim(), z.minLength(1), atMost(max), z.regex(ONE_LINE)), {
    description,
    example,
    must: `be text of 1 to ${max} characters ${ON_ONE_LINE}`,
    reason: "one_line",
    params: { from: 1, to: max },
  });

export const nameOrEmpty = (max: number, description: string, example: string) =>
  field(stringWith(atMost(max), z.regex(ONE_LINE)), {
    description,
    example,
    must: `be text of at most ${max} characters ${ON_ONE_LINE}`,
    reason: "one_line",
    params: { from: 0, to: max },
  });

export const emailIn = (description: string) =>
  field(z.string().check(atMost(254), z.email()), {
    description,
    example: "office@example.com",
    must: "be an email address of at most 254 characters",
    reason: "email",
  });

export const e164In = (description: string) =>
  field(
    z
      .string()
      .regex(/^\+[1-9]\d{6,14}$/)
      .refine((number): boolean => isE164(number))
      .meta({ format: "e164" }),
    {
      description: `${description} E.164.`,
      example: "+37060000001",
      must: "be a number with its country code: + and 7 to 15 digits, like +37060000001",
      reason: "number",
    },
  );

/** A number that a call can have as its caller. */
export const callersNumberIn = (description: string) =>
  field(
    z
      .string()
      .regex(/^(?:\+[1-9]\d{6,14}|\d{2,6})$/)
      .refine((number): boolean => isCallersNumber(number)),
    {
      description: `${description} E.164, or a short number as calls show it.`,
      example: "+37060000001",
      must: "be a number in E.164 form, like +37060000001, or a short number of 2 to 6 digits, like 1001",
      reason: "callers_number",
    },
  );

/** `more` says what `null` means. */
export const idIn = (what: string, more = "") =>
  field(integerWith(z.positive()), {
    description: `Id from the tenant's list of ${what}.${more && ` ${more}`}`,
    example: 1,
    must: "be a positive integer",
    reason: "choice",
  });

/** https only, at most 2,048 characters, without user name and password. */
export const httpsUrl = (description: string) =>
  field(
    z
      .string()
      .max(2048)
      .regex(/^[Hh][Tt][Tt][Pp][Ss]:\/\//)
      .refine(isPlainHttpsUrl)
      .meta({ format: "uri" }),
    {
      description: `${description} https only.`,
      example: "https://example.com/hooks/linevoice",
      must: "be an https:// URL of at most 2048 characters without user name or password",
      reason: "url",
    },
  );

function isPlainHttpsUrl(text: string): boolean {
  if (/[\s\u0000-\u001f]/.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  return (
    url.protocol === "https:" && url.hostname !== "" && url.username === "" && url.password === ""
  );
}

/**
 * An instant in the formats of ISO 8601 and RFC 3339: also without seconds, with a space or
 * lower-case letters (RFC 3339, 5.6). The offset may have the format of PHP's DATE_ISO8601 and
 * Python's `%z` (`+0200`) or PostgreSQL (`+02`). Without a zone it is UTC. The day must exist.
 * Date.parse accepts the output.
 */
export const timeIn = () =>
  z
    .string()
    .regex(
      /^\d{4}-\d\d-\d\d[Tt ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?([Zz]|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)?$/,
    )
    .refine((text) => z.iso.date().safeParse(text.slice(0, 10)).success)
    .overwrite((text) =>
      /[Zz]$|[+-]\d\d(:?\d\d)?$/.test(text) ? text.replace(/[+-]\d\d$/, "$&:00") : `${text}Z`,
    );

export const timeOut = (description: string) =>
  shown(
    z.iso.datetime({ offset: true }),
    `${description} ISO 8601, UTC.`,
    "2026-11-21T04:05:06+00:00",
  );

export const timeOrNull = (description: string) =>
  shown(z.iso.datetime({ offset: true }).nullable(), `${description} ISO 8601, UTC.`, null);

/** The schema inside optional, nullable and default. */
function innermost(schema: z.core.$ZodType): z.core.$ZodType {
  const inner = (schema._zod.def as { innerType?: z.core.$ZodType }).innerType;
  return inner ? innermost(inner) : schema;
}

type Change<Schema> =
  Schema extends z.ZodDefault<infer Inner extends z.core.SomeType>
    ? z.ZodOptional<Inner>
    : Schema extends z.ZodOptional<infer Inner extends z.core.SomeType>
      ? z.ZodOptional<Inner>
      : z.ZodOptional<Schema extends z.core.SomeType ? Schema : never>;

/** The same fields in a change: an omitted field stays unchanged. */
export function changesOf<Shape extends z.ZodRawShape>(
  shape: Shape,
): { [Name in keyof Shape]: Change<Shape[Name]> } {
  const change = (schema: z.core.$ZodType): z.ZodOptional =>
    z.optional(
      schema instanceof z.ZodDefault || schema instanceof z.ZodOptional ? schema.unwrap() : schema,
    );
  return Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [name, change(schema)]),
  ) as { [Name in keyof Shape]: Change<Shape[Name]> };
}

type Shown<Shape extends z.ZodRawShape> = {
  [Name in keyof Shape]: z.ZodType<
    Exclude<z.output<Shape[Name]>, undefined>,
    Exclude<z.output<Shape[Name]>, undefined>
  >;
};

/**
 * The same fields in a response: type, description and example, without the input limits, which
 * older records may violate.
 */
export function shownFields<Shape extends z.ZodRawShape>(shape: Shape): Shown<Shape> {
  return Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [name, shownField(schema)]),
  ) as Shown<Shape>;
}

function shownField(schema: z.core.$ZodType): z.ZodType {
  const inner = innermost(schema);
  const { description = "", examples } = z.globalRegistry.get(inner) ?? {};
  return shown(
    isNullable(schema) ? unbounded(inner).nullable() : unbounded(inner),
    description,
    Array.isArray(examples) ? examples[0] : undefined,
  );
}

function isNullable(schema: z.core.$ZodType): boolean {
  if (schema instanceof z.ZodNullable) return true;
  const inner = (schema._zod.def as { innerType?: z.core.$ZodType }).innerType;
  return inner !== undefined && isNullable(inner);
}

/** Throws for a kind of schema that no resource uses yet. */
function unbounded(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodEnum) return z.enum(schema.enum);
  if (schema instanceof z.ZodLiteral) return z.literal([...schema.values]);
  const { type } = schema._zod.def;
  if (type === "string") return z.string();
  if (type === "number") return schema instanceof z.ZodNumberFormat ? z.int() : z.number();
  if (type === "boolean") return z.boolean();
  if (schema instanceof z.ZodArray) return z.array(unbounded(schema.element));
  if (type === "record") return z.record(z.string(), z.unknown());
  throw new Error(`a field of type ${type} has no form for answers`);
}
