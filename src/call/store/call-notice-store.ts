/**
 * Notices about calls that could not be assigned: numbers claimed by several tenants, and addresses that used
 * a trunk's Contact user. One row per tenant, kind and subject; bounded.
 */
import { and, asc, desc, eq, notInArray, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { callNotices, tenants } from "../../store/schema/index.ts";

type CallNotice = typeof callNotices.$inferSelect;
export type CallNoticeKind = CallNotice["kind"];

/** Only the newest are kept per tenant and kind. */
const NOTICES_MAX = 20;

export function callNoticeStore(queries: Queries) {
  const of = (tenantId: number, kind: CallNoticeKind) =>
    and(eq(callNotices.tenantId, tenantId), eq(callNotices.kind, kind));

  return {
    async note(tenantId: number, kind: CallNoticeKind, subject: string, nowMs: number) {
      await queries
        .insert(callNotices)
        .values({ tenantId, kind, subject, times: 1, firstAt: nowMs, lastAt: nowMs })
        .onConflictDoUpdate({
          target: [callNotices.tenantId, callNotices.kind, callNotices.subject],
          set: { times: sql`${callNotices.times} + 1`, lastAt: nowMs },
        });
      const newest = queries
        .select({ id: callNotices.id })
        .from(callNotices)
        .where(of(tenantId, kind))
        .orderBy(desc(callNotices.lastAt), desc(callNotices.id))
        .limit(NOTICES_MAX);
      await queries
        .delete(callNotices)
        .where(and(of(tenantId, kind), notInArray(callNotices.id, newest)));
    },

    /** Newest first. */
    list(tenantId: number, kind: CallNoticeKind): Promise<CallNotice[]> {
      return queries
        .select()
        .from(callNotices)
        .where(of(tenantId, kind))
        .orderBy(desc(callNotices.lastAt));
    },

    /** Notices of all tenants, for the operator. */
    all(limit: number) {
      return queries
        .select({ notice: callNotices, tenantName: tenants.name })
        .from(callNotices)
        .innerJoin(tenants, eq(tenants.id, callNotices.tenantId))
        .orderBy(desc(callNotices.lastAt), asc(callNotices.id))
        .limit(limit);
    },

    /** Returns false if none exists. */
    async remove(tenantId: number, kind: CallNoticeKind, subject: string): Promise<boolean> {
      const rows = await queries
        .delete(callNotices)
        .where(and(of(tenantId, kind), eq(callNotices.subject, subject)))
        .returning({ id: callNotices.id });
      return rows.length > 0;
    },
  };
}
