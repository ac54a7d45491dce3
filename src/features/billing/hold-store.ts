/** Funds held by live calls. */
import { and, eq, isNull, notInArray, or, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { OPEN_STATUSES } from "../../core/ended-reason.ts";
import { arg, statement } from "../../store/query/prepared.ts";
import { calls } from "../../store/schema/calls.ts";
import { holds } from "../../store/schema/money.ts";
import type { HoldStore } from "./stores.ts";

const holdColumns = {
  callUuid: holds.callUuid,
  month: holds.month,
  planSeconds: holds.planSeconds,
  amount: holds.amount,
};

const OF_CALL = and(eq(holds.tenantId, arg("tenantId")), eq(holds.callUuid, arg("callUuid")));

const listHolds = statement((queries) =>
  queries
    .select(holdColumns)
    .from(holds)
    .where(eq(holds.tenantId, arg("tenantId")))
    .prepare(),
);

const putHold = statement((queries) =>
  queries
    .insert(holds)
    .values({
      tenantId: arg("tenantId"),
      createdAt: arg("createdAt"),
      callUuid: arg("callUuid"),
      month: arg("month"),
      planSeconds: arg("planSeconds"),
      amount: arg("amount"),
    })
    .onConflictDoUpdate({
      target: holds.callUuid,
      set: { planSeconds: sql`excluded.plan_seconds`, amount: sql`excluded.amount` },
      setWhere: eq(holds.tenantId, arg("tenantId")),
    })
    .prepare(),
);

const releaseHold = statement((queries) => queries.delete(holds).where(OF_CALL).prepare());

export function holdStore(queries: Queries): HoldStore {
  return {
    async list(tenantId) {
      return listHolds(queries).all({ tenantId });
    },

    async put(tenantId, hold, nowMs) {
      await putHold(queries).run({ tenantId, createdAt: nowMs, ...hold });
    },

    async release(tenantId, callUuid) {
      await releaseHold(queries).run({ tenantId, callUuid });
    },

    async orphans() {
      return queries
        .select({ tenantId: holds.tenantId, callUuid: holds.callUuid })
        .from(holds)
        .leftJoin(calls, eq(calls.callUuid, holds.callUuid))
        .where(or(isNull(calls.id), notInArray(calls.status, [...OPEN_STATUSES])));
    },
  };
}
