/** Funds held by live calls, and the plan seconds used per month. */
import { and, eq, isNull, notInArray, or, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import type { HoldStore, PlanUsageStore } from "../../domain/billing/stores.ts";
import { prepared } from "./prepared.ts";
import { calls } from "./schema/calls.ts";
import { holds, planUsage } from "./schema/money.ts";

const LIVE_STATUSES = ["queued", "dialing", "ringing", "in_progress"] as const;

const holdColumns = {
  callUuid: holds.callUuid,
  month: holds.month,
  planSeconds: holds.planSeconds,
  amount: holds.amount,
};

const OF_CALL = and(
  eq(holds.tenantId, sql.placeholder("tenantId")),
  eq(holds.callUuid, sql.placeholder("callUuid")),
);

export function holdStore(queries: Queries): HoldStore {
  return {
    async find(tenantId, callUuid) {
      const statement = prepared(queries, "holds.find", () =>
        queries.select(holdColumns).from(holds).where(OF_CALL).prepare(),
      );
      return (await statement.get({ tenantId, callUuid })) ?? null;
    },

    async list(tenantId) {
      const statement = prepared(queries, "holds.list", () =>
        queries
          .select(holdColumns)
          .from(holds)
          .where(eq(holds.tenantId, sql.placeholder("tenantId")))
          .prepare(),
      );
      return statement.all({ tenantId });
    },

    async put(tenantId, hold, nowMs) {
      await queries
        .insert(holds)
        .values({ tenantId, createdAt: nowMs, ...hold })
        .onConflictDoUpdate({
          target: holds.callUuid,
          set: { planSeconds: hold.planSeconds, amount: hold.amount },
          setWhere: eq(holds.tenantId, tenantId),
        });
    },

    async release(tenantId, callUuid) {
      const statement = prepared(queries, "holds.release", () =>
        queries.delete(holds).where(OF_CALL).prepare(),
      );
      await statement.run({ tenantId, callUuid });
    },

    async orphans() {
      return queries
        .select({ tenantId: holds.tenantId, callUuid: holds.callUuid })
        .from(holds)
        .leftJoin(calls, eq(calls.callUuid, holds.callUuid))
        .where(or(isNull(calls.id), notInArray(calls.status, [...LIVE_STATUSES])));
    },
  };
}

export function planUsageStore(queries: Queries): PlanUsageStore {
  return {
    async secondsUsed(tenantId, month) {
      const statement = prepared(queries, "plan_usage.seconds", () =>
        queries
          .select({ seconds: planUsage.secondsUsed })
          .from(planUsage)
          .where(
            and(
              eq(planUsage.tenantId, sql.placeholder("tenantId")),
              eq(planUsage.month, sql.placeholder("month")),
            ),
          )
          .prepare(),
      );
      const found = await statement.get({ tenantId, month });
      return found?.seconds ?? 0;
    },

    async add(tenantId, month, seconds) {
      await queries
        .insert(planUsage)
        .values({ tenantId, month, secondsUsed: seconds })
        .onConflictDoUpdate({
          target: [planUsage.tenantId, planUsage.month],
          set: { secondsUsed: sql`${planUsage.secondsUsed} + ${seconds}` },
        });
    },
  };
}
