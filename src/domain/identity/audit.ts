/** Who changed what. Written by the HTTP pipeline; nothing else writes or changes an entry. */
import type { IdentityDependencies } from "./dependencies.ts";
import { transaction } from "./dependencies.ts";
import { normalEmail } from "./sign-in.ts";
import type { AuditEntry } from "./stores.ts";

export function createAudit(deps: IdentityDependencies) {
  const { database, stores, clock } = deps;
  return {
    async write(entry: Omit<AuditEntry, "at">): Promise<void> {
      await transaction(deps, ({ audit }) => audit.insert({ ...entry, at: clock.now() }));
    },

    /**
     * Whom an address stands for, for an entry: the company the person works in first. An unknown
     * address is left out; it may be a password in the wrong field.
     */
    async actorOf(emailSent: string) {
      const { users, team } = stores(database.read);
      const user = await users.byEmail(normalEmail(emailSent));
      // Asked in any case: how long this takes says nothing about who has an account.
      const [first] = await team.membershipsOf(user?.id ?? 0);
      return {
        userId: user?.id ?? null,
        email: user?.email ?? null,
        tenantId: first?.tenantId ?? null,
      };
    },

    /** Of one tenant, newest first; an operator also sees what is about none. */
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
