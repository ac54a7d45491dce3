/** Validates a request against its contract. The error names the first wrong field. */
import { z } from "zod";
import { notFound } from "../core/errors.ts";
import { isUuid } from "../core/ids.ts";
import type { Contract } from "./contract.ts";
import { bodyFields, checked, unknownField, unknownParameter } from "./contracts/check.ts";

const ID = /^[1-9]\d{0,15}$/;
const DELIVERY_ID = /^del_[0-9a-f]{32}$/;
const MONTH = /^20\d{2}-(0[1-9]|1[0-2])$/;
const CHECKOUT_ID = /^chk_[0-9a-f]{32}$/;

/** An impossible id gets the same response as an unknown one. */
export function checkParams(
  contract: Contract,
  params: Readonly<Record<string, string | null | undefined>>,
): Record<string, unknown> {
  const noun = contract.noun ?? "record";
  if (contract.path.includes("{id}")) {
    const id = params.id ?? "";
    if (!ID.test(id) || !Number.isSafeInteger(Number(id))) throw notFound(noun);
    if (contract.path.includes("{number}")) {
      const number = params.number ?? "";
      if (!ID.test(number))
        throw notFound(contract.path.includes("/versions/") ? "version" : "scenario");
      return { id: Number(id), number: Number(number) };
    }
    if (!contract.path.includes("{delivery_id}")) return { id: Number(id) };
    const delivery = params.delivery_id ?? "";
    if (!DELIVERY_ID.test(delivery)) throw notFound("delivery");
    return { id: Number(id), delivery_id: delivery };
  }
  if (contract.path.includes("{uuid}")) {
    const uuid = (params.uuid ?? "").toLowerCase();
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
  const fields = schema ? queryFieldsOf(schema) : NO_FIELDS;
  const values: Record<string, unknown> = {};
  if (search !== "")
    for (const [name, text] of new URLSearchParams(search)) {
      const isNumber = fields.get(name);
      if (isNumber === undefined) throw unknownParameter(name, new Set(fields.keys()));
      // If a parameter is sent twice, the first value counts.
      values[name] ??= isNumber ? asNumber(text) : text;
    }
  return schema ? checked(schema, values) : {};
}

/** Fields of each query schema; the value is true for numbers. */
const queryFields = new WeakMap<z.ZodObject, ReadonlyMap<string, boolean>>();
const NO_FIELDS: ReadonlyMap<string, boolean> = new Map();

function queryFieldsOf(schema: z.ZodObject) {
  const known = queryFields.get(schema);
  if (known) return known;
  const fields = new Map(
    Object.entries(schema.shape).map(([name, field]) => [name, isNumeric(field)]),
  );
  queryFields.set(schema, fields);
  return fields;
}

export function checkBody(contract: Contract, sent: Record<string, unknown>): unknown {
  const schema = contract.body;
  const known = schema ? bodyFields(schema) : new Set<string>();
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(sent)) {
    if (known.has(name)) values[name] = value;
    else throw unknownField(name, known);
  }
  return schema ? checked(schema, values) : {};
}

function isNumeric(schema: z.core.$ZodType): boolean {
  if (schema instanceof z.ZodNumber) return true;
  const inner = (schema._zod.def as { innerType?: z.core.$ZodType }).innerType;
  return inner ? isNumeric(inner) : false;
}

const asNumber = (text: string): number | string =>
  /^-?\d{1,20}(\.\d{1,10})?$/.test(text) ? Number(text) : text;
