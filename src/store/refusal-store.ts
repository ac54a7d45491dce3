/** Fingerprints of numbers that refused calls: rows of `call_refusals`. */
import { and, eq, inArray } from "drizzle-orm";
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

    async among(tenantId, numberHashes) {
      const found = await queries
        .select({ numberHash: callRefusals.numberHash })
        .from(callRefusals)
        .where(
          and(
            eq(callRefusals.tenantId, tenantId),
            inArray(callRefusals.numberHash, [...numberHashes]),
          ),
        );
      return found.map(({ numberHash }) => numberHash);
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
