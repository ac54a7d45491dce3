/** Campaigns and their numbers. */
import {
  and,
  asc,
  count,
  desc,
  eq,
  exists,
  gt,
  gte,
  inArray,
  isNotNull,
  lte,
  not,
  notExists,
  sql,
} from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Queries } from "../../core/database.ts";
import { notFound } from "../../core/errors.ts";
import { arg, statement } from "../../store/query/prepared.ts";
import {
  calls,
  campaigns,
  campaignTargets,
  contacts,
  featureSettings,
  schedules,
  tenants,
  trunks,
} from "../../store/schema/index.ts";
import { hasAgent } from "../agent/agent-store.ts";
import type { CampaignRecords } from "./campaigns.ts";
import type { TargetStatus } from "./listed-targets.ts";
import type { RunnerRecords } from "./runner.ts";
import { listedTargets } from "./target-list-store.ts";

const LOST_MAX = 500;
const LISTED_MAX = 500;

/** Must match the text of the partial index `campaign_targets_calling`. */
const IS_CALLING = sql`${campaignTargets.status} = 'calling'`;

const own = (tenantId: number, id: number) =>
  and(eq(campaigns.id, id), eq(campaigns.tenantId, tenantId));

const inState = (campaignId: number, status: TargetStatus) =>
  and(eq(campaignTargets.campaignId, campaignId), eq(campaignTargets.status, status));

export function campaignStore(queries: Queries): CampaignRecords & RunnerRecords {
  return {
    ...campaignRows(queries),
    ...runningRows(queries),
    ...targetRows(queries),
    ...listedTargets(queries),
    ...nextTargets(queries),
    ...targetCalls(queries),
    ...pastTargetCalls(queries),
  };
}

const CALENDAR = { timeZone: tenants.timeZone, holidays: featureSettings.holidays };

const runningCampaigns = statement((queries) =>
  queries
    .select({ campaign: campaigns, ...CALENDAR, trunkId: trunks.id })
    .from(campaigns)
    .innerJoin(tenants, eq(tenants.id, campaigns.tenantId))
    .leftJoin(featureSettings, eq(featureSettings.tenantId, campaigns.tenantId))
    .leftJoin(trunks, eq(trunks.tenantId, campaigns.tenantId))
    .where(
      and(
        eq(campaigns.status, "running"),
        gt(campaigns.id, arg("afterId")),
        sql`(${arg("tenantIds")} IS NULL
          OR ${campaigns.tenantId} IN (SELECT value FROM json_each(${arg("tenantIds")})))`,
      ),
    )
    .orderBy(asc(campaigns.id))
    .limit(arg("limit"))
    .prepare(),
);

/** Campaigns for their tenant. */
function campaignRows(
  queries: Queries,
): Pick<CampaignRecords & RunnerRecords, "list" | "find" | "hasAgent" | "insert" | "setStatus"> {
  return {
    async list(tenantId) {
      return await queries
        .select()
        .from(campaigns)
        .where(eq(campaigns.tenantId, tenantId))
        .orderBy(desc(campaigns.id))
        .limit(LISTED_MAX);
    },

    async find(tenantId, id) {
      return await queries.select().from(campaigns).where(own(tenantId, id)).get();
    },

    hasAgent: (tenantId, agentId) => hasAgent(queries, tenantId, agentId),

    async insert(tenantId, campaign) {
      const [row] = await queries
        .insert(campaigns)
        .values({ ...campaign, tenantId })
        .returning();
      if (!row) throw new Error("insert answered no row");
      return row;
    },

    async setStatus(tenantId, id, status, nowMs) {
      await queries.update(campaigns).set({ status, updatedAt: nowMs }).where(own(tenantId, id));
    },
  };
}

/** Running campaigns, with their calling hours. */
function runningRows(
  queries: Queries,
): Pick<CampaignRecords & RunnerRecords, "calendar" | "leaveRunning" | "running"> {
  return {
    async calendar(tenantId) {
      const row = await queries
        .select(CALENDAR)
        .from(tenants)
        .leftJoin(featureSettings, eq(featureSettings.tenantId, tenants.id))
        .where(eq(tenants.id, tenantId))
        .get();
      if (!row) throw notFound("tenant");
      return row;
    },

    async leaveRunning(tenantId, id, status, nowMs) {
      const left = queries
        .select({ one: sql`1` })
        .from(campaignTargets)
        .where(
          and(
            eq(campaignTargets.campaignId, id),
            inArray(campaignTargets.status, ["waiting", "calling"]),
          ),
        );
      const isOver = status === "finished" ? notExists(left) : undefined;
      await queries
        .update(campaigns)
        .set({ status, updatedAt: nowMs })
        .where(and(own(tenantId, id), eq(campaigns.status, "running"), isOver));
    },

    async running(tenantIds, afterId, limit) {
      const rows = await runningCampaigns(queries).all({
        tenantIds: tenantIds && JSON.stringify(tenantIds),
        afterId,
        limit,
      });
      return rows.map(({ campaign, trunkId, ...calendar }) => ({
        ...campaign,
        ...calendar,
        hasTrunk: trunkId !== null,
      }));
    },
  };
}

