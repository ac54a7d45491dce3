/** Trunks, currently one per tenant. Passwords are sealed by the vault, bound to their row. */
import { eq, inArray, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { arg, statement } from "../../store/query/prepared.ts";
import { trunks } from "../../store/schema/index.ts";

export type TrunkRecord = typeof trunks.$inferSelect;
type NewTrunk = Omit<typeof trunks.$inferInsert, "id" | "tenantId" | "passwordSealed">;

/** The port to show: the transport's default if none was given; 0 if DNS decides. */
export function shownPort(trunk: { readonly port: number; readonly transport: string }): number {
  if (trunk.port > 0 || trunk.transport === "auto") return trunk.port;
  return trunk.transport === "tls" ? 5061 : 5060;
}

/** The binding of a sealed SIP password. */
export const trunkPasswordBinding = (trunkId: number): string => `trunks:${trunkId}:password`;

const trunkOfTenant = statement((queries) =>
  queries
    .select()
    .from(trunks)
    .where(eq(trunks.tenantId, arg("tenantId")))
    .prepare(),
);

const trunksOfTenants = statement((queries) =>
  queries
    .select()
    .from(trunks)
    .where(inArray(trunks.tenantId, sql`(SELECT value FROM json_each(${arg("ids")}))`))
    .orderBy(trunks.id)
    .prepare(),
);

export function trunkStore(queries: Queries) {
  return {
    async find(tenantId: number): Promise<TrunkRecord | undefined> {
      return await trunkOfTenant(queries).get({ tenantId });
    },

    /** Trunks of all tenants or of these, for the SIP stack's start and the operator's list. */
    async all(tenantIds?: readonly number[]): Promise<TrunkRecord[]> {
      if (!tenantIds) return await queries.select().from(trunks).orderBy(trunks.id);
      return await trunksOfTenants(queries).all({ ids: `[${tenantIds.join()}]` });
    },

    /**
     * Creates or replaces the tenant's trunk. `seal` gets the row's id for the password's binding.
     */
    async put(
      tenantId: number,
      trunk: NewTrunk,
      seal: (trunkId: number) => string,
    ): Promise<TrunkRecord> {
      const [row] = await queries
        .insert(trunks)
        .values({ ...trunk, tenantId, passwordSealed: "" })
        .onConflictDoUpdate({
          target: trunks.tenantId,
          set: { ...trunk, createdAt: undefined },
        })
        .returning();
      if (!row) throw new Error("insert answered no row");
      const passwordSealed = seal(row.id);
      await queries.update(trunks).set({ passwordSealed }).where(eq(trunks.id, row.id));
      return { ...row, passwordSealed };
    },

    async allowNetworks(tenantId: number, extraNetworks: readonly string[]): Promise<void> {
      await queries.update(trunks).set({ extraNetworks }).where(eq(trunks.tenantId, tenantId));
    },

    async remove(tenantId: number): Promise<void> {
      await queries.delete(trunks).where(eq(trunks.tenantId, tenantId));
    },
  };
}
