/** Who changed what. Written by the HTTP pipeline; nothing else writes or changes an entry. */
import type { IdentityDependencies } from "./dependencies.ts";
import { transaction } from "./dependencies.ts";
import type { AuditEntry } from "./stores.ts";

export type Audit = ReturnType<typeof createAudit>;

export function createAudit(deps: IdentityDependencies) {
  const { database, stores, clock } = deps;
  return {
    async write(entry: Omit<AuditEntry, "at">): Promise<void> {
      await transaction(deps, ({ audit }) => audit.insert({ ...entry, at: clock.now() }));
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
