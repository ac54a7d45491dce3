/** First responses to POST requests, stored for replay (decisions.md 1). */
import { and, eq, lt } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { idempotency } from "./schema/index.ts";

export interface IdempotencyRecord {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly bodyHash: string;
  readonly status: number | null;
  readonly response: string | null;
  readonly createdAt: number;
}

export interface IdempotencyRecords {
  find(tenantId: number, key: string): Promise<IdempotencyRecord | undefined>;
  insert(
    tenantId: number,
    claim: { key: string; method: string; path: string; bodyHash: string; createdAt: number },
  ): Promise<void>;
  finish(tenantId: number, key: string, status: number, response: string): Promise<void>;
  remove(tenantId: number, key: string): Promise<void>;
  purge(beforeMs: number): Promise<void>;
}

export function idempotencyStore(queries: Queries): IdempotencyRecords {
  const named = (tenantId: number, key: string) =>
    and(eq(idempotency.tenantId, tenantId), eq(idempotency.key, key));

  return {
    async find(tenantId, key) {
      return await queries.select().from(idempotency).where(named(tenantId, key)).get();
    },

    async insert(tenantId, claim) {
      await queries.insert(idempotency).values({ ...claim, tenantId });
    },

    async finish(tenantId, key, status, response) {
      await queries.update(idempotency).set({ status, response }).where(named(tenantId, key));
    },

    async remove(tenantId, key) {
      await queries.delete(idempotency).where(named(tenantId, key));
    },

    async purge(beforeMs) {
      await queries.delete(idempotency).where(lt(idempotency.createdAt, beforeMs));
    },
  };
}
