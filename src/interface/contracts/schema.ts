/**
 * Building blocks of the API's schemas. A field carries its description and example for the
 * document, and one sentence that tells a caller how to mend a bad value.
 */
import { z } from "zod";
import { isE164 } from "../../core/e164.ts";

/** What a bad value is answered with: "`name` must …". */
export const requirements = z.registry<{ must: string }>();

export interface FieldNotes {
  readonly description: string;
  readonly example: unknown;
  /** Continues "`field` must …". */
  readonly must: string;
}

/** Give it a schema made for this field: it is described in place, unless it has a description. */
export function field<Schema extends z.ZodType>(schema: Schema, notes: FieldNotes): Schema {
  const described = noted(schema, { description: notes.description, examples: [notes.example] });
  requirements.add(described, { must: notes.must });
  return described;
}

/** A field of a response: only described. The same holds for its schema. */
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

/** `meta()` makes a schema a second time, which for a thousand fields is felt at the start. */
function noted<Schema extends z.ZodType>(schema: Schema, notes: z.GlobalMeta): Schema {
  if (z.globalRegistry.get(schema) !== undefined) return schema.meta(notes);
  z.globalRegistry.add(schema, notes);
  return schema;
}

/** Fields that may be left out; what each stands for then is said in the document, and filled in where it is stored. */
export const withDefaults = <Shape extends z.ZodRawShape>(
  shape: Shape,
  defaults: Readonly<Partial<Record<keyof Shape & string, unknown>>>,
): Shape => {
  const told = Object.entries(defaults).map(([name, value]) => [
    name,
    (shape[name] as z.ZodType).meta({ default: value }),
  ]);
  return { ...shape, ...Object.fromEntries(told) } as Shape;
};

/** The sentence of a schema, also behind optional, nullable and default. */
export function requirementOf(schema: z.core.$ZodType): string | null {
  const found = requirements.get(schema);
  if (found) return found.must;
  const inner = (schema._zod.def as { innerType?: z.core.$ZodType }).innerType;
  return inner ? requirementOf(inner) : null;
}

export const ID_MAX = Number.MAX_SAFE_INTEGER;

export const idOut = (what: string) => shown(z.int().positive(), `Id of the ${what}.`, 1);

export const idIn = (what: string) =>
  field(z.int().positive(), {
    description: `Id of one of the tenant's ${what}.`,
    example: 1,
    must: "be a positive integer",
  });

export const timeOut = (description: string) =>
  shown(
    z.iso.datetime({ offset: true }),
    `${description} ISO 8601, UTC.`,
    "2026-11-21T04:05:06+00:00",
  );

export const eurOut = (description: string) => shown(z.number(), `${description} EUR.`, 0.25);

export const e164In = (description: string) =>
  field(
    z
      .string()
      .regex(/^\+[1-9]\d{6,14}$/)
      .refine(isE164)
      .meta({ format: "e164" }),
    {
      description: `${description} E.164.`,
      example: "+37060000001",
      must: "be a number in E.164 form: + and 7 to 15 digits, like +37060000001",
    },
  );

/** https only, at most 2,048 characters, no user name or password in it. */
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
    },
  );

function isPlainHttpsUrl(text: string): boolean {
  if (/[\s\u0000-\u001f]/.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  return (
    url.protocol === "https:" && url.hostname !== "" && url.username === "" && url.password === ""
  );
}

export const label = (description: string) =>
  field(z.string().min(1).max(120).regex(/\S/), {
    description,
    example: "Front desk",
    must: "be text of 1 to 120 characters",
  });

export const page = {
  limit: (defaultLimit: number, limitMax = 200) =>
    field(z.int().min(1).max(limitMax), {
      description: "How many at most.",
      example: defaultLimit,
      must: `be an integer from 1 to ${limitMax}`,
    }).default(defaultLimit),
  offset: () =>
    field(z.int().min(0).max(ID_MAX), {
      description: "How many to skip.",
      example: 0,
      must: "be an integer of 0 or more",
    }).default(0),
};

export const okTrue = z.literal(true);

/** `{"ok":true, …}` */
export const okReply = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject({ ok: okTrue, ...shape });

export const deletedReply = () =>
  okReply({ id: z.int().positive(), deleted: z.literal(true) }).meta({ id: "Deleted" });
