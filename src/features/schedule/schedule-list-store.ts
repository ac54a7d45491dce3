/** Scheduled calls for the API's list, without immediate requests. */
import { and, desc, eq, inArray, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { arg, statement } from "../../store/query/prepared.ts";
import { type ScheduleStatus, schedules } from "../../store/schema/index.ts";

interface ScheduleFilter {
  readonly status?: ScheduleStatus;
}

const matching = (tenantId: number, { status }: ScheduleFilter) =>
  and(
    eq(schedules.tenantId, tenantId),
    eq(schedules.immediate, false),
    status && eq(schedules.status, status),
  );

const waitingSchedules = statement((queries) =>
  queries
    .select({ id: schedules.id, at: schedules.scheduleAt })
    .from(schedules)
    .where(
      and(
        inArray(schedules.id, sql`(SELECT value FROM json_each(${arg("ids")}))`),
        // The pluses keep SQLite from reading all waiting entries of the tenant.
        sql`+${schedules.tenantId} = ${arg("tenantId")}`,
        sql`NOT +${schedules.immediate} AND +${schedules.status} = 'pending'`,
      ),
    )
    .prepare(),
);

export function scheduleListStore(queries: Queries) {
  return {
    /** Latest due time first. */
    list(tenantId: number, filter: ScheduleFilter, page: { limit: number; offset: number }) {
      return queries
        .select()
        .from(schedules)
        .where(matching(tenantId, filter))
        .orderBy(desc(schedules.scheduleAt), desc(schedules.id))
        .limit(page.limit)
        .offset(page.offset);
    },

    async total(tenantId: number, filter: ScheduleFilter): Promise<number> {
      return await queries.$count(schedules, matching(tenantId, filter));
    },

    /** Due times of the waiting ones of these entries, by id. */
    async dueTimes(tenantId: number, ids: readonly number[]): Promise<Map<number, number>> {
      if (ids.length === 0) return new Map();
      const rows = await waitingSchedules(queries).all({ tenantId, ids: `[${ids.join()}]` });
      return new Map(rows.map(({ id, at }) => [id, at]));
    },

    async find(tenantId: number, id: number) {
      return await queries
        .select()
        .from(schedules)
        .where(
          and(
            eq(schedules.id, id),
            eq(schedules.tenantId, tenantId),
            eq(schedules.immediate, false),
          ),
        )
        .get();
    },
  };
}