/** The numbers of a campaign. */
function targetRows(
  queries: Queries,
): Pick<
  CampaignRecords & RunnerRecords,
  "addTargets" | "counts" | "skipWaiting" | "hasWaiting" | "callingCount"
> {
  return {
    async addTargets(tenantId, campaignId, targets, nowMs) {
      if (targets.length === 0) return;
      await queries
        .insert(campaignTargets)
        .values(
          targets.map(({ numberE164, variables }) => ({
            tenantId,
            campaignId,
            numberE164,
            variables: { ...variables },
            status: "waiting" as const,
            notBefore: nowMs,
            updatedAt: nowMs,
          })),
        )
        .onConflictDoNothing();
    },

    async counts(id) {
      const rows = await queries
        .select({ status: campaignTargets.status, n: count() })
        .from(campaignTargets)
        .where(eq(campaignTargets.campaignId, id))
        .groupBy(campaignTargets.status);
      const counts = { waiting: 0, calling: 0, done: 0, failed: 0, skipped: 0 };
      for (const { status, n } of rows) counts[status] = n;
      return counts;
    },

    async skipWaiting(_tenantId, id, nowMs) {
      await queries
        .update(campaignTargets)
        .set({ status: "skipped", outcome: "cancelled", updatedAt: nowMs })
        .where(inState(id, "waiting"));
    },

    async hasWaiting(campaignId) {
      const waiting = queries
        .select({ id: campaignTargets.id })
        .from(campaignTargets)
        .where(inState(campaignId, "waiting"))
        .limit(1);
      return (await waiting.get()) !== undefined;
    },

    callingCount: async (campaignId) =>
      queries.$count(campaignTargets, inState(campaignId, "calling")),
  };
}

/** Contacts with the number of a target who opted out of calls. */
const refusing = (queries: Queries) =>
  queries
    .select({ one: sql`1` })
    .from(contacts)
    .where(
      and(
        eq(contacts.tenantId, campaignTargets.tenantId),
        eq(contacts.numberE164, campaignTargets.numberE164),
        eq(contacts.doNotCall, true),
      ),
    );

/**
 * Other targets with the same number that are being called. A second call at the same time would find the
 * line busy.
 */
function calledNow(queries: Queries) {
  const live = alias(campaignTargets, "live");
  return queries
    .select({ one: sql`1` })
    .from(live)
    .where(
      and(
        sql`${live.status} = 'calling'`,
        eq(live.tenantId, campaignTargets.tenantId),
        eq(live.numberE164, campaignTargets.numberE164),
      ),
    );
}

/** The numbers to call now. */
function nextTargets(
  queries: Queries,
): Pick<CampaignRecords & RunnerRecords, "due" | "postpone" | "refusedOfNext" | "skipRefused"> {
  return {
    async due(campaignId, nowMs, limit) {
      return await queries
        .select({
          id: campaignTargets.id,
          numberE164: campaignTargets.numberE164,
          variables: campaignTargets.variables,
        })
        .from(campaignTargets)
        .where(
          and(
            inState(campaignId, "waiting"),
            lte(campaignTargets.notBefore, nowMs),
            notExists(refusing(queries)),
            notExists(calledNow(queries)),
          ),
        )
        .orderBy(asc(campaignTargets.notBefore), asc(campaignTargets.id))
        .limit(limit);
    },

    async postpone(targetId, notBefore) {
      await queries
        .update(campaignTargets)
        .set({ notBefore })
        .where(and(eq(campaignTargets.id, targetId), eq(campaignTargets.status, "waiting")));
    },

    async refusedOfNext(campaignId, nowMs, limit) {
      const next = queries
        .select({ id: campaignTargets.id })
        .from(campaignTargets)
        .where(and(inState(campaignId, "waiting"), lte(campaignTargets.notBefore, nowMs)))
        .orderBy(asc(campaignTargets.notBefore), asc(campaignTargets.id))
        .limit(limit);
      const rows = await queries
        .select({ id: campaignTargets.id })
        .from(campaignTargets)
        .where(and(inArray(campaignTargets.id, next), exists(refusing(queries))));
      return rows.map(({ id }) => id);
    },

    async skipRefused(targetIds, nowMs) {
      await queries
        .update(campaignTargets)
        .set({ status: "skipped", outcome: "do_not_call", updatedAt: nowMs })
        .where(
          and(inArray(campaignTargets.id, [...targetIds]), eq(campaignTargets.status, "waiting")),
        );
    },
  };
}

