/** A new tenant: its row, its empty wallet and its legacy webhook secret, all or nothing. */

import type { Clock } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { signingSecret } from "../../core/ids.ts";
import type { Random } from "../../core/random.ts";
import { tenantSecretBinding } from "../../platform/secrets/secret-binding.ts";

const PREFIX_CHARACTERS = 8;

export interface TenantDraft {
  readonly name: string;
  readonly email: string;
  /** Slug of a configured plan. */
  readonly plan: string;
  /** IANA zone. */
  readonly timeZone: string;
}

/** Implemented by store/tenant-admin-store.ts. */
export interface TenantRecords {
  /** With an empty wallet. The secret is sealed to the id, which must exist first. */
  insert(
    tenant: TenantDraft & {
      readonly webhookSecretSealed: string;
      readonly webhookSecretPrefix: string;
      readonly createdAt: number;
    },
  ): Promise<number>;
  setWebhookSecret(tenantId: number, sealed: string): Promise<void>;
}

export interface TenantMaker {
  readonly records: (queries: Queries) => TenantRecords;
  readonly vault: { seal(plain: string, binding: string): string };
  readonly clock: Clock;
  readonly random: Random;
}

/** Answers the new id. */
export const createTenant = (
  deps: TenantMaker & { readonly database: Database },
  draft: TenantDraft,
): Promise<number> => deps.database.tx((queries) => insertTenant(queries, deps, draft));

/** The same in a transaction of the caller's. */
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
