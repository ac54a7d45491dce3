/**
 * The do-not-call list. An entry outlives its contact, even after an erasure, and the number may never have
 * been a contact.
 *
 * Only a keyed fingerprint of the number is stored. So the list can check a number, but does not reveal its
 * numbers.
 */
import { createHmac } from "node:crypto";
import type { Database, Queries } from "../../core/database.ts";

/** Purpose for `vault.lastingKey`, which stays the same when other keys are rotated. */
export const DO_NOT_CALL_PURPOSE = "contact: numbers that refused calls";

/** Implemented by store/contact/do-not-call-store.ts. */
export interface DoNotCallRecords {
  has(tenantId: number, numberHash: string): Promise<boolean>;
  /** The given fingerprints that are on the list. */
  among(tenantId: number, numberHashes: readonly string[]): Promise<readonly string[]>;
  /** Idempotent. */
  add(tenantId: number, numberHash: string, nowMs: number): Promise<void>;
  remove(tenantId: number, numberHash: string): Promise<void>;
}

export interface DoNotCallList {
  has(queries: Queries, tenantId: number, numberE164: string): Promise<boolean>;
  /** The given numbers that are on the list. */
  among(
    queries: Queries,
    tenantId: number,
    numbersE164: readonly string[],
  ): Promise<ReadonlySet<string>>;
  add(queries: Queries, tenantId: number, numberE164: string, nowMs: number): Promise<void>;
  remove(queries: Queries, tenantId: number, numberE164: string): Promise<void>;
  /** Adds "do not call" contacts to the revocation journal, so that a restore does not lose them. */
  note(queries: Queries, tenantId: number, numbers: readonly string[]): Promise<void>;
  /** Adds an erasure to the revocation journal, so that a restore does not bring back this person's data. */
  noteErased(queries: Queries, tenantId: number, numberE164: string): Promise<void>;
}

/** Fingerprint of a number. It depends on the tenant, so that two lists are not comparable. */
export const numberFingerprintOf =
  (key: Uint8Array) =>
  (tenantId: number, numberE164: string): string =>
    createHmac("sha256", key).update(`${tenantId}:${numberE164}`).digest("base64url");

/** `key`: `vault.lastingKey(DO_NOT_CALL_PURPOSE)`. */
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
