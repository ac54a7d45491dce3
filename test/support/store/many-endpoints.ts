/** Webhooks of many tenants in a store with encrypted secrets, as an appliance stores them. */

import { openVault } from "../../../src/app/vault.ts";
import type { Database } from "../../../src/core/database.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { webhookStore } from "../../../src/features/webhook/webhook-store.ts";
import { webhookSecretBinding } from "../../../src/platform/secrets/secret-binding.ts";
import { insertTenant, insertWebhook } from "./stored-rows.ts";

export interface StoredEndpoint {
  readonly tenantId: number;
  readonly webhookId: number;
}

/** One webhook per tenant, for `call.started`, in the order of the URLs. */
export async function storeEndpoints(
  database: Database,
  masterKey: Uint8Array,
  urls: readonly string[],
): Promise<StoredEndpoint[]> {
  const vault = await openVault(database, masterKey, systemRandom);
  const stored: StoredEndpoint[] = [];
  for (const url of urls) {
    const tenantId = await insertTenant(database);
    const webhookId = await insertWebhook(database, tenantId, { url, events: ["call.started"] });
    const secret = vault.seal("a signing secret", webhookSecretBinding(webhookId));
    await database.tx((queries) => webhookStore(queries).setSecret(tenantId, webhookId, secret));
    stored.push({ tenantId, webhookId });
  }
  return stored;
}
