/**
 * Handles read-only fields in requests: ignored if they equal the stored value, otherwise rejected. So a
 * client can send a fetched record back in a PATCH, or in a POST that copies it.
 */
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { type Contract, type Route, recordIn } from "./contract.ts";
import { bodyFields, unknownField } from "./contracts/check.ts";
import { checkParams } from "./validate.ts";

type Values = Readonly<Record<string, unknown>>;
/** Shows a record: the one at the path of the request, or the one with this id. */
type Read = (reader: Route, id?: number) => Promise<unknown>;

interface Resource {
  readonly reader: Route;
  /** Fields of the record that the request body does not accept. */
  readonly responseOnly: ReadonlySet<string>;
  /** True if the request creates a record. */
  readonly creates: boolean;
  /** The request that accepts a read-only field, if one exists. */
  readonly other: Contract | undefined;
}

export interface ResponseOnlyFields {
  /** Removes read-only fields with their stored values. Throws `unknown_field` for another value. */
  without(contract: Contract, sent: Values, read: Read): Promise<Values>;
}

/** `groups`: the routes of each mount. */
export function createResponseOnlyFields(
  groups: readonly (readonly Route[])[],
): ResponseOnlyFields {
  const resources = new Map<Contract, Resource>();
  for (const routes of groups)
    for (const { contract } of routes) {
      const resource = resourceOf(contract, routes);
      if (resource) resources.set(contract, resource);
    }
  return {
    async without(contract, sent, read) {
      const resource = resources.get(contract);
      const names = Object.keys(sent).filter((name) => resource?.responseOnly.has(name));
      if (!resource || names.length === 0) return sent;
      const stored = await storedRecord(resource, sent, read);
      for (const name of names) {
        if (resource.creates && (name === "id" || name.endsWith("_at"))) continue;
        if (!stored || !isSameValue(name, stored[name], sent[name]))
          throw unknownField(name, bodyFields(contract.body ?? z.never()), whereOf(name, resource));
      }
      return Object.fromEntries(Object.entries(sent).filter(([name]) => !names.includes(name)));
    },
  };
}

function resourceOf(contract: Contract, routes: readonly Route[]): Resource | null {
  const { body, method, path } = contract;
  if (!body) return null;
  const at = (asked: string, wanted: string) =>
    routes.find((route) => route.contract.method === asked && route.contract.path === wanted);
  const same = at("GET", path);
  const creates = method === "POST" && !contract.versioned;
  const reader = creates ? at("GET", `${path}/{id}`) : same;
  const record = reader && recordSchema(reader.contract.reply);
  if (!reader || !record) return null;
  const taken = bodyFields(body);
  return {
    reader,
    creates,
    responseOnly: new Set(Object.keys(record.shape).filter((name) => !taken.has(name))),
    other: creates
      ? at("PATCH", `${path}/{id}`)?.contract
      : at("POST", path.replace(/\/\{id\}$/, ""))?.contract,
  };
}

const recordSchema = (reply: z.ZodType): z.ZodObject | undefined =>
  Object.values(reply instanceof z.ZodObject ? reply.shape : {})
    .map((field) => (field instanceof z.ZodNullable ? field.unwrap() : field))
    .find((field) => field instanceof z.ZodObject);

async function storedRecord({ reader, creates }: Resource, sent: Values, read: Read) {
  try {
    if (!creates) return recordIn(await read(reader));
    const { id } = checkParams(reader.contract, { id: String(sent.id) }) as { id: number };
    return recordIn(await read(reader, id));
  } catch {
    // Without a record, no field has a stored value.
    return null;
  }
}

/** Compares times as instants, because the offset may differ. */
const isSameValue = (name: string, stored: unknown, sent: unknown) =>
  isDeepStrictEqual(stored, sent) ||
  (name.endsWith("_at") &&
    typeof stored === "string" &&
    typeof sent === "string" &&
    Date.parse(stored) === Date.parse(sent));

function whereOf(name: string, { creates, other }: Resource): string {
  if (!other?.body || !bodyFields(other.body).has(name))
    return `\`${name}\` is set by Linevoice. Omit it, or send its stored value.`;
  const request = `${other.method} ${other.path}`;
  return creates
    ? `Change \`${name}\` with ${request} afterwards.`
    : `\`${name}\` cannot be changed. To use another value, add a new record with ${request}.`;
}
