/** A tenant's webhooks: subscriptions, their state, and the tenant's older secret. */

import { notFound } from "../../core/errors.ts";
import { signingSecret } from "../../core/ids.ts";
import { tenantSecretBinding } from "../../platform/secrets/secret-binding.ts";
import { dashboardListStore } from "../tenant/dashboard-list-store.ts";
import { tenantStore } from "../tenant/tenant-store.ts";
import {
  type SubscriptionDependencies,
  Subscriptions,
  type WebhookRecord,
} from "./subscriptions.ts";
import { webhookStore } from "./webhook-store.ts";

const PREFIX_LENGTH = 8;

export type Webhooks = ReturnType<typeof createWebhooks>;

export function createWebhooks(deps: Omit<SubscriptionDependencies, "records">) {
  const { database, vault, random } = deps;
  return {
    subscriptions: new Subscriptions({ ...deps, records: webhookStore }),

    /** The webhooks with their pending and failed events. */
    states: (tenantId: number) => dashboardListStore(database.read).webhookStates(tenantId),

    /** Re-enables a webhook. Throws not_found. */
    enable: (tenantId: number, id: number): Promise<WebhookRecord> =>
      database.tx(async (queries) => {
        const webhook = await webhookStore(queries).find(tenantId, id);
        if (!webhook) throw notFound("webhook");
        await dashboardListStore(queries).enableWebhook(tenantId, id);
        return webhook;
      }),

    /** Replaces the tenant's older secret; the previous one becomes invalid immediately. */
    async replaceTenantSecret(tenantId: number) {
      const secret = signingSecret(random);
      const prefix = secret.slice(0, PREFIX_LENGTH);
      const sealed = vault.seal(secret, tenantSecretBinding(tenantId));
      await database.tx(async (queries) => {
        await tenantStore(queries).setWebhookSecret(tenantId, sealed, prefix);
        await database.revocations.note(queries, [{ kind: "tenant_secret", tenant: tenantId }]);
      });
      return { secret, prefix };
    },
  };
}
