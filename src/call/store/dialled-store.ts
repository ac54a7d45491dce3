/** Numbers and countries that a tenant has dialled, with their first times. Used to stop bursts of new ones. */
import { and, eq, gte, isNotNull, lt, min, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { arg, statement } from "../../store/query/prepared.ts";
import { schedules } from "../../store/schema/index.ts";

const ofTenant = eq(schedules.tenantId, arg("tenantId"));
const isFired = isNotNull(schedules.firedAt);

const knewNumber = statement((queries) =>
  queries
    .select({ id: schedules.id })
    .from(schedules)
    .where(
      and(
        ofTenant,
        eq(schedules.toNumber, arg("number")),
        isFired,
        lt(schedules.firedAt, arg("sinceMs")),
      ),
    )
    .limit(1)
    .prepare(),
);

const newNumbers = statement((queries) =>
  queries
    .selectDistinct({ number: schedules.toNumber })
    .from(schedules)
    .where(
      and(
        ofTenant,
        isFired,
        gte(schedules.firedAt, arg("sinceMs")),
        sql`NOT EXISTS (SELECT 1 FROM schedules earlier
                WHERE earlier.tenant_id = ${schedules.tenantId}
                AND earlier.to_number = ${schedules.toNumber}
                AND earlier.fired_at IS NOT NULL
                AND earlier.fired_at < ${arg("before")})`,
      ),
    )
    .limit(arg("countMax"))
    .prepare(),
);

export function dialledStore(queries: Queries) {
  return {
    /** True if the number was dialled before `sinceMs`, as far as schedules are stored. */
    async knewNumber(tenantId: number, number: string, sinceMs: number): Promise<boolean> {
      return (await knewNumber(queries).get({ tenantId, number, sinceMs })) !== undefined;
    },

    /** Numbers first dialled since then; at most `countMax`. */
    async newNumbers(tenantId: number, sinceMs: number, countMax: number): Promise<string[]> {
      const found = await newNumbers(queries).all({ tenantId, sinceMs, before: sinceMs, countMax });
      return found.map(({ number }) => number);
    },

    /** Foreign countries dialled, each with the time of its first call. */
    async countriesAbroad(tenantId: number): Promise<{ country: string; firstAt: number }[]> {
      const found = await queries
        .select({ country: schedules.toCountry, firstAt: min(schedules.firedAt) })
        .from(schedules)
        .where(and(eq(schedules.tenantId, tenantId), isFired, isNotNull(schedules.toCountry)))
        .groupBy(schedules.toCountry);
      return found.flatMap(({ country, firstAt }) =>
        country === null || firstAt === null ? [] : [{ country, firstAt }],
      );
    },
  };
}
