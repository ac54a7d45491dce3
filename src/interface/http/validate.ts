/** Checks what came in against a contract; the first thing wrong is named in the error. */
import { z } from "zod";
import { AppError, invalidField, notFound } from "../../core/errors.ts";
import { isUuid } from "../../core/ids.ts";
import { requirementOf } from "../contracts/schema.ts";
import type { Contract } from "./contract.ts";

const ID = /^[1-9]\d{0,15}$/;
const DELIVERY_ID = /^del_[0-9a-f]{32}$/;
const MONTH = /^20\d{2}-(0[1-9]|1[0-2])$/;
const CHECKOUT_ID = /^chk_[0-9a-f]{32}$/;

/** A path id that cannot exist is answered like one that does not. */
export function checkParams(
  contract: Contract,
  params: Readonly<Record<string, string | null | undefined>>,
): Record<string, unknown> {
  const noun = contract.noun ?? "record";
  if (contract.path.includes("{id}")) {
    const id = params.id ?? "";
    if (!ID.test(id) || !Number.isSafeInteger(Number(id))) throw notFound(noun);
    if (!contract.path.includes("{delivery_id}")) return { id: Number(id) };
    const delivery = params.delivery_id ?? "";
    if (!DELIVERY_ID.test(delivery)) throw notFound("delivery");
    return { id: Number(id), delivery_id: delivery };
  }
  if (contract.path.includes("{uuid}")) {
    const uuid = params.uuid ?? "";
    if (!isUuid(uuid)) throw notFound(noun);
    return { uuid };
  }
  if (contract.path.includes("{checkout_id}")) {
    const checkout = params.checkout_id ?? "";
    if (!CHECKOUT_ID.test(checkout)) throw notFound(noun);
    return { checkout_id: checkout };
  }
  if (contract.path.includes("{month}")) {
    const month = params.month ?? "";
    if (!MONTH.test(month)) throw notFound(noun);
    return { month };
  }
  return {};
}

export function checkQuery(contract: Contract, search: string): Record<string, unknown> {
  const schema = contract.query;
  if (!schema) return {};
  const sent = new URLSearchParams(search);
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.shape)) {
    const text = sent.get(name);
    if (text !== null) values[name] = isNumeric(field) ? asNumber(text) : text;
  }
  return check(schema, values);
}

export function checkBody(contract: Contract, sent: Record<string, unknown>): unknown {
  const schema = contract.body;
  const ignored = contract.ignoredBodyFields ?? [];
  const known = schema ? bodyFields(schema) : new Set<string>();
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(sent)) {
    if (known.has(name)) values[name] = value;
    else if (!ignored.includes(name)) throw unknownField(name, known);
  }
  return schema ? check(schema, values) : {};
}

/** The first issue, by the order of the schema's fields. */
function check(schema: z.ZodType, values: Record<string, unknown>): Record<string, unknown> {
  const result = schema.safeParse(values);
  if (result.success) return result.data as Record<string, unknown>;
  const issue = result.error.issues[0];
  // A field of another variant of a union: known here, but not together with these.
  if (issue?.code === "unrecognized_keys")
    throw unknownField(issue.keys[0] ?? "", fittingFields(schema, values));
  const name = String(issue?.path[0] ?? "body");
  const field = fieldSchema(schema, values, name);
  const must = (field && requirementOf(field)) ?? "have a valid value";
  throw invalidField(name, `\`${name}\` must ${must}.`);
}

function unknownField(name: string, known: ReadonlySet<string>): AppError {
  const shown = name.length > 60 ? `${name.slice(0, 60)}…` : name;
  const list = [...known].join(", ") || "none";
  return new AppError({
    code: "unknown_field",
    publicMessage: `There is no field \`${shown}\` here. Known fields: ${list}.`,
    field: shown,
  });
}

const variants = (schema: z.ZodType): z.ZodObject[] => {
  if (schema instanceof z.ZodObject) return [schema];
  if (schema instanceof z.ZodDiscriminatedUnion)
    return schema.options.filter((option) => option instanceof z.ZodObject);
  return [];
};

/** Of every variant of a union: which belong together is the schema's to say. */
export function bodyFields(schema: z.ZodType): ReadonlySet<string> {
  return new Set(variants(schema).flatMap((variant) => Object.keys(variant.shape)));
}

const fitting = (schema: z.ZodType, values: Record<string, unknown>) =>
  variants(schema).find((variant) => variant.shape.item?.safeParse(values.item).success);

const fittingFields = (schema: z.ZodType, values: Record<string, unknown>) =>
  new Set(Object.keys(fitting(schema, values)?.shape ?? {}));

function fieldSchema(schema: z.ZodType, values: Record<string, unknown>, name: string) {
  const all = variants(schema).map((variant) => variant.shape[name] as z.ZodType | undefined);
  const chosen = fitting(schema, values)?.shape[name] as z.ZodType | undefined;
  return chosen ?? all.find((field) => field !== undefined);
}

function isNumeric(schema: z.core.$ZodType): boolean {
  if (schema instanceof z.ZodNumber) return true;
  const inner = (schema._zod.def as { innerType?: z.core.$ZodType }).innerType;
  return inner ? isNumeric(inner) : false;
}

const asNumber = (text: string): number | string =>
  /^-?\d{1,20}(\.\d{1,10})?$/.test(text) ? Number(text) : text;
