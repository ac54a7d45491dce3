/** Builds the identity services (src/features/identity). */

import { networkInterfaces } from "node:os";
import type { Clock, ClockTrust } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import type { Log } from "../core/log.ts";
import type { Random } from "../core/random.ts";
import type { Plan } from "../features/billing/ports.ts";
import { createIdentity, type Identity } from "../features/identity/identity.ts";
import { identityStores } from "../features/identity/identity-stores.ts";
import type { MailQueue } from "../features/mail/mail-queue.ts";
import { insertTenant } from "../features/tenant/create-tenant.ts";
import { tenantAdminStore } from "../features/tenant/tenant-admin-store.ts";

const DEFAULT_TIME_ZONE = "Europe/Vilnius";

interface PeopleParts {
  readonly database: Database;
  readonly vault: {
    seal(plain: string, binding: string): string;
    open(sealed: string, binding: string): string;
    deriveKey(purpose: string): Uint8Array;
    lastingKey(purpose: string): Uint8Array;
  };
  readonly plans: readonly Plan[];
  /** null: this process sends no mail. */
  readonly mails: Pick<MailQueue, "enqueue" | "wake"> | null;
  readonly publicUrl: () => string;
  readonly clock: Clock;
  readonly trust?: Pick<ClockTrust, "mayDelete">;
  readonly random: Random;
  readonly log: Log;
}

/**
 * Replaces a wildcard address in the URL by this machine's first external address, else by
 * loopback.
 */
export function reachable(url: string): string {
  if (!/\/\/(0\.0\.0\.0|\[::\])(?=[:/]|$)/.test(url)) return url;
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const seen = addresses.find(({ family, internal }) => family === "IPv4" && !internal);
  return url.replace(/\/\/[^/]+?(?=:\d+|$)/, `//${seen?.address ?? "127.0.0.1"}`);
}

export function createPeople(parts: PeopleParts): Identity {
  return createIdentity({
    ...parts,
    stores: identityStores,
    createTenant: (queries, draft) =>
      insertTenant(
        queries,
        { ...parts, records: tenantAdminStore },
        {
          ...draft,
          plan: parts.plans[0]?.slug ?? "",
          timeZone: DEFAULT_TIME_ZONE,
        },
      ),
  });
}
