/** Requests of the last minute, for nodes that share one store. */
import { and, count, eq, lte, min } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { rateRequests } from "./schema/index.ts";

export interface RequestLog {
  /** Deletes a key's requests up to and including that time. */
  forgetUntil(keyId: number, atMs: number): Promise<void>;
  window(keyId: number): Promise<{ readonly count: number; readonly oldestMs: number | null }>;
  add(keyId: number, atMs: number, count: number): Promise<void>;
}

export function rateStore(queries: Queries): RequestLog {
  return {
    async forgetUntil(keyId, atMs) {
      await queries
        .delete(rateRequests)
        .where(and(eq(rateRequests.keyId, keyId), lte(rateRequests.at, atMs)));
    },

    async window(keyId) {
      const row = await queries
        .select({ count: count(), oldestMs: min(rateRequests.at) })
        .from(rateRequests)
        .where(eq(rateRequests.keyId, keyId))
        .get();
      return { count: row?.count ?? 0, oldestMs: row?.oldestMs ?? null };
    },

    async add(keyId, atMs, many) {
      await queries
        .insert(rateRequests)
        .values(Array.from({ length: many }, () => ({ keyId, at: atMs })));
    },
  };
}
