/** Plan seconds of each month. */
import { sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { arg, statement } from "../../store/query/prepared.ts";
import { planUsage } from "../../store/schema/money.ts";
import type { UsageStore } from "./stores.ts";

const addUsage = statement((queries) =>
  queries
    .insert(planUsage)
    .values({ tenantId: arg("tenantId"), month: arg("month"), secondsUsed: arg("seconds") })
    .onConflictDoUpdate({
      target: [planUsage.tenantId, planUsage.month],
      set: { secondsUsed: sql`${planUsage.secondsUsed} + excluded.seconds_used` },
    })
    .prepare(),
);

export function usageStore(queries: Queries): UsageStore {
  return {
    async add(tenantId, month, seconds) {
      await addUsage(queries).run({ tenantId, month, seconds });
    },

    async setIncluded(tenantId, month, secondsIncluded) {
      await queries
        .insert(planUsage)
        .values({ tenantId, month, secondsUsed: 0, secondsIncluded })
        .onConflictDoUpdate({
          target: [planUsage.tenantId, planUsage.month],
          set: { secondsIncluded },
        });
    },
  };
}
