/** First responses to POST requests, stored for replay (decisions 1). */
import { and, eq, lt } from "drizzle-orm";
import type { Queries } from "../core/database.ts";
import { idempotency } from "../store/schema/index.ts";

export function idempotencyStore(queries: Queries) {
  const named = (tenantId: number, key: string) =>
    and(eq(idempotency.tenantId, tenantId), eq(idempotency.key, key));

  return {
    async find(tenantId: number, key: string) {
      return await queries.select().from(idempotency).where(named(tenantId, key)).get();
    },

    async insert(
      tenantId: number,
      claim: { key: string; method: string; path: string; bodyHash: string; createdAt: number },
    ): Promise<void> {
      await queries.insert(idempotency).values({ ...claim, tenantId });
    },

    async finish(tenantId: number, key: string, status: number, response: string): Promise<void> {
      await queries.update(idempotency).set({ status, response }).where(named(tenantId, key));
    },

    async remove(tenantId: number, key: string): Promise<void> {
      await queries.delete(idempotency).where(named(tenantId, key));
    },

    async purge(beforeMs: number): Promise<void> {
      await queries.delete(idempotency).where(lt(idempotency.createdAt, beforeMs));
    },
  };
}