export const latestResults = (queries: Queries) =>
  queries
    .select({ outcome: campaignTargets.outcome })
    .from(campaignTargets)
    .where(
      and(
        eq(campaignTargets.campaignId, arg("campaignId")),
        isNotNull(campaignTargets.outcome),
        isNotNull(campaignTargets.callUuid),
        // A target being called again still has the outcome of its previous call.
        not(IS_CALLING),
        gte(campaignTargets.updatedAt, arg("sinceMs")),
      ),
    )
    .orderBy(desc(campaignTargets.updatedAt), desc(campaignTargets.id))
    .limit(arg("limit"));

const preparedResults = statement((queries) => latestResults(queries).prepare());

const targetOfCall = statement((queries) =>
  queries
    .select({
      id: campaignTargets.id,
      campaignId: campaignTargets.campaignId,
      status: campaigns.status,
      attempts: campaignTargets.attempts,
      attemptsMax: campaigns.attemptsMax,
      retryAfterMin: campaigns.retryAfterMin,
      rangAt: sql<number | null>`coalesce(${calls.ringingAt}, ${calls.answeredAt})`,
    })
    .from(campaignTargets)
    .innerJoin(campaigns, eq(campaigns.id, campaignTargets.campaignId))
    .leftJoin(calls, eq(calls.callUuid, campaignTargets.callUuid))
    .where(and(eq(campaignTargets.callUuid, arg("callUuid")), IS_CALLING))
    .prepare(),
);

/** Calls of a campaign, running and finished. */
function targetCalls(
  queries: Queries,
): Pick<CampaignRecords & RunnerRecords, "setCalling" | "settle" | "putBack" | "byCall"> {
  return {
    async setCalling(targetId, callUuid, nowMs) {
      const rows = await queries
        .update(campaignTargets)
        .set({
          status: "calling",
          callUuid,
          updatedAt: nowMs,
          attempts: sql`${campaignTargets.attempts} + 1`,
        })
        .where(and(eq(campaignTargets.id, targetId), eq(campaignTargets.status, "waiting")))
        .returning({ id: campaignTargets.id });
      return rows.length > 0;
    },

    async settle(targetId, { status, outcome, notBefore }, nowMs) {
      await queries
        .update(campaignTargets)
        .set({ status, outcome, notBefore, updatedAt: nowMs })
        .where(eq(campaignTargets.id, targetId));
    },

    async putBack(callUuid, outcome, nowMs) {
      const isCancelled = exists(
        queries
          .select({ one: sql`1` })
          .from(campaigns)
          .where(
            and(eq(campaigns.id, campaignTargets.campaignId), eq(campaigns.status, "cancelled")),
          ),
      );
      await queries
        .update(campaignTargets)
        .set({
          status: sql`iif(${isCancelled}, 'skipped', 'waiting')`,
          outcome: sql`iif(${isCancelled}, 'cancelled', coalesce(${outcome}, ${campaignTargets.outcome}))`,
          ...(outcome === null && { callUuid: null }),
          notBefore: nowMs,
          updatedAt: nowMs,
          attempts: sql`${campaignTargets.attempts} - 1`,
        })
        .where(and(eq(campaignTargets.callUuid, callUuid), IS_CALLING));
    },

    async byCall(callUuid) {
      const target = await targetOfCall(queries).get({ callUuid });
      if (!target) return null;
      const { status, rangAt, ...rest } = target;
      return { ...rest, isCancelled: status === "cancelled", rang: rangAt !== null };
    },
  };
}

const lostTargets = statement((queries) =>
  queries
    .select({
      callUuid: calls.callUuid,
      endedReason: calls.endedReason,
      answeredAt: calls.answeredAt,
      refusal: schedules.reason,
    })
    .from(campaignTargets)
    .innerJoin(calls, eq(calls.callUuid, campaignTargets.callUuid))
    .leftJoin(schedules, eq(schedules.id, calls.scheduleId))
    .where(and(IS_CALLING, isNotNull(calls.endedAt)))
    .limit(LOST_MAX)
    .prepare(),
);

/** Results of a campaign's latest calls, and calls that no node tracks any more. */
function pastTargetCalls(
  queries: Queries,
): Pick<CampaignRecords & RunnerRecords, "latestOutcomes" | "lost"> {
  return {
    async latestOutcomes(campaignId, sinceMs, limit) {
      const rows = await preparedResults(queries).all({ campaignId, sinceMs, limit });
      return rows.map(({ outcome }) => outcome ?? "");
    },

    async lost() {
      const rows = await lostTargets(queries).all();
      return rows.map(({ callUuid, endedReason, answeredAt, refusal }) => ({
        callUuid,
        isRefused: refusal !== null,
        endedReason: endedReason ?? "interrupted",
        talked: answeredAt !== null,
      }));
    },
  };
}
