/** Trunks: one a tenant today. Passwords are sealed by the vault, bound to their row. */
import { eq } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { trunks } from "./schema/index.ts";

export type TrunkRecord = typeof trunks.$inferSelect;
type NewTrunk = Omit<typeof trunks.$inferInsert, "id" | "tenantId" | "passwordSealed">;

/** What a trunk's port is said to be: the transport's usual one where it was not given; 0: all is left to DNS. */
export function shownPort(trunk: { readonly port: number; readonly transport: string }): number {
  if (trunk.port > 0 || trunk.transport === "auto") return trunk.port;
  return trunk.transport === "tls" ? 5061 : 5060;
}

/** What a sealed SIP password is bound to. */
export const trunkPasswordBinding = (trunkId: number): string => `trunks:${trunkId}:password`;

export function trunkStore(queries: Queries) {
  return {
    find(tenantId: number): Promise<TrunkRecord | undefined> {
      return queries.select().from(trunks).where(eq(trunks.tenantId, tenantId)).get();
    },

    /** Of every tenant: for the SIP stack at start and for the operator's list. */
    all(): Promise<TrunkRecord[]> {
      return queries.select().from(trunks).orderBy(trunks.id);
    },

    /** Makes or replaces the tenant's trunk. `seal` gets the row's id to bind the password to. */
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
