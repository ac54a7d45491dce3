/**
 * Tenants for the operator: creates, lists and suspends them. Covers all tenants, unlike the other
 * stores.
 */
import { and, eq, isNull, lte, or } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { microEur } from "../../core/money.ts";
import { agents, tenants, wallets } from "./schema/index.ts";

type TenantRecord = typeof tenants.$inferSelect;
type NewTenant = Omit<typeof tenants.$inferInsert, "id">;

export function tenantAdminStore(queries: Queries) {
  return {
    ...tenantMarks(queries),

    /** Also creates an empty wallet. */
    async insert(tenant: NewTenant): Promise<number> {
      const [row] = await queries.insert(tenants).values(tenant).returning({ id: tenants.id });
      if (!row) throw new Error("insert answered no row");
      await queries.insert(wallets).values({ tenantId: row.id, balance: microEur(0) });
      return row.id;
    },

    async setWebhookSecret(tenantId: number, sealed: string): Promise<void> {
      await queries
        .update(tenants)
        .set({ webhookSecretSealed: sealed })
        .where(eq(tenants.id, tenantId));
    },

    list() {
      return queries
        .select({ tenant: tenants, balance: wallets.balance })
        .from(tenants)
        .leftJoin(wallets, eq(wallets.tenantId, tenants.id))
        .orderBy(tenants.id);
    },

    find(tenantId: number): Promise<TenantRecord | undefined> {
      return queries.select().from(tenants).where(eq(tenants.id, tenantId)).get();
    },

    /** Null: there is no such agent. */
    async ownerOfAgent(agentId: number): Promise<number | null> {
      const row = await queries
        .select({ tenantId: agents.tenantId })
        .from(agents)
        .where(eq(agents.id, agentId))
        .get();
      return row?.tenantId ?? null;
    },
  };
}

/** Changes to a tenant by the operator or the appliance. */
function tenantMarks(queries: Queries) {
  return {
    /**
     * Reserves the notice about stopped calls. Returns the tenant for the caller that may send it;
     * null: it was sent since `notSinceMs`.
     */
    async claimBurstNotice(
      tenantId: number,
      nowMs: number,
      notSinceMs: number,
    ): Promise<TenantRecord | null> {
      const isDue = or(isNull(tenants.burstToldAt), lte(tenants.burstToldAt, notSinceMs));
      const [row] = await queries
        .update(tenants)
        .set({ burstToldAt: nowMs })
        .where(and(eq(tenants.id, tenantId), isDue))
        .returning();
      return row ?? null;
    },

    async setPlan(tenantId: number, plan: string): Promise<void> {
      await queries.update(tenants).set({ plan }).where(eq(tenants.id, tenantId));
    },

    async setSuspended(tenantId: number, suspended: boolean): Promise<boolean> {
      const changed = await queries
        .update(tenants)
        .set({ suspended })
        .where(eq(tenants.id, tenantId))
        .returning({ id: tenants.id });
      return changed.length > 0;
    },
  };
}
