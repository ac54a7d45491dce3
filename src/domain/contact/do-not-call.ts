/**
 * "Don't call me" outlives what else is known of a person: a contact that is deleted, a person who is erased, a
 * number that never was a contact. What is kept is a fingerprint of the number, under a key that comes from
 * the appliance's root: it says whether a number is one that refused, and not which numbers did.
 */
import { createHmac } from "node:crypto";
import type { Database, Queries } from "../../core/database.ts";

/** For `vault.lastingKey`: the same after the master key and the purposes' root were changed. */
export const DO_NOT_CALL_PURPOSE = "contact: numbers that refused calls";

/** Implemented by store/do-not-call-store.ts. */
export interface DoNotCallRecords {
  has(tenantId: number, numberHash: string): Promise<boolean>;
  /** Those of these that refused. */
  among(tenantId: number, numberHashes: readonly string[]): Promise<readonly string[]>;
  /** Again changes nothing. */
  add(tenantId: number, numberHash: string, nowMs: number): Promise<void>;
  remove(tenantId: number, numberHash: string): Promise<void>;
}

export interface DoNotCallList {
  has(queries: Queries, tenantId: number, numberE164: string): Promise<boolean>;
  /** Those of these that refused. */
  among(
    queries: Queries,
    tenantId: number,
    numbersE164: readonly string[],
  ): Promise<ReadonlySet<string>>;
  add(queries: Queries, tenantId: number, numberE164: string, nowMs: number): Promise<void>;
  /** The person has changed their mind. */
  remove(queries: Queries, tenantId: number, numberE164: string): Promise<void>;
  /** A contact says so, which is where it is kept: no restore may lose it. */
  note(queries: Queries, tenantId: number, numbers: readonly string[]): Promise<void>;
  /** Nothing of this person may come back with a restore. */
  noteErased(queries: Queries, tenantId: number, numberE164: string): Promise<void>;
}

/** How a number stands in the store and in the journal. Of the tenant too: two lists cannot be compared. */
export const numberFingerprintOf =
  (key: Uint8Array) =>
  (tenantId: number, numberE164: string): string =>
    createHmac("sha256", key).update(`${tenantId}:${numberE164}`).digest("base64url");

/** `key`: `vault.lastingKey(REFUSALS_PURPOSE)`. */
export function createDoNotCallList(
  records: (queries: Queries) => DoNotCallRecords,
  key: Uint8Array,
  database: Pick<Database, "revocations">,
): DoNotCallList {
  const hashOf = numberFingerprintOf(key);
  const noted = (tenant: number, person: string, kept: boolean) =>
    ({ kind: "refusal", tenant, person, kept }) as const;
  return {
    has: (queries, tenantId, number) => records(queries).has(tenantId, hashOf(tenantId, number)),
    async add(queries, tenantId, number, nowMs) {
      const person = hashOf(tenantId, number);
      await records(queries).add(tenantId, person, nowMs);
      await database.revocations.note(queries, [noted(tenantId, person, true)]);
    },
    async remove(queries, tenantId, number) {
      const person = hashOf(tenantId, number);
      await records(queries).remove(tenantId, person);
      await database.revocations.note(queries, [noted(tenantId, person, false)]);
    },
    async note(queries, tenantId, numbers) {
      const persons = numbers.map((number) => noted(tenantId, hashOf(tenantId, number), true));
      await database.revocations.note(queries, persons);
    },
    async noteErased(queries, tenantId, number) {
      const person = hashOf(tenantId, number);
      await database.revocations.note(queries, [{ kind: "erased", tenant: tenantId, person }]);
    },
    async among(queries, tenantId, numbers) {
      const byHash = new Map(numbers.map((number) => [hashOf(tenantId, number), number]));
      const found = await records(queries).among(tenantId, [...byHash.keys()]);
      return new Set(found.map((hash) => byHash.get(hash) ?? ""));
    },
  };
}
