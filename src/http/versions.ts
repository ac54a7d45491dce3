/**
 * Versions of records (RFC 9110: ETag, If-None-Match, If-Match). A GET returns the record's version, or 304
 * if the client has it. The response to a change returns the new version. A change or deletion may name the
 * version that the client saw. If the record has changed since, the request is rejected with `conflict` on
 * the field `if_match`, and nothing is written. Changes of one record run one after another within this
 * process.
 */
import { z } from "zod";
import { AppError } from "../core/errors.ts";
import type { Contract, Route } from "./contract.ts";

/** Version (ETag) of a JSON response. */
export const versionOf = (json: string): string => `"${Bun.hash(json).toString(36)}"`;

type Kind = Pick<Contract, "method" | "versioned">;

const replacesRecord = ({ method, versioned }: Kind) => method === "PATCH" || versioned === true;

/** True if the route accepts `If-Match` for records with versions. */
export const takesIfMatch = (contract: Kind) =>
  replacesRecord(contract) || contract.method === "DELETE";

/** True if responses include the version for records with versions. */
export const answersVersion = (contract: Kind) =>
  replacesRecord(contract) || contract.method === "GET";

/** Paths of records with versions: those that can be read and changed. */
export function versionedPaths(contracts: readonly Contract[]): ReadonlySet<string> {
  const changed = new Set(contracts.filter(replacesRecord).map(({ path }) => path));
  const read = contracts.filter(({ method, path }) => method === "GET" && changed.has(path));
  return new Set(read.map(({ path }) => path));
}

/** Result of a change and the new version; null: the record has none. */
interface Changed<Result> {
  readonly result: Result;
  readonly version: string | null;
}

export interface Versions {
  /** True if the route shows a record with versions. */
  has(contract: Contract): boolean;
  /**
   * Runs `change` unless the record's version differs from those in `seen` (RFC 9110 13.1.1: one, several, or
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
 * Version of the returned record, never of a later change by another request. A reply with fewer fields than
 * the GET, such as a file without its content, is compared with a new read.
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

/** True if `whole` contains all of `part`. */
function holds(whole: unknown, part: unknown): boolean {
  if (typeof part !== "object" || part === null) return whole === part;
  if (typeof whole !== "object" || whole === null) return false;
  return Object.entries(part).every(([name, value]) => holds(Reflect.get(whole, name), value));
}

/** True if the condition names `version`: one, several, or `*` for any (RFC 9110, 13.1). */
export const namesVersion = (field: string, version: string): boolean =>
  field.trim() === "*" || field.split(",").some((tag) => withoutMarks(tag) === version);

/** Proxies that compress a response mark its ETag: nginx `W/"…"`, Apache and Caddy `"…-gzip"`. */
const withoutMarks = (tag: string) => tag.trim().replace(/^W\/|-\w+(?="$)/g, "");

const changedSince = () =>
  new AppError({
    code: "conflict",
    field: "if_match",
    publicMessage:
      "The record has changed since you read it. Read it again, then send your change with the new ETag.",
  });
