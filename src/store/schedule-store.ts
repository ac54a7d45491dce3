/**
 * Schedule entries: immediate requests and calls for later, both fired exactly once. Claiming is a
 * lease: the node that holds it may fire, and the status it writes (`fired`) is final.
 */
import { and, asc, eq, isNull, lt, lte, or } from "drizzle-orm";
import type { Queries } from "./database.ts";
import { type ScheduleStatus, schedules } from "./schema/index.ts";

export type ScheduleRow = typeof schedules.$inferSelect;
export type NewSchedule = Omit<typeof schedules.$inferInsert, "tenantId" | "id">;

export function scheduleStore(queries: Queries) {
  return {
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

    /** Leases what is due to `owner`, earliest first. Call inside a transaction. */
    async claimDue(
      owner: string,
      nowMs: number,
      leaseMs: number,
      countMax: number,
    ): Promise<ScheduleRow[]> {
      const due = await queries
        .select()
        .from(schedules)
        .where(
          and(
            eq(schedules.status, "pending"),
            lte(schedules.scheduleAt, nowMs),
            or(isNull(schedules.leaseUntil), lt(schedules.leaseUntil, nowMs)),
          ),
        )
        .orderBy(asc(schedules.scheduleAt), asc(schedules.id))
        .limit(countMax);
      for (const { id } of due)
        await queries
          .update(schedules)
          .set({ leaseOwner: owner, leaseUntil: nowMs + leaseMs })
          .where(eq(schedules.id, id));
      return due;
    },

    /** Gives a claimed entry back, not to be looked at before `notBeforeMs`. */
    async defer(tenantId: number, scheduleId: number, notBeforeMs: number): Promise<void> {
      await queries
        .update(schedules)
        .set({ leaseOwner: null, leaseUntil: notBeforeMs })
        .where(and(eq(schedules.id, scheduleId), eq(schedules.tenantId, tenantId)));
    },

    /** Moves a pending entry on; false when somebody else has done so already. */
    async leavePending(
      tenantId: number,
      scheduleId: number,
      status: Exclude<ScheduleStatus, "pending">,
      detail: { firedAt?: number; reason?: string },
    ): Promise<boolean> {
      const moved = await queries
        .update(schedules)
        .set({ status, leaseOwner: null, leaseUntil: null, ...detail })
        .where(
          and(
            eq(schedules.id, scheduleId),
            eq(schedules.tenantId, tenantId),
            eq(schedules.status, "pending"),
          ),
        )
        .returning({ id: schedules.id });
      return moved.length > 0;
    },
  };
}
