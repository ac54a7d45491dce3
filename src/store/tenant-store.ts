/** The tenant's own row, as the API reads it, and its legacy webhook secret. */
import { eq } from "drizzle-orm";
import type { Queries } from "./database.ts";
import { tenants, trunks } from "./schema/index.ts";

export function tenantStore(queries: Queries) {
  return {
    async profile(tenantId: number) {
      const row = await queries
        .select()
        .from(tenants)
        .leftJoin(trunks, eq(trunks.tenantId, tenants.id))
        .where(eq(tenants.id, tenantId))
        .get();
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
