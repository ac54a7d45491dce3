/** Web sites whose pages are read as knowledge. */
import { and, asc, eq, getTableColumns, isNull, lte, or } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { ownedBy, ownedRows } from "../../store/query/owned-rows.ts";
import { knowledgeSites as sites } from "../../store/schema/index.ts";
import type { SiteRecords } from "./sites.ts";

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

    async claimDue(nowMs, untilMs, turnOf) {
      const isFree = or(isNull(sites.readingUntil), lte(sites.readingUntil, nowMs));
      const waiting = await queries
        .select({ tenantId: sites.tenantId, id: sites.id })
        .from(sites)
        .where(and(lte(sites.dueAt, nowMs), isFree))
        .orderBy(asc(sites.dueAt));
      const [next] = waiting
        .flatMap((each) => {
          const turn = turnOf(each.tenantId);
          return turn === null ? [] : [{ ...each, turn }];
        })
        .toSorted((a, b) => a.turn - b.turn);
      const site = next && (await rows.find(next.tenantId, next.id));
      if (!site) return undefined;
      await queries.update(sites).set({ readingUntil: untilMs }).where(eq(sites.id, site.id));
      return { tenantId: next.tenantId, site: { ...site, readingUntil: untilMs } };
    },
  };
}
