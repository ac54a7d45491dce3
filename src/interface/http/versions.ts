/**
 * Versions of records (RFC 9110: ETag, If-None-Match, If-Match): the GET of a record answers its version, or 304
 * to who names that one; the answer to a change has the version that came of it. Who changes or deletes the record
 * may name the version they saw: if the record is another by then, the change is refused with `conflict` on the
 * field `if_match`, and nothing is written. Changes of one record run one after another within this process.
 */
import { z } from "zod";
import { AppError } from "../../core/errors.ts";
import type { Contract, Route } from "./contract.ts";

/** A JSON answer as its version. */
export const versionOf = (json: string): string => `"${Bun.hash(json).toString(36)}"`;

type Kind = Pick<Contract, "method" | "versioned">;

const replacesRecord = ({ method, versioned }: Kind) => method === "PATCH" || versioned === true;

/** Whether the route takes `If-Match`, where the record at its path has versions. */
export const takesIfMatch = (contract: Kind) =>
  replacesRecord(contract) || contract.method === "DELETE";

/** Whether answers carry the version, where the record at its path has versions. */
export const answersVersion = (contract: Kind) =>
  replacesRecord(contract) || contract.method === "GET";

/** The paths whose records have versions: those that can be read and changed. */
export function versionedPaths(contracts: readonly Contract[]): ReadonlySet<string> {
  const changed = new Set(contracts.filter(replacesRecord).map(({ path }) => path));
  const read = contracts.filter(({ method, path }) => method === "GET" && changed.has(path));
  return new Set(read.map(({ path }) => path));
}

/** A change, and the version that came of it; null: the record has none. */
interface Changed<Result> {
  readonly result: Result;
  readonly version: string | null;
}

export interface Versions {
  /** Whether the route shows a record that has versions. */
  has(contract: Contract): boolean;
  /**
   * Runs `change` unless the record is none of the versions in `seen` (RFC 9110 13.1.1: one, several, or
   * `*` for any). `key` names the record.
   */
  guard<Result>(
    change: { readonly contract: Contract; readonly key: string; readonly seen: string | null },
    read: (reader: Route) => Promise<unknown>,
    run: () => Promise<Result>,
  ): Promise<Changed<Result>>;
}

/** `groups`: the routes of each mount. A record is read at the path at which it is changed. */
export function createVersions(groups: readonly (readonly Route[])[]): Versions {
  const readers = new Map<Contract, Route>();
  for (const routes of groups) {
    const paths = versionedPaths(routes.map(({ contract }) => contract));
    const shown = routes.filter(
      ({ contract: { method, path } }) => method === "GET" && paths.has(path),
    );
    for (const { contract } of routes) {
      const reader = shown.find((route) => route.contract.path === contract.path);
      if (reader && takesIfMatch(contract)) readers.set(contract, reader);
    }
  }
  const versioned = new Set([...readers.values()].map(({ contract }) => contract));
  const underWay = new Map<string, Promise<unknown>>();

  return {
    has: (contract) => versioned.has(contract),
    async guard({ contract, key, seen }, read, run) {
      const reader = readers.get(contract);
      if (!reader) return { result: await run(), version: null };
      const before = underWay.get(key);
      const changing = (async () => {
        await before?.catch(() => undefined);
        if (seen !== null && seen.trim() !== "*") {
          const version = versionOf(JSON.stringify(await read(reader)));
          if (!namesVersion(seen, version)) throw changedSince();
        }
        const result = await run();
        return { result, version: await versionAfter(contract, reader, result, read) };
      })();
      underWay.set(key, changing);
      try {
        return await changing;
      } finally {
        if (underWay.get(key) === changing) underWay.delete(key);
      }
    },
  };
}

/**
 * Of what was answered, never of what somebody else has made of it since. An answer that shows less than the GET,
 * such as a file without its content, is looked up in it.
 */
async function versionAfter(
  contract: Contract,
  reader: Route,
  result: unknown,
  read: (reader: Route) => Promise<unknown>,
): Promise<string | null> {
  if (!answersVersion(contract)) return null;
  if (isSameReply(contract.reply, reader.contract.reply)) return versionOf(JSON.stringify(result));
  const now = await read(reader).catch(() => null);
  return holds(now, result) ? versionOf(JSON.stringify(now)) : null;
}

function isSameReply(reply: z.ZodType, shown: z.ZodType): boolean {
  if (!(reply instanceof z.ZodObject && shown instanceof z.ZodObject)) return false;
  const names = Object.keys(shown.shape);
  return (
    names.length === Object.keys(reply.shape).length &&
    names.every((name) => shown.shape[name] === reply.shape[name])
  );
}

/** Whether all of `part` stands in `whole`. */
function holds(whole: unknown, part: unknown): boolean {
  if (typeof part !== "object" || part === null) return whole === part;
  if (typeof whole !== "object" || whole === null) return false;
  return Object.entries(part).every(([name, value]) => holds(Reflect.get(whole, name), value));
}

/** Whether a field of a condition names `version`: it names one, several, or `*` for any (RFC 9110, 13.1). */
export const namesVersion = (field: string, version: string): boolean =>
  field.trim() === "*" || field.split(",").some((tag) => withoutMarks(tag) === version);

/** Proxies that compress an answer mark its ETag: nginx `W/"…"`, Apache and Caddy `"…-gzip"`. */
const withoutMarks = (tag: string) => tag.trim().replace(/^W\/|-\w+(?="$)/g, "");

const changedSince = () =>
  new AppError({
    code: "conflict",
    field: "if_match",
    publicMessage:
      "The record was changed since you read it. Read it again, and send your change with its new ETag.",
  });
