/** Validates input against a contract's schema. The error names the first wrong field. */
import { z } from "zod";
import { AppError, invalidField } from "../../core/errors.ts";
import { requirementOf } from "./schema.ts";

/** The parsed input. Throws valid_<field>_required or unknown_field, for the first issue in the order of the schema. */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const values = typeof input === "object" && input !== null ? { ...input } : {};
  const issue = result.error.issues[0];
  // The field belongs to another variant of the union.
  if (issue?.code === "unrecognized_keys")
    throw unknownField(issue.keys[0] ?? "", fittingFields(schema, values));
  const name = String(issue?.path[0] ?? "body");
  const field = fieldSchema(schema, values, name);
  const { must, ...message } = (field && requirementOf(field)) ?? { must: "have a valid value" };
  throw invalidField(name, `\`${name}\` must ${must}.`, message);
}

/** `where`: hint if another request accepts the field. */
export const unknownField = (name: string, known: ReadonlySet<string>, where?: string): AppError =>
  unknown(name, known, ["field", "fields"], where);

export const unknownParameter = (name: string, known: ReadonlySet<string>): AppError =>
  unknown(name, known, ["query parameter", "query parameters"]);

function unknown(
  name: string,
  known: ReadonlySet<string>,
  [one, several]: readonly [string, string],
  where?: string,
): AppError {
  const shown = name.length > 60 ? `${name.slice(0, 60)}…` : name;
  const list = [...known].join(", ") || "none";
  return new AppError({
    code: "unknown_field",
    publicMessage: `${where ?? `Unknown ${one} \`${shown}\`.`} Known ${several}: ${list}.`,
    field: shown,
  });
}

const variants = (schema: z.ZodType): z.ZodObject[] => {
  if (schema instanceof z.ZodObject) return [schema];
  if (schema instanceof z.ZodDiscriminatedUnion)
    return schema.options.filter((option) => option instanceof z.ZodObject);
  return [];
};

/** The fields of all variants of a union. The schema decides which may occur together. */
export function bodyFields(schema: z.ZodType): ReadonlySet<string> {
  return new Set(variants(schema).flatMap((variant) => Object.keys(variant.shape)));
}

const fitting = (schema: z.ZodType, values: Readonly<Record<string, unknown>>) =>
  variants(schema).find((variant) => variant.shape.item?.safeParse(values.item).success);

const fittingFields = (schema: z.ZodType, values: Record<string, unknown>) =>
  new Set(Object.keys(fitting(schema, values)?.shape ?? {}));

function fieldSchema(schema: z.ZodType, values: Record<string, unknown>, name: string) {
  const all = variants(schema).map((variant) => variant.shape[name] as z.ZodType | undefined);
  const chosen = fitting(schema, values)?.shape[name] as z.ZodType | undefined;
  return chosen ?? all.find((field) => field !== undefined);
}
