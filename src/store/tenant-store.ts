/** The tenant's own row, as the API reads it, and its legacy webhook secret. */
import { eq, sql } from "drizzle-orm";
import type { Queries } from "./database.ts";
import { prepared } from "./prepared.ts";
import { tenants, trunks } from "./schema/index.ts";

export function tenantStore(queries: Queries) {
  return {
    async profile(tenantId: number) {
      const statement = prepared(queries, "tenants.profile", () =>
        queries
          .select()
          .from(tenants)
          .leftJoin(trunks, eq(trunks.tenantId, tenants.id))
          .where(eq(tenants.id, sql.placeholder("tenantId")))
          .prepare(),
      );
      const row = await statement.get({ tenantId });
      return row && { tenant: row.tenants, trunk: row.trunks };
    },

    async timeZone(tenantId: number): Promise<string> {
      const row = await queries
        .select({ zone: tenants.timeZone })
        .from(tenants)
        .where(eq(tenants.id, tenantId))
        .get();
      return row?.zone ?? "UTC";
    },

    async setWebhookSecret(tenantId: number, sealed: string, prefix: string): Promise<void> {
      await queries
        .update(tenants)
        .set({ webhookSecretSealed: sealed, webhookSecretPrefix: prefix })
        .where(eq(tenants.id, tenantId));
    },
  };
}
