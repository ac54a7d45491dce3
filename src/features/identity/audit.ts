/**
 * The audit log: which person or API key changed what.
 *
 * Entries come from the HTTP pipeline, from the operations for the command line, and from sessions when an
 * operator's impersonation expires. Entries never change.
 */
import type { IdentityDependencies } from "./dependencies.ts";
import { transaction } from "./dependencies.ts";
import { normalEmail } from "./sign-in.ts";
import type { AuditEntry } from "./stores.ts";

export function createAudit(deps: IdentityDependencies) {
  const { database, stores, clock } = deps;
  return {
    async write(
      entry: Omit<AuditEntry, "at" | "details"> & Partial<Pick<AuditEntry, "details">>,
    ): Promise<void> {
      await transaction(deps, ({ audit }) =>
        audit.insert({ details: null, ...entry, at: clock.now() }),
      );
    },

    /**
     * User and first company of an address, for an entry. An unknown address is not logged: it may be a
     * password typed into the wrong field.
     */
    async actorOf(emailSent: string) {
      const { users, team } = stores(database.read);
      const user = await users.byEmail(normalEmail(emailSent));
      // Always queried, so that the duration does not reveal who has an account.
      const [first] = await team.membershipsOf(user?.id ?? 0);
      return {
        userId: user?.id ?? null,
        email: user?.email ?? null,
        tenantId: first?.tenantId ?? null,
      };
    },

    /** Entries of one tenant, newest first. An operator also sees those without a tenant. */
    async page(tenantId: number, page: { limit: number; offset: number; operator: boolean }) {
      const { audit } = stores(database.read);
      const [entries, total] = await Promise.all([
        audit.list(tenantId, page),
        audit.count(tenantId, page.operator),
      ]);
      return { entries, total };
    },
  };
}
