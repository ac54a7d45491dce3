/**
 * Versions of records (RFC 9110: ETag, If-None-Match, If-Match): the GET of a record answers its version, or 304
 * to who names that one. Who changes the record may name the version they saw: if the record is another by
 * then, the change is refused with `conflict` on the field `if_match`, and nothing is written. Changes of one
 * record that name a version run one after another within this process.
 */
import { AppError } from "../../core/errors.ts";
import type { Contract, Route } from "./contract.ts";

/** A JSON answer as its version. */
export const versionOf = (json: string): string => `"${Bun.hash(json).toString(36)}"`;

const changesRecord = ({ method, versioned }: Contract) => method === "PATCH" || versioned === true;

export interface Versions {
  /** Whether the route's answer carries a version. */
  has(contract: Contract): boolean;
  /**
   * Runs `change` unless the record is none of the versions in `seen` (RFC 9110 13.1.1: one, several, or
   * `*` for any). `key` names the record.
   */
  guard<Result>(
    change: { readonly contract: Contract; readonly key: string; readonly seen: string | null },
    read: (reader: Route) => Promise<unknown>,
    run: () => Promise<Result>,
  ): Promise<Result>;
}

/** `groups`: the routes of each mount. A record is read at the path at which it is changed. */
export function createVersions(groups: readonly (readonly Route[])[]): Versions {
  const readers = new Map<Contract, Route>();
  for (const routes of groups)
    for (const { contract } of routes.filter((route) => changesRecord(route.contract))) {
      const reader = routes.find(
        (route) => route.contract.method === "GET" && route.contract.path === contract.path,
      );
      if (reader) readers.set(contract, reader);
    }
  const versioned = new Set([...readers.values()].map(({ contract }) => contract));
  const underWay = new Map<string, Promise<unknown>>();

  return {
    has: (contract) => versioned.has(contract),
    async guard({ contract, key, seen }, read, run) {
      const reader = readers.get(contract);
      if (seen === null || !reader || seen.trim() === "*") return await run();
      const before = underWay.get(key);
      const result = (async () => {
        await before?.catch(() => undefined);
        const version = versionOf(JSON.stringify(await read(reader)));
        if (!namesVersion(seen, version)) throw changedSince();
        return await run();
      })();
      underWay.set(key, result);
      try {
        return await result;
      } finally {
        if (underWay.get(key) === result) underWay.delete(key);
      }
    },
  };
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
