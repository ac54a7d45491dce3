/** Scheduled calls as the API lists them: immediate requests are not schedules. */
import { and, desc, eq } from "drizzle-orm";
import type { Queries } from "./database.ts";
import { type ScheduleStatus, schedules } from "./schema/index.ts";

export function scheduleListStore(queries: Queries) {
  return {
    /** The latest due first. */
    list(
      tenantId: number,
      filter: { status?: ScheduleStatus },
      page: { limit: number; offset: number },
    ) {
      return queries
        .select()
        .from(schedules)
        .where(
          and(
            eq(schedules.tenantId, tenantId),
            eq(schedules.immediate, false),
            filter.status && eq(schedules.status, filter.status),
          ),
        )
        .orderBy(desc(schedules.scheduleAt), desc(schedules.id))
        .limit(page.limit)
        .offset(page.offset);
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
