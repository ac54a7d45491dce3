/** Web sites that are read into knowledge. */
import { and, asc, eq, getTableColumns, isNull, lte, or, sql } from "drizzle-orm";
import type { Queries } from "../../../core/database.ts";
import type { SiteRecords } from "../../../domain/knowledge/sites.ts";
import { ownedBy, ownedRows } from "../query/owned-rows.ts";
import { knowledgeSites as sites } from "../schema/index.ts";

const { tenantId: _, ...COLUMNS } = getTableColumns(sites);

export function siteStore(queries: Queries): SiteRecords {
  const rows = ownedRows(queries, sites, COLUMNS);
  return {
    list: rows.list,
    find: rows.find,
    remove: rows.remove,

    async insert(tenantId, site) {
      return (await rows.insert({ ...site, tenantId })).id;
    },

    async update(tenantId, id, changes) {
      await queries
        .update(sites)
        .set(changes)
        .where(ownedBy(sites, tenantId, id));
    },

    async claimDue(nowMs, untilMs) {
      const isFree = or(isNull(sites.readingUntil), lte(sites.readingUntil, nowMs));
      // A company with many sites leaves turns to others: whose sites were not read for longest is next.
      const readLast = sql`(SELECT max(read_at) FROM ${sites} AS own WHERE own.tenant_id = ${sites.tenantId})`;
      const due = await queries
        .select()
        .from(sites)
        .where(and(lte(sites.dueAt, nowMs), isFree))
        .orderBy(readLast, asc(sites.dueAt))
        .limit(1)
        .get();
      if (!due) return undefined;
      await queries.update(sites).set({ readingUntil: untilMs }).where(eq(sites.id, due.id));
      const { tenantId, ...site } = due;
      return { tenantId, site: { ...site, readingUntil: untilMs } };
    },
  };
}
