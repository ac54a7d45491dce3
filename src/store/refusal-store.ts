/** Fingerprints of numbers that refused calls: rows of `call_refusals`. */
import { and, eq } from "drizzle-orm";
import type { RefusalRecords } from "../contact/refusals.ts";
import type { Queries } from "./database.ts";
import { callRefusals } from "./schema/index.ts";

export function refusalStore(queries: Queries): RefusalRecords {
  const of = (tenantId: number, numberHash: string) =>
    and(eq(callRefusals.tenantId, tenantId), eq(callRefusals.numberHash, numberHash));
  return {
    async has(tenantId, numberHash) {
      const found = await queries
        .select({ id: callRefusals.id })
        .from(callRefusals)
        .where(of(tenantId, numberHash))
        .get();
      return found !== undefined;
    },

    async add(tenantId, numberHash, nowMs) {
      await queries
        .insert(callRefusals)
        .values({ tenantId, numberHash, createdAt: nowMs })
        .onConflictDoNothing();
    },

    async remove(tenantId, numberHash) {
      await queries.delete(callRefusals).where(of(tenantId, numberHash));
    },
  };
}
