/** The audit log: rows are only added, and deleted after their retention. */
import { asc, count, desc, eq, inArray, isNull, lt, or } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import type { AuditStore } from "../../domain/identity/stores.ts";
import { auditEntries } from "./schema/identity.ts";

export function auditStore(queries: Queries): AuditStore {
  const visible = (tenantId: number, operator: boolean) => {
    const own = eq(auditEntries.tenantId, tenantId);
    return operator ? or(own, isNull(auditEntries.tenantId)) : own;
  };

  return {
    async insert(entry) {
      await queries.insert(auditEntries).values(entry);
    },

    async list(tenantId, { limit, offset, operator }) {
      return await queries
        .select()
        .from(auditEntries)
        .where(visible(tenantId, operator))
        .orderBy(desc(auditEntries.id))
        .limit(limit)
        .offset(offset);
    },

    async count(tenantId, operator) {
      const row = await queries
        .select({ n: count() })
        .from(auditEntries)
        .where(visible(tenantId, operator))
        .get();
      return row?.n ?? 0;
    },

    async removeBefore(atMs, limit) {
      const old = queries
        .select({ id: auditEntries.id })
        .from(auditEntries)
        .where(lt(auditEntries.at, atMs))
        .orderBy(asc(auditEntries.at))
        .limit(limit);
      const gone = await queries
        .delete(auditEntries)
        .where(inArray(auditEntries.id, old))
        .returning({ id: auditEntries.id });
      return gone.length;
    },
  };
}
