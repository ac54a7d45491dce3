/** A tenant's row as the API reads it, and its legacy webhook secret. */
import { eq } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { arg, statement } from "../../store/query/prepared.ts";
import { tenants, trunks } from "../../store/schema/index.ts";

const TENANT_SHOWN = {
  id: tenants.id,
  name: tenants.name,
  email: tenants.email,
  webhookSecretPrefix: tenants.webhookSecretPrefix,
  callbackMemory: tenants.callbackMemory,
  namedGreeting: tenants.namedGreeting,
  cliIdentity: tenants.cliIdentity,
  birthdayCalls: tenants.birthdayCalls,
  crmBridge: tenants.crmBridge,
};

const TRUNK_SHOWN = {
  id: trunks.id,
  server: trunks.server,
  username: trunks.username,
  port: trunks.port,
  transport: trunks.transport,
  callerId: trunks.callerId,
};

const findProfile = statement((queries) =>
  queries
    .select({ tenant: TENANT_SHOWN, trunk: TRUNK_SHOWN })
    .from(tenants)
    .leftJoin(trunks, eq(trunks.tenantId, tenants.id))
    .where(eq(tenants.id, arg("tenantId")))
    .prepare(),
);

const findTimeZone = statement((queries) =>
  queries
    .select({ zone: tenants.timeZone })
    .from(tenants)
    .where(eq(tenants.id, arg("tenantId")))
    .prepare(),
);

export function tenantStore(queries: Queries) {
  return {
    /** The API's fields of a tenant and its trunk. */
    async profile(tenantId: number) {
      return await findProfile(queries).get({ tenantId });
    },

    async timeZone(tenantId: number): Promise<string> {
      return (await findTimeZone(queries).get({ tenantId }))?.zone ?? "UTC";
    },

    async setWebhookSecret(tenantId: number, sealed: string, prefix: string): Promise<void> {
      await queries
        .update(tenants)
        .set({ webhookSecretSealed: sealed, webhookSecretPrefix: prefix })
        .where(eq(tenants.id, tenantId));
    },
  };
}
