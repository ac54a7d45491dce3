/**
 * "Don't call me" outlives what else is known of a person: a contact that is deleted, a person who is erased, a
 * number that never was a contact. What is kept is a fingerprint of the number, under a key that comes from
 * the appliance's root: it says whether a number is one that refused, and not which numbers did.
 */
import { createHmac } from "node:crypto";
import type { Queries } from "../store/database.ts";

/** For `vault.deriveKey`: the same after the master key was changed. */
export const REFUSALS_PURPOSE = "contact: numbers that refused calls";

/** Implemented by store/refusal-store.ts. */
export interface RefusalRecords {
  has(tenantId: number, numberHash: string): Promise<boolean>;
  /** Again changes nothing. */
  add(tenantId: number, numberHash: string, nowMs: number): Promise<void>;
  remove(tenantId: number, numberHash: string): Promise<void>;
}

export interface Refusals {
  has(queries: Queries, tenantId: number, numberE164: string): Promise<boolean>;
  keep(queries: Queries, tenantId: number, numberE164: string, nowMs: number): Promise<void>;
  /** The person has changed their mind. */
  lift(queries: Queries, tenantId: number, numberE164: string): Promise<void>;
}

/** `key`: `vault.deriveKey(REFUSALS_PURPOSE)`. */
export function createRefusals(
  records: (queries: Queries) => RefusalRecords,
  key: Uint8Array,
): Refusals {
  // Of the tenant too: two tenants' lists cannot be compared.
  const hashOf = (tenantId: number, numberE164: string) =>
    createHmac("sha256", key).update(`${tenantId}:${numberE164}`).digest("base64url");
  return {
    has: (queries, tenantId, number) => records(queries).has(tenantId, hashOf(tenantId, number)),
    keep: (queries, tenantId, number, nowMs) =>
      records(queries).add(tenantId, hashOf(tenantId, number), nowMs),
    lift: (queries, tenantId, number) =>
      records(queries).remove(tenantId, hashOf(tenantId, number)),
  };
}
