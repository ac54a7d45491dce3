/**
 * Schedule entries: immediate requests and later calls, each started exactly once. Claiming is a lease with a
 * fencing token: only the holder of the newest token may change the entry. The status `fired` is final. So a
 * node that wakes up after its lease expired changes nothing.
 */
import {
  and,
  asc,
  between,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { arg, statement } from "../../store/query/prepared.ts";
import { NO_LEASE } from "../../store/schema/columns.ts";
import { type ScheduleStatus, schedules, trunkLeases, trunks } from "../../store/schema/index.ts";
import type { DueFilter, ScheduleEntry } from "./scheduler.ts";

export type ScheduleRow = typeof schedules.$inferSelect;
type NewSchedule = Omit<typeof schedules.$inferInsert, "tenantId" | "id">;

const node = arg("node");

/**
 * True if another node, or no node so far, holds the tenant's trunk. Any node may handle a tenant without a
 * trunk.
 */
const isTrunkOnRemoteNode = sql`EXISTS (
  SELECT 1 FROM ${trunks} LEFT JOIN ${trunkLeases} ON ${trunkLeases.trunkId} = ${trunks.id}
  WHERE ${trunks.tenantId} = ${schedules.tenantId} AND ${trunkLeases.node} IS NOT ${node})`;

/** Needs the arguments of `dueValues`. Prepared, because it runs every second. */
const due = and(
  eq(schedules.status, "pending"),
  lte(schedules.scheduleAt, arg("dueBy")),
  or(
    isNull(schedules.leaseUntil),
    lt(schedules.leaseUntil, arg("nowMs")),
    // Such a long lease means that the clock was set back since.
    and(isNotNull(schedules.leaseOwner), gt(schedules.leaseUntil, arg("leaseEnd"))),
  ),
  sql`${schedules.tenantId} NOT IN (SELECT value FROM json_each(${arg("full")}))`,
  sql`(${arg("immediateOnly")} = 0 OR ${schedules.immediate})`,
  sql`(${node} IS NULL OR NOT ${isTrunkOnRemoteNode})`,
);

const dueValues = (nowMs: number, dueBy: number, leaseMs: number, filter: DueFilter) => ({
  nowMs,
  dueBy,
  leaseEnd: nowMs + leaseMs,
  node: filter.node,
  full: JSON.stringify(filter.exceptTenants),
  immediateOnly: Number(filter.immediateOnly),
});

const dueEntries = statement((queries) =>
  queries
    .select()
    .from(schedules)
    .where(due)
    .orderBy(asc(schedules.scheduleAt), asc(schedules.id))
    .limit(arg("countMax"))
    .prepare(),
);

const firstDue = statement((queries) =>
  queries
    .select({ scheduleAt: schedules.scheduleAt })
    .from(schedules)
    .where(due)
    .orderBy(asc(schedules.scheduleAt))
    .limit(1)
    .prepare(),
);

export function scheduleStore(queries: Queries) {
  return {
    ...dueSchedules(queries),
    ...scheduleCounts(queries),
    ...leftSchedules(queries),

    async insert(tenantId: number, schedule: NewSchedule): Promise<number> {
      const [row] = await queries
        .insert(schedules)
        .values({ ...schedule, tenantId })
        .returning({ id: schedules.id });
      if (!row) throw new Error("insert answered no row");
      return row.id;
    },

    find(tenantId: number, scheduleId: number): Promise<ScheduleRow | undefined> {
      return queries
        .select()
        .from(schedules)
        .where(and(eq(schedules.id, scheduleId), eq(schedules.tenantId, tenantId)))
        .get();
    },
  };
}

/** Due entries: one node starts each. */
function dueSchedules(queries: Queries) {
  return {
    /** Leases due entries to `owner`, earliest first. Call it inside a transaction. */
    async claimDue(
      owner: string,
      nowMs: number,
      leaseMs: number,
      countMax: number,
      filter: DueFilter,
    ): Promise<ScheduleRow[]> {
      const found = await dueEntries(queries).all({
        ...dueValues(nowMs, nowMs, leaseMs, filter),
        countMax,
      });
      if (found.length === 0) return [];
      const lease = { leaseOwner: owner, leaseUntil: nowMs + leaseMs };
      await queries
        .update(schedules)
        .set({ ...lease, leaseToken: sql`${schedules.leaseToken} + 1` })
        .where(
          inArray(
            schedules.id,
            found.map(({ id }) => id),
          ),
        );
      return found.map((row) => ({ ...row, ...lease, leaseToken: row.leaseToken + 1 }));
    },
  };
}

/** Time of the next due entry, and the number of started ones. */
function scheduleCounts(queries: Queries) {
  const countOf = async (which: SQL | undefined) => await queries.$count(schedules, which);

  return {
    /**
     * Due time of the earliest entry that can be claimed by `dueBy`; null if none. Read this first: an idle
     * node must not write.
     */
    async firstDue(
      nowMs: number,
      dueBy: number,
      leaseMs: number,
      filter: DueFilter,
    ): Promise<number | null> {
      const [first] = await firstDue(queries).all(dueValues(nowMs, dueBy, leaseMs, filter));
      return first?.scheduleAt ?? null;
    },

    /** Calls dialled between two times (both inclusive), for the limit per minute. */
    firedBetween(tenantId: number, sinceMs: number, untilMs: number): Promise<number> {
      return countOf(
        and(eq(schedules.tenantId, tenantId), between(schedules.firedAt, sinceMs, untilMs)),
      );
    },

    /** Immediate requests since then without a dialled call. */
    immediateSince(tenantId: number, sinceMs: number): Promise<number> {
      return countOf(
        and(
          eq(schedules.tenantId, tenantId),
          eq(schedules.immediate, true),
          eq(schedules.status, "pending"),
          gte(schedules.scheduleAt, sinceMs),
        ),
      );
    },
  };
}

/** Entries left by a node. */
function leftSchedules(queries: Queries) {
  return {
    /** Releases claimed entries, except those that another owner has claimed since. */
    async release(
      owner: string,
      entries: readonly Pick<ScheduleEntry, "id" | "leaseToken">[],
    ): Promise<void> {
      if (entries.length === 0) return;
      const tokens = JSON.stringify(entries.map(({ id, leaseToken }) => [id, leaseToken]));
      await queries
        .update(schedules)
        .set(NO_LEASE)
        .where(
          and(
            eq(schedules.status, "pending"),
            eq(schedules.leaseOwner, owner),
            sql`EXISTS (SELECT 1 FROM json_each(${tokens}) AS held
              WHERE json_extract(held.value, '$[0]') = ${schedules.id}
                AND json_extract(held.value, '$[1]') = ${schedules.leaseToken})`,
          ),
        );
    },

    /**
     * Ends the pending state of an entry. Returns false if it has already ended, or if `token` is given and
     * another owner has claimed the entry since.
     */
    async leavePending(
      tenantId: number,
      scheduleId: number,
      status: Exclude<ScheduleStatus, "pending">,
      detail: { firedAt?: number; toCountry?: string | null; reason?: string },
      leaseToken?: number,
    ): Promise<boolean> {
      const moved = await queries
        .update(schedules)
        .set({ status, ...NO_LEASE, ...detail })
        .where(
          and(
            eq(schedules.id, scheduleId),
            eq(schedules.tenantId, tenantId),
            eq(schedules.status, "pending"),
            leaseToken === undefined ? undefined : eq(schedules.leaseToken, leaseToken),
          ),
        )
        .returning({ id: schedules.id });
      return moved.length > 0;
    },
  };
}
