/** The CRM bridge's rows: its settings, cached CRM data, and messages for the CRM. */
import { and, asc, desc, eq, gt, gte, isNull, lte, min, notInArray, or, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { arg, statement } from "../../store/query/prepared.ts";
import { crmCache, crmPosts, featureSettings } from "../../store/schema/index.ts";
import type { CrmPostRecords } from "./crm/crm-outbox.ts";
import type { CrmRecords } from "./crm/lookup.ts";
import type { CrmAnswer } from "./crm/mapping.ts";

const POSTS_MAX = 200;

const duePost = statement((queries) =>
  queries
    .select({ id: crmPosts.id })
    .from(crmPosts)
    .where(
      and(
        eq(crmPosts.status, "pending"),
        lte(crmPosts.nextAttemptAt, arg("nowMs")),
        or(isNull(crmPosts.leasedUntil), lte(crmPosts.leasedUntil, arg("nowMs"))),
        notInArray(crmPosts.tenantId, sql`(SELECT value FROM json_each(${arg("except")}))`),
      ),
    )
    .orderBy(asc(crmPosts.nextAttemptAt), asc(crmPosts.id))
    .limit(1)
    .prepare(),
);

const nextPostDue = statement((queries) =>
  queries
    .select({ at: min(crmPosts.nextAttemptAt) })
    .from(crmPosts)
    .where(and(eq(crmPosts.status, "pending"), gt(crmPosts.nextAttemptAt, arg("nowMs"))))
    .prepare(),
);

export function crmStore(queries: Queries) {
  return {
    ...crmRecords(queries),

    /** Once per call. */
    async enqueue(tenantId: number, callUuid: string, body: string, nowMs: number): Promise<void> {
      await queries
        .insert(crmPosts)
        .values({
          tenantId,
          callUuid,
          body,
          status: "pending",
          nextAttemptAt: nowMs,
          createdAt: nowMs,
          updatedAt: nowMs,
        })
        .onConflictDoNothing({ target: crmPosts.callUuid });
    },

    /** Newest first, at most 200. */
    async posts(tenantId: number) {
      return await queries
        .select({
          id: crmPosts.id,
          callUuid: crmPosts.callUuid,
          status: crmPosts.status,
          attempts: crmPosts.attempts,
          httpStatus: crmPosts.lastHttpStatus,
          error: crmPosts.lastError,
          createdAt: crmPosts.createdAt,
          nextAttemptAt: crmPosts.nextAttemptAt,
        })
        .from(crmPosts)
        .where(eq(crmPosts.tenantId, tenantId))
        .orderBy(desc(crmPosts.id))
        .limit(POSTS_MAX);
    },
  };
}

function crmRecords(queries: Queries): CrmRecords & CrmPostRecords {
  return {
    ...crmAnswers(queries),
    ...crmPostQueue(queries),

    async statusOf(tenantId, id) {
      const row = await queries
        .select({ status: crmPosts.status })
        .from(crmPosts)
        .where(and(eq(crmPosts.id, id), eq(crmPosts.tenantId, tenantId)))
        .get();
      return row?.status ?? null;
    },

    async replay(tenantId, id, nowMs) {
      await queries
        .update(crmPosts)
        .set({ status: "pending", attempts: 0, nextAttemptAt: nowMs, updatedAt: nowMs })
        .where(and(eq(crmPosts.id, id), eq(crmPosts.tenantId, tenantId)));
    },
  };
}

/** A tenant's CRM settings and cached CRM data. */
function crmAnswers(
  queries: Queries,
): Pick<CrmRecords & CrmPostRecords, "target" | "cached" | "putCache"> {
  return {
    async target(tenantId) {
      const row = await queries
        .select({
          url: featureSettings.crmUrl,
          secretSealed: featureSettings.crmSecretSealed,
          mapping: featureSettings.crmMapping,
        })
        .from(featureSettings)
        .where(eq(featureSettings.tenantId, tenantId))
        .get();
      if (!row?.url) return null;
      return { url: row.url, secretSealed: row.secretSealed, mapping: row.mapping ?? {} };
    },

    async cached(tenantId, number, sinceMs) {
      const row = await queries
        .select({ answer: crmCache.answer })
        .from(crmCache)
        .where(
          and(
            eq(crmCache.tenantId, tenantId),
            eq(crmCache.numberE164, number),
            gte(crmCache.fetchedAt, sinceMs),
          ),
        )
        .get();
      return (row?.answer as CrmAnswer | undefined) ?? null;
    },

    async putCache(tenantId, number, answer, nowMs) {
      const values = { answer: { ...answer }, fetchedAt: nowMs };
      await queries
        .insert(crmCache)
        .values({ tenantId, numberE164: number, ...values })
        .onConflictDoUpdate({ target: [crmCache.tenantId, crmCache.numberE164], set: values });
    },
  };
}

/** Messages to the CRM. One node at a time sends each. */
function crmPostQueue(
  queries: Queries,
): Pick<CrmRecords & CrmPostRecords, "claim" | "settle" | "nextDueAfter"> {
  return {
    async claim(nowMs, owner, untilMs, exceptTenants) {
      const except = JSON.stringify(exceptTenants);
      const due = await duePost(queries).get({ nowMs, except });
      if (!due) return null;
      const [post] = await queries
        .update(crmPosts)
        .set({ leasedBy: owner, leasedUntil: untilMs })
        .where(eq(crmPosts.id, due.id))
        .returning({
          id: crmPosts.id,
          tenantId: crmPosts.tenantId,
          callUuid: crmPosts.callUuid,
          body: crmPosts.body,
          attempts: crmPosts.attempts,
        });
      return post ?? null;
    },

    async settle(id, owner, outcome, nowMs) {
      const { httpStatus, error, ...rest } = outcome;
      await queries
        .update(crmPosts)
        .set({
          ...rest,
          lastHttpStatus: httpStatus,
          lastError: error,
          updatedAt: nowMs,
          leasedBy: null,
          leasedUntil: null,
        })
        .where(and(eq(crmPosts.id, id), eq(crmPosts.leasedBy, owner)));
    },

    async nextDueAfter(nowMs) {
      const row = await nextPostDue(queries).get({ nowMs });
      return row?.at ?? null;
    },
  };
}
