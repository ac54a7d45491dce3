/** The audit log: rows are only added, and deleted after their retention. */
import { asc, count, desc, eq, inArray, isNull, lt, or, type SQLWrapper, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { auditEntries } from "../../store/schema/identity.ts";
import type { AuditStore } from "./stores.ts";

export function auditStore(queries: Queries): AuditStore {
  const visible = (tenantId: number, operator: boolean) => {
    const own = eq(auditEntries.tenantId, tenantId);
    return operator ? or(own, isNull(auditEntries.tenantId)) : own;
  };

  return {
    ...removals(queries),

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
  };
}

/** Removes old entries, and those above the tenant's maximum. */
function removals(queries: Queries): Pick<AuditStore, "removeBefore" | "removeBeyond"> {
  const remove = async (ids: SQLWrapper): Promise<number> => {
    const gone = await queries
      .delete(auditEntries)
      .where(inArray(auditEntries.id, ids))
      .returning({ id: auditEntries.id });
    return gone.length;
  };

  return {
    async removeBefore(atMs, limit) {
      const old = queries
        .select({ id: auditEntries.id })
        .from(auditEntries)
        .where(lt(auditEntries.at, atMs))
        .orderBy(asc(auditEntries.at))
        .limit(limit);
      return await remove(old);
    },

    async removeBeyond(rowsMax, limit) {
      const oldest = sql`(
        SELECT entry.id FROM
          (SELECT tenant_id FROM audit_entries GROUP BY tenant_id HAVING count(*) > ${rowsMax}) AS full
          JOIN audit_entries AS entry ON entry.tenant_id IS full.tenant_id
        WHERE entry.id <= (
          SELECT id FROM audit_entries AS newest WHERE newest.tenant_id IS full.tenant_id
          ORDER BY id DESC LIMIT 1 OFFSET ${rowsMax})
        ORDER BY entry.id LIMIT ${limit})`;
      return await remove(oldest);
    },
  };
}
