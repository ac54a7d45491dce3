/** Memories of calls, the purposes of calls, and a tenant's feature settings. */
import { and, desc, eq, gte } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import {
  agents,
  birthdayCalls,
  callMemories,
  callPurposes,
  calls,
  campaigns,
  campaignTargets,
  featureSettings,
  tenants,
} from "../../store/schema/index.ts";
import { DEFAULT_FROM, DEFAULT_TO } from "./birthday-store.ts";
import type { CallerRecords } from "./caller-identification.ts";

export type FeatureRow = typeof featureSettings.$inferSelect;
export type MemoryRow = typeof callMemories.$inferSelect;
type NewPurpose = Omit<typeof callPurposes.$inferInsert, "tenantId">;

const MEMORIES_SHOWN_MAX = 200;

const ownMemory = (tenantId: number, id: number) =>
  and(eq(callMemories.id, id), eq(callMemories.tenantId, tenantId));

export function callerStore(queries: Queries) {
  return {
    ...memoryLists(queries),

    ...callerRecords(queries),

    async agentName(tenantId: number, agentId: number): Promise<string | undefined> {
      const row = await queries
        .select({ name: agents.name })
        .from(agents)
        .where(and(eq(agents.id, agentId), eq(agents.tenantId, tenantId)))
        .get();
      return row?.name;
    },

    async putPurpose(tenantId: number, purpose: NewPurpose): Promise<void> {
      await queries.insert(callPurposes).values({ ...purpose, tenantId });
    },

    async featureSettings(tenantId: number): Promise<FeatureRow | undefined> {
      return await queries
        .select()
        .from(featureSettings)
        .where(eq(featureSettings.tenantId, tenantId))
        .get();
    },

    async putFeatureSettings(
      tenantId: number,
      changes: Partial<Omit<FeatureRow, "tenantId" | "updatedAt">>,
      nowMs: number,
    ): Promise<void> {
      await queries
        .insert(featureSettings)
        .values({ tenantId, ...changes, updatedAt: nowMs })
        .onConflictDoUpdate({
          target: featureSettings.tenantId,
          set: { ...changes, updatedAt: nowMs },
        });
    },
  };
}

/** Memories of outbound calls, for the tenant to read and correct. */
function memoryLists(queries: Queries) {
  return {
    /** Newest first, of one number or of all numbers. */
    async listMemories(tenantId: number, numberE164: string | null): Promise<MemoryRow[]> {
      const ofTenant = eq(callMemories.tenantId, tenantId);
      return await queries
        .select()
        .from(callMemories)
        .where(
          numberE164 === null ? ofTenant : and(ofTenant, eq(callMemories.numberE164, numberE164)),
        )
        .orderBy(desc(callMemories.attemptedAt), desc(callMemories.id))
        .limit(MEMORIES_SHOWN_MAX);
    },

    async updateMemory(
      tenantId: number,
      id: number,
      changes: Partial<Pick<MemoryRow, "reason" | "outcome" | "promise" | "sensitive">>,
    ): Promise<MemoryRow | undefined> {
      const found = await queries.select().from(callMemories).where(ownMemory(tenantId, id)).get();
      if (!found || Object.values(changes).every((change) => change === undefined)) return found;
      const [row] = await queries
        .update(callMemories)
        .set(changes)
        .where(ownMemory(tenantId, id))
        .returning();
      return row;
    },

    async removeMemory(tenantId: number, id: number): Promise<boolean> {
      const rows = await queries
        .delete(callMemories)
        .where(ownMemory(tenantId, id))
        .returning({ id: callMemories.id });
      return rows.length > 0;
    },
  };
}

function callerRecords(queries: Queries): CallerRecords {
  return {
    ...rememberedCalls(queries),

    async purpose(tenantId, callUuid) {
      return await queries
        .select({
          reason: callPurposes.reason,
          sensitive: callPurposes.sensitive,
          origin: callPurposes.origin,
        })
        .from(callPurposes)
        .where(and(eq(callPurposes.callUuid, callUuid), eq(callPurposes.tenantId, tenantId)))
        .get();
    },

    async callingHours(tenantId, callUuid) {
      const row = await queries
        .select({
          timeZone: tenants.timeZone,
          campaign: { from: campaigns.callingFrom, to: campaigns.callingTo },
          status: campaigns.status,
          birthday: birthdayCalls.id,
          from: featureSettings.callingFrom,
          to: featureSettings.callingTo,
          holidays: featureSettings.holidays,
        })
        .from(tenants)
        .leftJoin(featureSettings, eq(featureSettings.tenantId, tenants.id))
        .leftJoin(
          campaignTargets,
          and(eq(campaignTargets.callUuid, callUuid), eq(campaignTargets.tenantId, tenants.id)),
        )
        .leftJoin(campaigns, eq(campaigns.id, campaignTargets.campaignId))
        .leftJoin(
          birthdayCalls,
          and(eq(birthdayCalls.callUuid, callUuid), eq(birthdayCalls.tenantId, tenants.id)),
        )
        .where(eq(tenants.id, tenantId))
        .get();
      if (!row || (row.campaign === null && row.birthday === null)) return null;
      const { timeZone, campaign, status, from, to, holidays } = row;
      const hours = campaign ?? { from: from ?? DEFAULT_FROM, to: to ?? DEFAULT_TO };
      const isHalted = status !== null && status !== "running";
      return { timeZone, hours: { ...hours, holidays }, isHalted };
    },

    async variables(tenantId, callUuid) {
      const row = await queries
        .select({ variables: campaignTargets.variables })
        .from(campaignTargets)
        .where(and(eq(campaignTargets.callUuid, callUuid), eq(campaignTargets.tenantId, tenantId)))
        .get();
      return row?.variables ?? {};
    },
  };
}

/** Earlier calls with a number. */
function rememberedCalls(queries: Queries): Pick<CallerRecords, "memories" | "putMemory"> {
  return {
    async memories(tenantId, numberE164, sinceMs, limit) {
      return await queries
        .select({
          reason: callMemories.reason,
          outcome: callMemories.outcome,
          promise: callMemories.promise,
          sensitive: callMemories.sensitive,
          attemptedAt: callMemories.attemptedAt,
          summary: calls.summary,
        })
        .from(callMemories)
        .leftJoin(
          calls,
          and(eq(calls.callUuid, callMemories.callUuid), eq(calls.tenantId, tenantId)),
        )
        .where(
          and(
            eq(callMemories.tenantId, tenantId),
            eq(callMemories.numberE164, numberE164),
            gte(callMemories.attemptedAt, sinceMs),
          ),
        )
        .orderBy(desc(callMemories.attemptedAt), desc(callMemories.id))
        .limit(limit);
    },

    async putMemory(tenantId, memory) {
      await queries
        .insert(callMemories)
        .values({ ...memory, tenantId })
        .onConflictDoNothing({ target: callMemories.callUuid });
    },
  };
}
