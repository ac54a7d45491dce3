/** What of contacts' records is old enough to go, over all tenants, a batch at a time. Bounds are inclusive. */
import { and, eq, inArray, isNull, lte, notExists, sql } from "drizzle-orm";
import type { Queries } from "./database.ts";
import {
  callMemories,
  callPurposes,
  calls,
  crmCache,
  crmPosts,
  pinAttempts,
} from "./schema/index.ts";

export function contactRetentionStore(queries: Queries) {
  return {
    async deleteMemories(beforeMs: number, limit: number): Promise<number> {
      const old = queries
        .select({ id: callMemories.id })
        .from(callMemories)
        .where(lte(callMemories.attemptedAt, beforeMs))
        .limit(limit);
      const gone = await queries
        .delete(callMemories)
        .where(inArray(callMemories.id, old))
        .returning({ id: callMemories.id });
      return gone.length;
    },

    /** Those of calls that are over: a call may be planned a year ahead. */
    async deletePurposes(beforeMs: number, limit: number): Promise<number> {
      const unfinished = queries
        .select({ one: sql`1` })
        .from(calls)
        .where(and(eq(calls.callUuid, callPurposes.callUuid), isNull(calls.endedAt)));
      const old = queries
        .select({ callUuid: callPurposes.callUuid })
        .from(callPurposes)
        .where(and(lte(callPurposes.createdAt, beforeMs), notExists(unfinished)))
        .limit(limit);
      const gone = await queries
        .delete(callPurposes)
        .where(inArray(callPurposes.callUuid, old))
        .returning({ callUuid: callPurposes.callUuid });
      return gone.length;
    },

    async deleteTries(beforeMs: number, limit: number): Promise<number> {
      const old = queries
        .select({ id: pinAttempts.id })
        .from(pinAttempts)
        .where(lte(pinAttempts.attemptedAt, beforeMs))
        .limit(limit);
      const gone = await queries
        .delete(pinAttempts)
        .where(inArray(pinAttempts.id, old))
        .returning({ id: pinAttempts.id });
      return gone.length;
    },

    async deleteCrmAnswers(beforeMs: number, limit: number): Promise<number> {
      const old = queries
        .select({ id: crmCache.id })
        .from(crmCache)
        .where(lte(crmCache.fetchedAt, beforeMs))
        .limit(limit);
      const gone = await queries
        .delete(crmCache)
        .where(inArray(crmCache.id, old))
        .returning({ id: crmCache.id });
      return gone.length;
    },

    /** Delivered or given up: they carry a transcript. */
    async deleteCrmMessages(beforeMs: number, limit: number): Promise<number> {
      const old = queries
        .select({ id: crmPosts.id })
        .from(crmPosts)
        .where(
          and(inArray(crmPosts.status, ["delivered", "failed"]), lte(crmPosts.createdAt, beforeMs)),
        )
        .limit(limit);
      const gone = await queries
        .delete(crmPosts)
        .where(inArray(crmPosts.id, old))
        .returning({ id: crmPosts.id });
      return gone.length;
    },
  };
}
