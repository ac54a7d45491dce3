/**
 * Details of an audit log entry for a changed setting: its name, and old and new values of the requested
 * fields. Secrets are never read: their fields appear as dots. Long values are shortened around their first
 * difference.
 */
import { isDeepStrictEqual } from "node:util";
import type { AuditChange, AuditDetails } from "../../features/identity/stores.ts";
import { type Contract, isValues, type Route, recordIn } from "../contract.ts";
import type { RequestContext } from "../request-context.ts";

const CHANGES_MAX = 20;
const VALUE_LENGTH_MAX = 120;
/** Unchanged characters shown before the first difference. */
const ALIKE_LENGTH = 24;
const HIDDEN = "•••";
const SECRET_FIELD = /password|secret|token|credential|header|api_?key|(^|_)pin(_|$)/i;
/** Fields that name a record, in order of preference. */
const NAMES = ["name", "filename", "number", "server", "url"] as const;

type Values = Readonly<Record<string, unknown>>;

export interface AuditDetailsReader {
  /** Reads the record before the change. Call the returned function with the reply and the body. */
  before(
    contract: Contract,
    requestContext: RequestContext,
    read: (reader: Route) => Promise<unknown>,
  ): Promise<((reply: unknown, body: unknown) => void) | null>;
}

/** `groups`: the routes of each mount. A record is read at the path at which it is changed. */
export function createAuditDetails(groups: readonly (readonly Route[])[]): AuditDetailsReader {
  const readers = new Map<Contract, Route | undefined>();
  for (const routes of groups)
    for (const { contract } of routes.filter((route) => route.contract.recordsChanges))
      readers.set(
        contract,
        routes.find(
          (route) => route.contract.method === "GET" && route.contract.path === contract.path,
        ),
      );

  return {
    async before(contract, requestContext, read) {
      const { session } = requestContext;
      if (!readers.has(contract) || !(session || contract.audited)) return null;
      const reader = readers.get(contract);
      const isOfOne = contract.method !== "POST" || contract.versioned === true;
      // If the read fails, the change fails as well and reports the reason.
      const former = reader && isOfOne ? await read(reader).catch(() => null) : null;
      const from = recordIn(former);
      return (reply, body) => {
        const to = recordIn(reply);
        const subject = nameOf(from) ?? nameOf(to);
        const changes = from === null && isOfOne === false ? [] : changesOf(from, to, body);
        requestContext.details = {
          ...(subject !== null && { subject }),
          ...(changes.length > 0 && { changes }),
        } satisfies AuditDetails;
      };
    },
  };
}

/** The webhook's URL without its query, which may contain secrets. */
export const webhookName = ({ url }: { readonly url: string }): string =>
  shortened(withoutQuery(url), 0);

function nameOf(record: Values | null): string | null {
  const name = NAMES.map((field) => record?.[field]).find((value) => typeof value === "string");
  return typeof name === "string" ? shortened(withoutQuery(name), 0) : null;
}

function changesOf(from: Values | null, to: Values | null, body: unknown): AuditChange[] {
  if (!isValues(body)) return [];
  const changes: AuditChange[] = [];
  for (const [field, sent] of Object.entries(body)) {
    if (SECRET_FIELD.test(field)) {
      if (sent !== null && sent !== "") changes.push({ field, from: null, to: HIDDEN });
      continue;
    }
    const [before, after] = [from?.[field] ?? null, to?.[field] ?? sent];
    if (isValues(before) || isValues(after)) changes.push(...changesWithin(field, before, after));
    else if (!isDeepStrictEqual(before, after)) changes.push(changeOf(field, before, after));
  }
  return changes.slice(0, CHANGES_MAX);
}

/** Changed fields within a group of settings. */
function changesWithin(group: string, before: unknown, after: unknown): AuditChange[] {
  const [from, to] = [isValues(before) ? before : {}, isValues(after) ? after : {}];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .filter((field) => !isDeepStrictEqual(from[field], to[field]))
    .map((field) =>
      SECRET_FIELD.test(field)
        ? { field: `${group}.${field}`, from: null, to: HIDDEN }
        : changeOf(`${group}.${field}`, from[field] ?? null, to[field] ?? null),
    );
}

function changeOf(field: string, before: unknown, after: unknown): AuditChange {
  const [from, to] = [textOf(before), textOf(after)];
  const same = alikeLength(from ?? "", to ?? "");
  return {
    field,
    from: from === null ? null : shortened(from, same),
    to: to === null ? null : shortened(to, same),
  };
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined || value === "") return null;
  if (typeof value === "string") return withoutQuery(value);
  if (Array.isArray(value) && value.every((item) => typeof item !== "object"))
    return value.length === 0 ? null : value.join(", ");
  return JSON.stringify(value, (key, inner) => (SECRET_FIELD.test(key) ? HIDDEN : inner));
}

/** Removes the query and credentials of a URL, because both may contain secrets. */
function withoutQuery(text: string): string {
  if (!/^https?:\/\/\S+$/i.test(text) || !URL.canParse(text)) return text;
  const { origin, pathname } = new URL(text);
  return origin + pathname;
}

function alikeLength(left: string, right: string): number {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at++;
  return at;
}

/** At most `VALUE_LENGTH_MAX` characters around the position `from`. */
function shortened(text: string, from: number): string {
  if (text.length <= VALUE_LENGTH_MAX) return text;
  const begin = Math.max(0, Math.min(from - ALIKE_LENGTH, text.length - VALUE_LENGTH_MAX));
  const end = begin + VALUE_LENGTH_MAX;
  return `${begin > 0 ? "…" : ""}${text.slice(begin, end)}${end < text.length ? "…" : ""}`;
}
