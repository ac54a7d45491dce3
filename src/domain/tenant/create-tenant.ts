/** A new tenant: its row, its empty wallet and its legacy webhook secret, all or nothing. */

import { wallets } from "../../adapter/store/schema/index.ts";
import { tenantAdminStore } from "../../adapter/store/tenant-admin-store.ts";
import type { Clock } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { signingSecret } from "../../core/ids.ts";
import { microEur } from "../../core/money.ts";
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

export interface TenantMaker {
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
  const store = tenantAdminStore(queries);
  const id = await store.insert({
    ...draft,
    webhookSecretSealed: "",
    webhookSecretPrefix: secret.slice(0, PREFIX_CHARACTERS),
    createdAt: deps.clock.now(),
  });
  await store.setWebhookSecret(id, deps.vault.seal(secret, tenantSecretBinding(id)));
  await queries.insert(wallets).values({ tenantId: id, balance: microEur(0) });
  return id;
}
