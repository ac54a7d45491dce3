/** Requests of the last minute, for nodes that share one store. */
import { and, count, eq, lte, min } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { rateRequests } from "./schema/index.ts";

export function rateStore(queries: Queries) {
  return {
    /** Deletes a key's requests up to and including that time. */
    async forgetUntil(keyId: number, atMs: number): Promise<void> {
      await queries
        .delete(rateRequests)
        .where(and(eq(rateRequests.keyId, keyId), lte(rateRequests.at, atMs)));
    },

    async window(keyId: number) {
      const row = await queries
        .select({ count: count(), oldestMs: min(rateRequests.at) })
        .from(rateRequests)
        .where(eq(rateRequests.keyId, keyId))
        .get();
      return { count: row?.count ?? 0, oldestMs: row?.oldestMs ?? null };
    },

    async add(keyId: number, atMs: number, many: number): Promise<void> {
      await queries
        .insert(rateRequests)
        .values(Array.from({ length: many }, () => ({ keyId, at: atMs })));
    },
  };
}
