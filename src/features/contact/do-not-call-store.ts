/** Fingerprints of do-not-call numbers: rows of `call_refusals`. */
import { and, eq, inArray } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { doNotCallEntries } from "../../store/schema/index.ts";
import type { DoNotCallRecords } from "./do-not-call.ts";

export function doNotCallStore(queries: Queries): DoNotCallRecords {
  const of = (tenantId: number, numberHash: string) =>
    and(eq(doNotCallEntries.tenantId, tenantId), eq(doNotCallEntries.numberHash, numberHash));
  return {
    async has(tenantId, numberHash) {
      const found = await queries
        .select({ id: doNotCallEntries.id })
        .from(doNotCallEntries)
        .where(of(tenantId, numberHash))
        .get();
      return found !== undefined;
    },

    async among(tenantId, numberHashes) {
      const found = await queries
        .select({ numberHash: doNotCallEntries.numberHash })
        .from(doNotCallEntries)
        .where(
          and(
            eq(doNotCallEntries.tenantId, tenantId),
            inArray(doNotCallEntries.numberHash, [...numberHashes]),
          ),
        );
      return found.map(({ numberHash }) => numberHash);
    },

    async add(tenantId, numberHash, nowMs) {
      await queries
        .insert(doNotCallEntries)
        .values({ tenantId, numberHash, createdAt: nowMs })
        .onConflictDoNothing();
    },

    async remove(tenantId, numberHash) {
      await queries.delete(doNotCallEntries).where(of(tenantId, numberHash));
    },
  };
}
