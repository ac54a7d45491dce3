/** The room of people (src/identity), given the parts it needs. */
import type { Plan } from "../billing/ports.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { Random } from "../core/random.ts";
import { createIdentity, type Identity } from "../identity/identity.ts";
import type { MailQueue } from "../mail/ports.ts";
import type { Database } from "../store/database.ts";
import { identityStores } from "../store/identity-stores.ts";
import { insertTenant } from "../tenant/create-tenant.ts";

const DEFAULT_TIME_ZONE = "Europe/Vilnius";

export interface PeopleParts {
  readonly database: Database;
  readonly vault: {
    seal(plain: string, binding: string): string;
    open(sealed: string, binding: string): string;
    deriveKey(purpose: string): Uint8Array;
  };
  readonly plans: readonly Plan[];
  /** null: no mail leaves from here. */
  readonly mails: Pick<MailQueue, "enqueue" | "wake"> | null;
  readonly publicUrl: () => string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export function createPeople(parts: PeopleParts): Identity {
  return createIdentity({
    ...parts,
    stores: identityStores,
    createTenant: (queries, draft) =>
      insertTenant(queries, parts, {
        ...draft,
        plan: parts.plans[0]?.slug ?? "",
        timeZone: DEFAULT_TIME_ZONE,
      }),
  });
}
