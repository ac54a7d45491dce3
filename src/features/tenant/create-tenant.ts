/** Creates a tenant: its row, an empty wallet and its legacy webhook secret, all or nothing. */

import type { Clock } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { signingSecret } from "../../core/ids.ts";
import type { Random } from "../../core/random.ts";
import { tenantSecretBinding } from "../../platform/secrets/secret-binding.ts";

const PREFIX_CHARACTERS = 8;

interface TenantDraft {
  readonly name: string;
  readonly email: string;
  /** Slug of a configured plan. */
  readonly plan: string;
  /** IANA time zone. */
  readonly timeZone: string;
}

/** Implemented by store/tenant/tenant-admin-store.ts. */
interface TenantRecords {
  /** Also creates an empty wallet. The secret is sealed to the id, so the row must exist first. */
  insert(
    tenant: TenantDraft & {
      readonly webhookSecretSealed: string;
      readonly webhookSecretPrefix: string;
      readonly createdAt: number;
    },
  ): Promise<number>;
  setWebhookSecret(tenantId: number, sealed: string): Promise<void>;
}

interface TenantMaker {
  readonly records: (queries: Queries) => TenantRecords;
  readonly vault: { seal(plain: string, binding: string): string };
  readonly clock: Clock;
  readonly random: Random;
}

export const createTenant = (
  deps: TenantMaker & { readonly database: Database },
  draft: TenantDraft,
): Promise<number> => deps.database.tx((queries) => insertTenant(queries, deps, draft));

/** Like `createTenant`, in the caller's transaction. */
export async function insertTenant(
  queries: Queries,
  deps: TenantMaker,
  draft: TenantDraft,
): Promise<number> {
  const secret = signingSecret(deps.random);
  const store = deps.records(queries);
  const id = await store.insert({
    ...draft,
    webhookSecretSealed: "",
    webhookSecretPrefix: secret.slice(0, PREFIX_CHARACTERS),
    createdAt: deps.clock.now(),
  });
  await store.setWebhookSecret(id, deps.vault.seal(secret, tenantSecretBinding(id)));
  return id;
}
